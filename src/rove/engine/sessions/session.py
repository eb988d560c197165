"""One isolated session: its browser context, its tabs, its journal, and the one way to act on them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from rove.action import Action, SessionDirectory
from rove.advice import NO_NAMES, Names
from rove.browser.context import RESTARTED, SavedContext
from rove.browser.failures import BrowserError
from rove.engine.approval.gate import Gate
from rove.engine.guard_notice import GUARDED, GuardNotice
from rove.engine.journal import Journal
from rove.engine.outcome_redaction import redact_error, redacted_outcome
from rove.engine.run.runner import Report, Run, silent
from rove.errors import BrowserUnavailable, NotOpen
from rove.guard.policy.policy import Place
from rove.guard.secrets.secrets import NO_SECRETS, Secrets
from rove.outcome import origin_in
from rove.settings import Settings

if TYPE_CHECKING:
    from rove.browser.context import Context
    from rove.engine.network_access import NetworkAccess
    from rove.guard.policy.approval import Approver
    from rove.outcome import Outcome, Result

R = TypeVar("R", bound="Result")
MakeContext = Callable[["Session", "SavedContext | None", Callable[[str], None]], Awaitable["Context"]]
# A session is worth remembering, but not at the price of every call.
SAVE_INTERVAL = 2.0
SAVE_TIMEOUT = 3.0
# Stands in the place of a frame that the policy does not let be read.
UNREAD = "(not shown: the policy does not let this frame be read)"


class Session:
    """A name, and a context that comes into being when it is first needed."""

    def __init__(
        self,
        name: str,
        settings: Settings,
        gate: Gate,
        directory: SessionDirectory,
        network: NetworkAccess,
        make: MakeContext,
        secrets: Secrets = NO_SECRETS,
        guard_notice: GuardNotice | None = None,
    ) -> None:
        self.name = name
        self.settings = settings
        self.gate = gate
        self.directory = directory
        self.network = network
        self.secrets = secrets
        self.guard_notice = guard_notice
        guard = guard_notice.kind if guard_notice else GUARDED
        self.journal = Journal(settings.journal_folder, name, settings.journal, secrets.redact, guard)
        self.last_used = time.monotonic()
        self.running = 0
        # A session that nobody had to open is given a place when it first needs one.
        self.has_place = False
        self._make = make
        self._context: Context | None = None
        self._making = asyncio.Lock()
        self._saved: SavedContext | None = None
        self._saved_at = 0.0
        self._addresses: tuple[tuple[str, str], ...] = ()
        self._saving: asyncio.Task[None] | None = None
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
        names: Names = NO_NAMES,
    ) -> Outcome[R]:
        """Do it, and tell what came of it. There is no other way to a page.

        `channel`: whom to ask what the policy wants asked, unless the owner has appointed someone.
        `names`: what the caller calls each action, for hints and advice.
        """
        self.running += 1
        self.last_used = time.monotonic()
        try:
            # The one way out for whatever was read of a page: no secret passes here.
            run = Run(self, tab, timeout, self._cleared(report), quiet, channel, names)
            return self._warned(redacted_outcome(await run.run(action), self.secrets))
        except Exception as error:
            redact_error(error, self.secrets)
            raise
        finally:
            self.running -= 1
            self.last_used = time.monotonic()
            self._save_soon()

    def _warned(self, outcome: Outcome[R]) -> Outcome[R]:
        """The first outcome says what is not guarded."""
        if self.guard_notice is None or self._has_warned:
            return outcome
        self._has_warned = True
        return replace(outcome, events=(self.guard_notice.event, *outcome.events))

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
        if self._context is None or self.running or not self.network.is_guarded:
            return False  # a person's own pages are not ours to put to sleep
        return not any(tab.page.downloads.is_running() for tab in self._context.tabs)

    async def context(self, progress: Callable[[str], None]) -> Context:
        async with self._making:
            self.refuse_if_closed()
            self._tell_of_loss()
            if self._context is not None and not self._context.is_alive:
                self.mark_lost()
            if self._context is None:
                made = await self._make(self, self._saved, progress)
                if self._is_closed:
                    await made.close()
                    await self.network.close()
                self.refuse_if_closed()
                made.restrict_reading(self.may_read, UNREAD)
                self._context = made
            return self._context

    def refuse_if_closed(self) -> None:
        if self._is_closed:
            raise NotOpen(f"The session {self.name} was closed.", hint="Open another with {open_session}.")

    def _tell_of_loss(self) -> None:
        """Once, unless a call was under way that has told of it: the tabs may be others now."""
        if self._owes_loss:
            self._owes_loss = False
            raise BrowserUnavailable(
                "The connection to the browser was lost.",
                hint="Call again: rove connects anew. Then list {tabs}.",
            )

    def mark_lost(self) -> None:
        """The browser is gone; the next call gets a new context, with what was kept of this one."""
        if self._context is not None:
            self._owes_loss = not self.network.is_guarded and not self.running
            # Its pages may have closed one by one as it died: what counts is where they were before.
            saved_now, shared = self._saved or SavedContext(), self._context.shared_state
            self._saved = replace(
                saved_now,
                tabs=self._addresses,
                kind=RESTARTED,
                reason="",
                shared=shared,
                targets=self._context.targets,
                ids_given=self._context.ids_given,
            )
            self._context.lost.set()
            self._context = None

    async def suspend(self) -> bool:
        """Close the pages to make room; the next call opens them again with what was kept. False if it is in use."""
        async with self._making:
            context = self._context
            if context is None or self.running:
                return False
            saved_now = await self._saved_state(context)
            if self.running or self._context is not context:
                return False  # someone came back meanwhile
            reason, shared = "it was closed as memory was short", context.shared_state
            self._saved = replace(saved_now, kind="session restored", reason=reason, shared=shared)
            self._context = None
            await context.close()
            return True

    async def _saved_state(self, context: Context) -> SavedContext:
        try:
            async with asyncio.timeout(SAVE_TIMEOUT):
                return await context.save()
        except (TimeoutError, BrowserError):
            return replace(self._saved or SavedContext(), tabs=context.tab_urls)

    def _save_soon(self) -> None:
        """Remember in the background what would be needed if the browser died."""
        if self._context is not None:
            self._addresses = self._context.tab_urls or self._addresses
        # Not after every call, but after the last one too.
        wait = self._saved_at + SAVE_INTERVAL - time.monotonic()
        if wait <= 0:
            self._save_now()
        elif self._later is None:
            self._later = asyncio.get_running_loop().call_later(wait, self._save_now)

    def _save_now(self) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if self._context is not None and (self._saving is None or self._saving.done()):
            self._saved_at = time.monotonic()
            self._saving = asyncio.ensure_future(self._save(self._context))

    async def _save(self, context: Context) -> None:
        try:
            saved_now = await context.save()
        except BrowserError:
            return  # it is being closed, or just died: what was kept before stands
        if self._context is context:
            self._saved = saved_now

    async def arrivals(self) -> None:
        if self._context is not None:
            await self._context.wait_for_popups()

    def describe(self) -> dict[str, object]:
        if self._context is not None:
            tabs, current = self._context.tab_urls, self._context.current
            front = current.id if current else None
        else:
            saved_now = self._saved or SavedContext()
            tabs, front = saved_now.tabs, saved_now.current
        return {
            "session": self.name,
            "tabs": [{"id": tab, "url": self._told(url), "is_current": tab == front} for tab, url in tabs],
            "idle_seconds": round(time.monotonic() - self.last_used, 1),
            **({"guard": str(self.guard_notice)} if self.guard_notice else {}),
        }

    def _told(self, url: str) -> str:
        """Of a page that may not be read, no more than whose it is: an address can say a lot."""
        return url if self.may_read(url) else origin_in(url)

    async def close(self) -> None:
        self._is_closed = True
        if self._later is not None:
            self._later.cancel()
        if self._saving is not None:
            self._saving.cancel()
        context, self._context = self._context, None
        if context is not None:
            await context.close()
        await self.network.close()
        await self.journal.close()
