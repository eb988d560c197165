"""One isolated session: its browser context, its tabs, its journal, and the one way to act on them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from rove.action import Action, House
from rove.chromium.context import LOST, Keepsake
from rove.chromium.wire import WireError
from rove.engine.exposure import GUARDED, Exposure
from rove.engine.gate import Gate
from rove.engine.journal import Journal
from rove.engine.redaction import clear_error, cleared
from rove.engine.runner import Report, Run, silent
from rove.errors import BrowserUnavailable, NotOpen
from rove.guard.policy import Place
from rove.guard.secrets import NO_SECRETS, Secrets
from rove.outcome import origin_in
from rove.settings import Settings

if TYPE_CHECKING:
    from rove.chromium.context import Context
    from rove.engine.reach import Reach
    from rove.guard.approval import Approver
    from rove.outcome import Outcome

R = TypeVar("R")
MakeContext = Callable[["Session", "Keepsake | None", Callable[[str], None]], Awaitable["Context"]]
# A session is worth remembering, but not at the price of every call.
KEEP_AGAIN = 2.0
KEEPING_PATIENCE = 3.0


class Session:
    """A name, and a context that comes into being when it is first needed."""

    def __init__(
        self,
        name: str,
        settings: Settings,
        gate: Gate,
        house: House,
        reach: Reach,
        make: MakeContext,
        secrets: Secrets = NO_SECRETS,
        exposure: Exposure | None = None,
    ) -> None:
        self.name = name
        self.settings = settings
        self.gate = gate
        self.house = house
        self.reach = reach
        self.secrets = secrets
        self.exposure = exposure
        guard = exposure.kind if exposure else GUARDED
        self.journal = Journal(settings.journal_folder, name, settings.journal, secrets.redact, guard)
        self.last_used = time.monotonic()
        self.running = 0
        # A session that nobody had to open is given a place when it first needs one.
        self.has_place = False
        self._make = make
        self._context: Context | None = None
        self._making = asyncio.Lock()
        self._keepsake: Keepsake | None = None
        self._kept_at = 0.0
        self._addresses: tuple[tuple[str, str], ...] = ()
        self._keeping: asyncio.Task[None] | None = None
        self._later: asyncio.TimerHandle | None = None
        self._is_closed = False
        self._has_warned = False
        self._owes_loss = False

    async def run(
        self,
        action: Action[R],
        *,
        tab: str | None = None,
        timeout: float | None = None,
        report: Report = silent,
        quiet: bool = False,
        channel: Approver | None = None,
    ) -> Outcome[R]:
        """Do it, and tell what came of it. There is no other way to a page.

        `channel`: whom to ask what the policy wants asked, unless the owner has appointed someone.
        """
        self.running += 1
        self.last_used = time.monotonic()
        try:
            # The one way out for whatever was read of a page: no secret passes here.
            run = Run(self, tab, timeout, self._cleared(report), quiet, channel)
            return self._warned(cleared(await run.run(action), self.secrets))
        except Exception as error:
            clear_error(error, self.secrets)
            raise
        finally:
            self.running -= 1
            self.last_used = time.monotonic()
            self._keep_soon()

    def _warned(self, outcome: Outcome[R]) -> Outcome[R]:
        """The first outcome says what is not guarded."""
        if self.exposure is None or self._has_warned:
            return outcome
        self._has_warned = True
        return replace(outcome, events=(self.exposure.event, *outcome.events))

    def _cleared(self, report: Report) -> Report:
        return lambda message, done, total: report(self.secrets.redact(message), done, total)

    def may_read(self, address: str) -> bool:
        """Whether words of what is at an address, its title or the whole address may be told without asking."""
        return self.gate.lets_read(Place(self.name, None, address))

    @property
    def has_pages(self) -> bool:
        return self._context is not None

    @property
    def is_idle(self) -> bool:
        """Whether it holds pages that nobody uses at the moment, and that are not busy with a file."""
        if self._context is None or self.running or not self.reach.is_guarded:
            return False  # a person's own pages are not ours to put to sleep
        return not any(tab.downloads.is_running() for tab in self._context.tabs)

    async def context(self, progress: Callable[[str], None]) -> Context:
        async with self._making:
            self.refuse_if_closed()
            self._tell_of_loss()
            if self._context is not None and not self._context.is_alive:
                self.lose()
            if self._context is None:
                made = await self._make(self, self._keepsake, progress)
                if self._is_closed:
                    await made.close()
                    await self.reach.close()
                self.refuse_if_closed()
                made.surroundings.may_read = self.may_read
                self._context = made
            return self._context

    def refuse_if_closed(self) -> None:
        if self._is_closed:
            raise NotOpen(f"The session {self.name} was closed.", hint="Open another with browser_open_session.")

    def _tell_of_loss(self) -> None:
        """Once, unless a call was under way that has told of it: the tabs may be others now."""
        if self._owes_loss:
            self._owes_loss = False
            raise BrowserUnavailable(
                "The connection to the browser was lost.",
                hint="Call again: rove connects anew. Then list browser_tabs.",
            )

    def lose(self) -> None:
        """The browser is gone; the next call gets a new context, with what was kept of this one."""
        if self._context is not None:
            self._owes_loss = not self.reach.is_guarded and not self.running
            # Its pages may have closed one by one as it died: what counts is where they were before.
            kept, climate = self._keepsake or Keepsake(), self._context.surroundings.climate
            self._keepsake = replace(
                kept,
                tabs=self._addresses,
                kind=LOST,
                reason="",
                climate=climate,
                targets=self._context.targets,
                numbers=self._context.numbers,
            )
            self._context.lost.set()
            self._context = None

    async def rest(self) -> bool:
        """Close the pages to make room; the next call opens them again with what was kept. False if it is in use."""
        async with self._making:
            context = self._context
            if context is None or self.running:
                return False
            kept = await self._kept(context)
            if self.running or self._context is not context:
                return False  # someone came back meanwhile
            reason, climate = "it was closed as memory was short", context.surroundings.climate
            self._keepsake = replace(kept, kind="session restored", reason=reason, climate=climate)
            self._context = None
            await context.close()
            return True

    async def _kept(self, context: Context) -> Keepsake:
        try:
            async with asyncio.timeout(KEEPING_PATIENCE):
                return await context.keep()
        except (TimeoutError, WireError):
            return replace(self._keepsake or Keepsake(), tabs=context.addresses)

    def _keep_soon(self) -> None:
        """Remember in the background what would be needed if the browser died."""
        if self._context is not None:
            self._addresses = self._context.addresses or self._addresses
        # Not after every call, but after the last one too.
        wait = self._kept_at + KEEP_AGAIN - time.monotonic()
        if wait <= 0:
            self._keep_now()
        elif self._later is None:
            self._later = asyncio.get_running_loop().call_later(wait, self._keep_now)

    def _keep_now(self) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if self._context is not None and (self._keeping is None or self._keeping.done()):
            self._kept_at = time.monotonic()
            self._keeping = asyncio.ensure_future(self._keep(self._context))

    async def _keep(self, context: Context) -> None:
        try:
            kept = await context.keep()
        except WireError:
            return  # it is being closed, or just died: what was kept before stands
        if self._context is context:
            self._keepsake = kept

    async def arrivals(self) -> None:
        if self._context is not None:
            await self._context.arrived()

    def describe(self) -> dict[str, object]:
        if self._context is not None:
            tabs, current = self._context.addresses, self._context.current
            front = current.id if current else None
        else:
            kept = self._keepsake or Keepsake()
            tabs, front = kept.tabs, kept.current
        return {
            "session": self.name,
            "tabs": [{"id": tab, "url": self._told(url), "is_current": tab == front} for tab, url in tabs],
            "idle_seconds": round(time.monotonic() - self.last_used, 1),
            **({"guard": str(self.exposure)} if self.exposure else {}),
        }

    def _told(self, url: str) -> str:
        """Of a page that may not be read, no more than whose it is: an address can say a lot."""
        return url if self.may_read(url) else origin_in(url)

    async def close(self) -> None:
        self._is_closed = True
        if self._later is not None:
            self._later.cancel()
        if self._keeping is not None:
            self._keeping.cancel()
        context, self._context = self._context, None
        if context is not None:
            await context.close()
        await self.reach.close()
        await self.journal.close()
