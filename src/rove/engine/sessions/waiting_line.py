"""Callers that wait in line for something, and get it in the order in which they asked."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

R = TypeVar("R")


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
