"""Blocking the navigations of a page that keeps navigating by itself, so that it can be read."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod

from rove.tasks import BackgroundTasks

# Seconds to wait for the page's next attempt to navigate; without one by then, the page no longer tries.
REFUSAL_TIMEOUT = 1.0


class NavigationBlock(ABC):
    """Fails every request of a page's main frame for another document while it is enabled."""

    def __init__(self, main_frame: str, tasks: BackgroundTasks) -> None:
        self.main_frame = main_frame
        self._tasks = tasks
        self._has_refused = asyncio.Event()
        self.is_on = False

    @abstractmethod
    async def set_refusing(self, is_on: bool) -> None:
        """Ask about every document from now on, or no more; `note_refused` is called for each that is refused."""

    def note_refused(self) -> None:
        self._has_refused.set()

    async def enable(self) -> None:
        """Block navigations; returns once one was refused or the page has stopped trying."""
        if not self.is_on:
            self.is_on = True
            self._has_refused.clear()
            await self.set_refusing(True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REFUSAL_TIMEOUT):
                await self._has_refused.wait()

    def disable(self) -> None:
        if self.is_on:
            self.is_on = False
            self._tasks.start(self.set_refusing(False))
