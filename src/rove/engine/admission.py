"""Limits on sessions and pages: slots, a line of callers that wait, and no more pages than there is memory for."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from rove.engine.memory import MemoryShortage, memory_shortage, return_free_memory
from rove.engine.session import Session
from rove.errors import LimitReached, RoveError
from rove.settings.tree import Limits, Settings

if TYPE_CHECKING:
    from rove.browser.shared.browser import Browser

log = logging.getLogger(__name__)
R = TypeVar("R")

# Seconds between two checks of the memory.
CHECK_INTERVAL = 2.0
# A session that was used more recently than this may be in the middle of a task, and is not suspended.
IDLE_SECONDS = 30.0
# The processes of closed pages take a moment to end: how often their memory is checked, and seconds in between.
FREED_CHECKS = 10
FREED_CHECK_INTERVAL = 0.1


class WaitingLine(Generic[R]):
    """Hands results to callers that wait.

    `give_back` is called with a result that was given to a caller at the very moment in which it stopped waiting.
    """

    def __init__(self, give_back: Callable[[R], None]) -> None:
        self._give_back = give_back
        self._waiting: deque[asyncio.Future[R]] = deque()
        self._closed: Exception | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[asyncio.Future[R]]:
        """Yield those that wait, first come first."""
        return iter(tuple(self._waiting))

    def refuse_if_closed(self) -> None:
        """Raise the error that the line was closed with."""
        if self._closed is not None:
            raise self._closed

    def join(self) -> asyncio.Future[R]:
        """Return what a caller waits for, with `wait`."""
        self.refuse_if_closed()
        place: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        return place

    async def wait(self, place: asyncio.Future[R], seconds: float | None) -> R | None:
        """Wait for a result; None if there is none in time."""
        try:
            # Not wait_for on the future itself, which would cancel a result that has just been given.
            await asyncio.wait({place}, timeout=seconds)
        except asyncio.CancelledError:
            self._leave(place)
            raise
        if place.done():
            return place.result()
        self._leave(place)
        return None

    def give(self, result: R, place: asyncio.Future[R] | None = None) -> None:
        """Give a result to a place in the line, by default to the first. There must be one."""
        place = self._waiting[0] if place is None else place
        self._waiting.remove(place)
        place.set_result(result)

    def close(self, error: Exception) -> None:
        """Raise `error` in every caller that waits, and in each that joins later."""
        self._closed = error
        while self._waiting:
            self._waiting.popleft().set_exception(error)

    def _leave(self, place: asyncio.Future[R]) -> None:
        if not place.done():
            self._waiting.remove(place)
        elif place.exception() is None:
            self._give_back(place.result())


class SessionSlots:
    """Hands out one slot per session. Callers that wait get one in the order in which they asked.

    `limit_error`: makes the error for a caller that gets none, given how many callers wait before it.
    """

    def __init__(self, limits: Limits, limit_error: Callable[[int], RoveError]) -> None:
        self._max_sessions = limits.sessions
        self._max_waiting = limits.queue
        self._max_wait = limits.queue_seconds
        self._limit_error = limit_error
        # A slot that was given to a caller that has gone goes to the next.
        self._line = WaitingLine[bool](lambda slot: self.release())
        self.taken = 0

    @property
    def waiting(self) -> int:
        """How many callers wait for a slot."""
        return len(self._line)

    @property
    def is_full(self) -> bool:
        """Whether all slots are taken."""
        return self.taken >= self._max_sessions

    async def take(self) -> None:
        """Take a slot, and wait for one if all are taken. Raises the limit error if none becomes free in time."""
        self._line.refuse_if_closed()
        if self.taken < self._max_sessions:
            self.taken += 1
        elif len(self._line) >= self._max_waiting:
            raise self._limit_error(len(self._line))
        elif not await self._line.wait(self._line.join(), self._max_wait):
            raise self._limit_error(0)

    def refuse_if_full(self) -> None:
        """Raise the limit error if all slots are taken and callers do not wait for one."""
        if self.taken >= self._max_sessions and (not self._max_wait or len(self._line) >= self._max_waiting):
            raise self._limit_error(len(self._line))

    def release(self) -> None:
        """Give a slot back, to the caller that has waited longest if there is one."""
        if self._line:
            self._line.give(True)
        else:
            self.taken -= 1

    def close(self, error: RoveError) -> None:
        """Raise `error` in every caller that waits, and in each that asks later."""
        self._line.close(error)


class Admission:
    """Hands out session slots. When memory is short it suspends idle sessions before it refuses a page."""

    def __init__(
        self, settings: Settings, sessions: Callable[[], Collection[Session]], browsers: Callable[[], Sequence[Browser]]
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._browsers = browsers
        self._suspending = asyncio.Lock()
        self._memory_check: asyncio.Task[MemoryShortage | None] | None = None
        self._slots = SessionSlots(settings.limits, self._limit_error)
        # Set when a call has ended: the pages of its session may give way to a session that waits.
        self._call_ended = asyncio.Event()
        self._last_return = time.monotonic()
        # Checks in a row in which the browser was above its own limit.
        self._shortages = 0

    async def admit_session(self) -> None:
        """Take a slot for one more session, until `release_slot`. Raises LimitReached."""
        await self.admit_page()
        if self._slots.is_full:
            await self._suspend_oldest()
        await self._slots.take()

    async def _suspend_oldest(self) -> bool:
        """Free the slot of the session that was unused for longest; its next call takes another. False if none is."""
        unused = [session for session in self._sessions() if session.has_slot and self._may_give_way(session)]
        for session in sorted(unused, key=lambda session: session.last_used):
            if await _gives_way(session):
                session.has_slot = False
                self._slots.release()
                return True
        return False

    def _may_give_way(self, session: Session) -> bool:
        return not session.is_used and (self._settings.limits.suspend_oldest or session.gives_way)

    def note_end_of_call(self) -> None:
        """Let the pages of idle sessions give way, as far as they may, if sessions wait for a slot."""
        if self._slots.waiting:
            self._call_ended.set()

    async def serve_queue(self) -> None:
        """Suspend idle sessions for as long as others wait for a slot, each time a call has ended."""
        while True:
            await self._call_ended.wait()
            self._call_ended.clear()
            try:
                while self._slots.waiting and await self._suspend_oldest():
                    pass
            except Exception:
                log.exception("An idle session could not be suspended for one that waits")

    def refuse_if_full(self) -> None:
        """Raise LimitReached if there is no slot, and none could be waited for."""
        if not self._settings.limits.suspend_oldest:
            self._slots.refuse_if_full()

    def release_slot(self) -> None:
        """Give back the slot of a session."""
        self._slots.release()

    def close(self, error: RoveError) -> None:
        """Raise `error` in every caller that still waits for a slot."""
        self._slots.close(error)

    async def admit_page(self) -> None:
        """Raise LimitReached if there is no memory for one more page, even after idle sessions were suspended."""
        if (shortage := await self._relieve_shortage()) is not None:
            wait = self._settings.deadlines.action
            raise LimitReached(
                shortage.sentence,
                hint=f"Try again in {wait:g} s. Or close what is not needed ({{tabs}}, {{close_session}}).",
                retry_after=wait,
            )

    async def memory_in_use(self) -> int | None:
        """Return the bytes of memory that the browsers hold; None where the system does not tell."""
        known = await asyncio.to_thread(_memory_of, self._browsers())
        return sum(known) if known else None

    async def watch(self) -> None:
        """Check the memory regularly, and kill the largest page before the system would kill the whole browser."""
        while True:
            await asyncio.sleep(CHECK_INTERVAL)
            try:
                await self._check_memory()
            except Exception:
                log.exception("The memory could not be checked; it is checked again in %g s", CHECK_INTERVAL)

    async def _check_memory(self) -> None:
        if any(session.last_used > self._last_return for session in self._sessions()):
            self._last_return = time.monotonic()
            await asyncio.to_thread(return_free_memory)
        has_pages = any(session.has_pages for session in self._sessions())
        shortage = await self._relieve_shortage() if has_pages else None
        self._shortages = self._shortages + 1 if shortage is not None and shortage.is_own else 0
        if self._shortages > 1 and await asyncio.to_thread(self._kill_largest_page):
            log.warning("%s The page that used most was ended.", shortage.sentence if shortage else "")
            self._shortages = 0

    def _kill_largest_page(self) -> bool:
        largest = max(self._browsers(), key=lambda browser: browser.memory_in_use() or 0, default=None)
        return largest is not None and largest.kill_largest_page()

    async def _relieve_shortage(self) -> MemoryShortage | None:
        """Suspend idle sessions while memory is short, longest unused first; return the shortage that remains."""
        if (shortage := await self._find_shortage()) is None:
            return None
        async with self._suspending:
            for session in self._idle_sessions():
                if await session.suspend() and (shortage := await self._wait_until_freed()) is None:
                    return None
        return shortage

    async def _wait_until_freed(self) -> MemoryShortage | None:
        for _ in range(FREED_CHECKS):
            if await self._find_shortage() is None:
                return None
            await asyncio.sleep(FREED_CHECK_INTERVAL)
        return await self._find_shortage()

    async def _find_shortage(self) -> MemoryShortage | None:
        """Check the memory once for all callers that ask at the same time.

        They continue in the order in which they asked, which they would not if each waited for a thread of its own.
        """
        if self._memory_check is None or self._memory_check.done():
            self._memory_check = asyncio.create_task(asyncio.to_thread(self._measure, self._browsers()))
        return await asyncio.shield(self._memory_check)

    def _measure(self, browsers: Sequence[Browser]) -> MemoryShortage | None:
        known = _memory_of(browsers)
        return memory_shortage(self._settings.limits.memory_megabytes, sum(known) if known else None)

    def _idle_sessions(self) -> list[Session]:
        """Return the sessions that may be suspended, longest unused first."""
        latest = time.monotonic() - IDLE_SECONDS
        idle = [session for session in self._sessions() if session.is_idle and session.last_used <= latest]
        return sorted(idle, key=lambda session: session.last_used)

    def _limit_error(self, ahead: int) -> RoveError:
        if self._settings.limits.suspend_oldest:
            return self._busy_error()
        wait = round(self._seconds_until_slot(ahead), 1)
        return LimitReached(
            f"{self._slots.taken} sessions are open, which is the limit.",
            hint=f"Try again in {wait:g} s, when an idle one is closed. Or close one with {{close_session}}.",
            retry_after=wait,
        )

    def _busy_error(self) -> RoveError:
        """Return the error where idle sessions give way, so that calls must run in all that are open."""
        wait = self._settings.limits.queue_seconds
        message = f"{self._slots.taken} sessions are open, which is the limit, and calls run in all of them."
        return LimitReached(message, hint=f"Try again in {wait:g} s, when a call has ended.", retry_after=wait)

    def _seconds_until_slot(self, ahead: int) -> float:
        """Return the seconds until `ahead` idle sessions and one more are closed, if no client uses them."""
        limit, now = self._settings.limits.idle, time.monotonic()
        left = sorted(
            max(limit - (0 if session.running_calls else now - session.last_used), 0) for session in self._sessions()
        )
        return left[min(ahead, len(left) - 1)] if left else limit


async def _gives_way(session: Session) -> bool:
    """Suspend a session; return whether its slot can be given to another. One without pages has nothing to close."""
    if not session.has_pages:
        return True
    return session.is_idle and await session.suspend("as another session needed the room")


def _memory_of(browsers: Sequence[Browser]) -> list[int]:
    return [used for browser in browsers if (used := browser.memory_in_use()) is not None]
