"""One isolated session: its browser context, its tabs, its journal, and the one way to act on them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from rove.action import Action, House
from rove.chromium.context import Keepsake
from rove.chromium.wire import WireError
from rove.engine.gate import Gate
from rove.engine.journal import Journal
from rove.engine.runner import Report, Run, silent
from rove.settings import Settings

if TYPE_CHECKING:
    from rove.chromium.context import Context
    from rove.engine.reach import Reach
    from rove.guard.approval import Approver
    from rove.outcome import Outcome

R = TypeVar("R")
MakeContext = Callable[["Reach", "Keepsake | None", Callable[[str], None]], Awaitable["Context"]]
# A session is worth remembering, but not at the price of every call.
KEEP_AGAIN = 2.0


class Session:
    """A name, and a context that comes into being when it is first needed."""

    def __init__(
        self, name: str, settings: Settings, gate: Gate, house: House, reach: Reach, make: MakeContext
    ) -> None:
        self.name = name
        self.settings = settings
        self.gate = gate
        self.house = house
        self.reach = reach
        self.journal = Journal(settings.journal_folder, name, settings.journal)
        self.last_used = time.monotonic()
        self.running = 0
        self._make = make
        self._context: Context | None = None
        self._making = asyncio.Lock()
        self._keepsake: Keepsake | None = None
        self._kept_at = 0.0
        self._addresses: tuple[tuple[str, str], ...] = ()
        self._keeping: asyncio.Task[None] | None = None

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
            return await Run(self, tab, timeout, report, quiet, channel).run(action)
        finally:
            self.running -= 1
            self.last_used = time.monotonic()
            self._keep_soon()

    @property
    def has_pages(self) -> bool:
        return self._context is not None

    async def context(self, progress: Callable[[str], None]) -> Context:
        async with self._making:
            if self._context is None:
                self._context = await self._make(self.reach, self._keepsake, progress)
            return self._context

    def lose(self) -> None:
        """The browser is gone; the next call gets a new context, with what was kept of this one."""
        if self._context is not None:
            # Its pages may have closed one by one as it died: what counts is where they were before.
            self._keepsake = replace(self._keepsake or Keepsake(), tabs=self._addresses)
            self._context.lost.set()
            self._context = None

    def _keep_soon(self) -> None:
        """Remember in the background what would be needed if the browser died."""
        if self._context is not None:
            self._addresses = self._context.addresses or self._addresses
        is_due = time.monotonic() - self._kept_at > KEEP_AGAIN
        if self._context is not None and is_due and (self._keeping is None or self._keeping.done()):
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
        tabs = self._context.tabs if self._context else []
        current = self._context.current if self._context else None
        return {
            "session": self.name,
            "tabs": [{"id": tab.id, "url": tab.url, "is_current": tab is current} for tab in tabs],
            "idle_seconds": round(time.monotonic() - self.last_used, 1),
        }

    async def close(self) -> None:
        self.journal.close()
        if self._keeping is not None:
            self._keeping.cancel()
        if self._context is not None:
            context, self._context = self._context, None
            await context.close()
