"""Room for so many sessions; whoever comes when all of it is taken waits in line, and not for ever."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from rove.errors import RoveError
from rove.settings import Limits


class SessionSlots:
    """A place is taken before it is used and left afterwards; those who wait are served in the order they came."""

    def __init__(self, limits: Limits, refusal: Callable[[int], RoveError]) -> None:
        self._most = limits.sessions
        self._longest_line = limits.queue
        self._patience = limits.queue_seconds
        self._refusal = refusal
        self._line: deque[asyncio.Future[None]] = deque()
        self._closed: RoveError | None = None
        self.taken = 0

    @property
    def waiting(self) -> int:
        return len(self._line)

    async def take(self) -> None:
        """Take a place, at once or after a wait; raises the refusal, made for so many who are ahead."""
        if self._closed is not None:
            raise self._closed
        if self.taken < self._most:
            self.taken += 1
        elif len(self._line) >= self._longest_line:
            raise self._refusal(len(self._line))
        else:
            await self._wait_in_queue()

    def leave(self) -> None:
        """Give a place back: to whoever has waited longest, if anyone waits."""
        if self._line:
            self._line.popleft().set_result(None)
        else:
            self.taken -= 1

    def close(self, error: RoveError) -> None:
        """Nobody will ever be let in again."""
        self._closed = error
        while self._line:
            self._line.popleft().set_exception(error)

    async def _wait_in_queue(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        try:
            # Not wait_for on the future itself, which would cancel a turn that has just come.
            await asyncio.wait({turn}, timeout=self._patience)
        except asyncio.CancelledError:
            self._leave_queue(turn)
            raise
        if not turn.done():
            self._leave_queue(turn)
            raise self._refusal(0)
        turn.result()

    def _leave_queue(self, turn: asyncio.Future[None]) -> None:
        """Leave the line; a place that was given at this very moment goes to the next."""
        if not turn.done():
            self._line.remove(turn)
        elif turn.exception() is None:
            self.leave()
