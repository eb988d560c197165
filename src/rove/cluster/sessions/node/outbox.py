"""What a node tells its server without being asked, in one stream: events, and questions that the server answers."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import AsyncGenerator
from typing import Any

from rove.cluster.sessions.messages import Event
from rove.errors import ClusterUnavailable, RoveError

# Events that wait for a server that does not read. Beyond these the oldest are dropped.
MOST_EVENTS = 10_000


def server_gone() -> ClusterUnavailable:
    """Return the error for a question that no server will answer."""
    return ClusterUnavailable("The server of this session has gone.", hint="Call again once it is back.")


class Outbox:
    """Events in order. There is one reader at most; while there is none, questions are refused."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=MOST_EVENTS)
        self._more = asyncio.Event()
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._readers = 0

    def tell(self, *event: Any) -> None:
        """Send an event soon. Never waits."""
        self._events.append(event)
        self._more.set()

    async def ask(self, question: str, *arguments: Any) -> Any:
        """Return what the server answers. Raises the RoveError that it raised, or ClusterUnavailable if it has gone."""
        if not self._readers:
            raise server_gone()
        number = next(self._numbers)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        self.tell("question", number, question, arguments)
        try:
            return await answer
        except asyncio.CancelledError:
            self.tell("withdrawn", number)
            raise
        finally:
            self._asked.pop(number, None)

    def answer(self, number: int, value: Any, error: RoveError | None) -> None:
        """Pass on the server's answer. One that is not waited for any more is dropped."""
        waiting = self._asked.get(number)
        if waiting is None or waiting.done():
            return
        if error is not None:
            waiting.set_exception(error)
        else:
            waiting.set_result(value)

    async def read(self) -> AsyncGenerator[list[Event]]:
        """Yield events as they come, several at once if they do. When the reader goes, all questions are refused."""
        self._readers += 1
        try:
            while True:
                await self._more.wait()
                self._more.clear()
                events, self._events = [*self._events], deque(maxlen=MOST_EVENTS)
                yield events
        finally:
            self._readers -= 1
            if not self._readers:
                self.refuse_all()

    def refuse_all(self) -> None:
        """End every question: no answer means no."""
        for waiting in self._asked.values():
            if not waiting.done():
                waiting.set_exception(server_gone())
