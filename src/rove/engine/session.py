"""One isolated session: its browser context, its tabs, its journal, and the one way to act on them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rove.action import Action, House
from rove.engine.gate import Gate
from rove.engine.journal import Journal
from rove.engine.runner import Report, Run, silent
from rove.settings import Settings

if TYPE_CHECKING:
    from rove.chromium.context import Context
    from rove.outcome import Outcome

R = TypeVar("R")
MakeContext = Callable[[Callable[[str], None]], Awaitable["Context"]]


class Session:
    """A name, and a context that comes into being when it is first needed."""

    def __init__(self, name: str, settings: Settings, gate: Gate, house: House, make: MakeContext) -> None:
        self.name = name
        self.settings = settings
        self.gate = gate
        self.house = house
        self.journal = Journal(Path(settings.home_folder / "sessions"), name)
        self.last_used = time.monotonic()
        self.running = 0
        self._make = make
        self._context: Context | None = None
        self._making = asyncio.Lock()

    async def run(
        self,
        action: Action[R],
        *,
        tab: str | None = None,
        timeout: float | None = None,
        report: Report = silent,
        quiet: bool = False,
    ) -> Outcome[R]:
        """Do it, and tell what came of it. There is no other way to a page."""
        self.running += 1
        self.last_used = time.monotonic()
        try:
            return await Run(self, tab, timeout, report, quiet).run(action)
        finally:
            self.running -= 1
            self.last_used = time.monotonic()

    async def context(self, progress: Callable[[str], None]) -> Context:
        async with self._making:
            if self._context is None:
                self._context = await self._make(progress)
            return self._context

    def lose(self) -> None:
        """The browser is gone; the next call gets a new context."""
        if self._context is not None:
            self._context.lost.set()
            self._context = None

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
        if self._context is not None:
            context, self._context = self._context, None
            await context.close()
