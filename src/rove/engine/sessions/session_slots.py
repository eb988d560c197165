"""Slots for a limited number of sessions, and a bounded queue of callers that wait for one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from rove.errors import RoveError
from rove.settings.tree import Limits


class SessionSlots:
    """Hands out one slot per session. Callers that wait get one in the order in which they asked.

    `limit_error`: makes the error for a caller that gets none, given how many callers wait before it.
    """

    def __init__(self, limits: Limits, limit_error: Callable[[int], RoveError]) -> None:
        self._max_sessions = limits.sessions
        self._max_waiting = limits.queue
        self._max_wait = limits.queue_seconds
        self._limit_error = limit_error
        self._queue: deque[asyncio.Future[None]] = deque()
        self._closed: RoveError | None = None
        self.taken = 0

    @property
    def waiting(self) -> int:
        """How many callers wait for a slot."""
        return len(self._queue)

    @property
    def is_full(self) -> bool:
        """Whether all slots are taken."""
        return self.taken >= self._max_sessions

    async def take(self) -> None:
        """Take a slot, and wait for one if all are taken. Raises the limit error if none becomes free in time."""
        if self._closed is not None:
            raise self._closed
        if self.taken < self._max_sessions:
            self.taken += 1
        elif len(self._queue) >= self._max_waiting:
            raise self._limit_error(len(self._queue))
        else:
            await self._wait_in_queue()

    def refuse_if_full(self) -> None:
        """Raise the limit error if all slots are taken and callers do not wait for one."""
        if self.taken >= self._max_sessions and (not self._max_wait or len(self._queue) >= self._max_waiting):
            raise self._limit_error(len(self._queue))

    def release(self) -> None:
        """Give a slot back, to the caller that has waited longest if there is one."""
        if self._queue:
            self._queue.popleft().set_result(None)
        else:
            self.taken -= 1

    def close(self, error: RoveError) -> None:
        """Raise `error` in every caller that waits, and in each that asks later."""
        self._closed = error
        while self._queue:
            self._queue.popleft().set_exception(error)

    async def _wait_in_queue(self) -> None:
        slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(slot)
        try:
            # Not wait_for on the future itself, which would cancel a slot that has just been given.
            await asyncio.wait({slot}, timeout=self._max_wait)
        except asyncio.CancelledError:
            self._leave_queue(slot)
            raise
        if not slot.done():
            self._leave_queue(slot)
            raise self._limit_error(0)
        slot.result()

    def _leave_queue(self, slot: asyncio.Future[None]) -> None:
        """Stop waiting. A slot that was given at this moment goes to the next caller."""
        if not slot.done():
            self._queue.remove(slot)
        elif slot.exception() is None:
            self.release()
