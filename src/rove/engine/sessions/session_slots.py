"""Slots for a limited number of sessions, and a bounded queue of callers that wait for one."""

from __future__ import annotations

from collections.abc import Callable

from rove.engine.sessions.waiting_line import WaitingLine
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
