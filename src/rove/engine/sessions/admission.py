"""Who is let in: so many sessions, and no more pages than there is memory for."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection

from rove.browser.browser import Browser
from rove.engine.sessions.memory import return_free_memory
from rove.engine.sessions.memory_pressure import MemoryShortage, memory_shortage
from rove.engine.sessions.session import Session
from rove.engine.sessions.session_slots import SessionSlots
from rove.errors import LimitReached, RoveError
from rove.settings import Settings

log = logging.getLogger(__name__)

LOOK_AGAIN = 2.0
# A session that was used more recently than this may be in the middle of something.
AT_REST = 30.0
# Processes of pages that were closed take a moment to be gone: looked for so often, so many seconds apart.
FREED_LOOKS = 10
FREED_YET = 0.1


class Admission:
    """Takes places in order, and when memory is short puts idle sessions to sleep before it turns anyone away."""

    def __init__(
        self, settings: Settings, sessions: Callable[[], Collection[Session]], browser: Callable[[], Browser | None]
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._browser = browser
        self._relieving = asyncio.Lock()
        self._looking: asyncio.Task[MemoryShortage | None] | None = None
        self._places = SessionSlots(settings.limits, self._all_taken)

    async def admit_session(self) -> None:
        """Take a place for one more session; it is given back by `leave`."""
        await self.admit_page()
        await self._places.take()

    def leave(self) -> None:
        self._places.leave()

    def close(self, error: RoveError) -> None:
        """Whoever still waits is told that it is over."""
        self._places.close(error)

    async def admit_page(self) -> None:
        """Refuse one more page if there is no memory for it and nobody can be put to sleep."""
        if (short := await self._relieved()) is not None:
            wait = self._settings.deadlines.action
            raise LimitReached(
                short.sentence,
                hint=f"Close what is not needed ({{tabs}}, {{close_session}}), or try again in {wait:g} s.",
                retry_after=wait,
            )

    async def watch(self) -> None:
        """Look now and then; who grows beyond all bounds is stopped before the system stops everyone."""
        strikes = 0
        given_back = time.monotonic()
        while True:
            await asyncio.sleep(LOOK_AGAIN)
            if any(session.last_used > given_back for session in self._sessions()):
                given_back = time.monotonic()
                await asyncio.to_thread(return_free_memory)
            has_pages = any(session.has_pages for session in self._sessions())
            short = await self._relieved() if has_pages else None
            strikes = strikes + 1 if short is not None and short.is_own else 0
            browser = self._browser()
            if strikes > 1 and browser is not None and await asyncio.to_thread(browser.kill_largest_page):
                log.warning("%s The page that held most was ended.", short.sentence if short else "")
                strikes = 0

    async def _relieved(self) -> MemoryShortage | None:
        """What is short still after those who can be spared were put to sleep, longest unused first."""
        if (short := await self._look()) is None:
            return None
        async with self._relieving:
            for session in self._idle():
                if await session.suspend() and (short := await self._freed()) is None:
                    return None
        return short

    async def _freed(self) -> MemoryShortage | None:
        for _ in range(FREED_LOOKS):
            if await self._look() is None:
                return None
            await asyncio.sleep(FREED_YET)
        return await self._look()

    async def _look(self) -> MemoryShortage | None:
        """One look for all who ask at the same time: they go on in the order they came, which threads do not keep."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(asyncio.to_thread(self._shortage, self._browser()))
        return await asyncio.shield(self._looking)

    def _shortage(self, browser: Browser | None) -> MemoryShortage | None:
        held = browser.memory_in_use() if browser is not None else None
        return memory_shortage(self._settings.limits.memory_megabytes, held)

    def _idle(self) -> list[Session]:
        long_ago = time.monotonic() - AT_REST
        idle = [known for known in self._sessions() if known.is_idle and known.last_used <= long_ago]
        return sorted(idle, key=lambda session: session.last_used)

    def _all_taken(self, ahead: int) -> RoveError:
        wait = round(self._until_closed(ahead), 1)
        return LimitReached(
            f"{self._places.taken} sessions are open, which is the limit.",
            hint=f"Close one with {{close_session}}, or try again in {wait:g} s, when an idle one is closed.",
            retry_after=wait,
        )

    def _until_closed(self, ahead: int) -> float:
        """Seconds until so many idle sessions and one more will have been closed, if nobody uses them."""
        idle, now = self._settings.limits.idle, time.monotonic()
        left = sorted(max(idle - (0 if known.running else now - known.last_used), 0) for known in self._sessions())
        return left[min(ahead, len(left) - 1)] if left else idle
