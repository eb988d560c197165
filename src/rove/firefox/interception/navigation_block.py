"""Blocking the navigations of a page that keeps navigating by itself, so that it can be read."""

from __future__ import annotations

import asyncio
import contextlib

from rove.firefox.interception.interceptor import Interceptor
from rove.page.consequences.approved_documents import AskedDocument
from rove.tasks import BackgroundTasks

# Seconds to wait for the page's next attempt to navigate; without one by then, the page no longer tries.
REFUSAL_TIMEOUT = 1.0


class NavigationBlock:
    """Fails every request of a page's main frame for another document while it is enabled."""

    def __init__(self, main_frame: str, interceptor: Interceptor, tasks: BackgroundTasks) -> None:
        self._main_frame = main_frame
        self._interceptor = interceptor
        self._tasks = tasks
        self._has_refused = asyncio.Event()
        self.is_on = False

    async def enable(self) -> None:
        """Block navigations; returns once one was refused or the page has stopped trying."""
        if not self.is_on:
            self.is_on = True
            self._has_refused.clear()
            await self._interceptor.refuse_documents(self._main_frame, self._refuses)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REFUSAL_TIMEOUT):
                await self._has_refused.wait()

    def disable(self) -> None:
        if self.is_on:
            self.is_on = False
            self._tasks.start(self._interceptor.refuse_documents(self._main_frame, None))

    def _refuses(self, asked: AskedDocument) -> bool:
        if asked.frame != self._main_frame:
            return False
        self._has_refused.set()
        return True
