"""The numbered log of events, and its readers. A client that reconnects reads on from the last event that it saw."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from rove.surfaces.gateway.event_kinds import EVENTS
from rove.surfaces.gateway.wire_text import to_text

# How much is kept for clients that reconnect. What is older is in the journals of the sessions.
MAX_EVENTS = 10_000
MAX_BYTES = 64 * 1024 * 1024
MISSED = "events.missed"


class Event:
    """Something that every client with the scope `view` is told."""

    def __init__(self, number: int, name: str, data: dict[str, Any]) -> None:
        self.number = number
        self.name = name
        self.data = data

    @cached_property
    def text(self) -> str:
        """The event as a message, which is made once for all clients."""
        return to_text({"event": self.name, "data": self.data, "eventId": self.number})


class Events:
    """Keeps the last events, and wakes the readers that wait for the next."""

    def __init__(self) -> None:
        # Numbers grow across restarts of the server, so that an old number is known to be old.
        self._first = self._next = int(time.time() * 1000)
        self._kept: deque[Event] = deque()
        self._bytes = 0
        self._readers: set[EventReader] = set()

    @property
    def last(self) -> int:
        """The number of the last event, or the one before the first."""
        return self._next - 1

    def publish(self, event: str, data: dict[str, Any], session: str | None = None) -> int:
        """Add an event, of a session if it belongs to one; return its number. Never waits for a client."""
        if event not in EVENTS:
            raise ValueError(f"{event} is not declared in event_kinds.py")
        told = {"sessionKey": session, **data} if session is not None else data
        made = Event(self._next, event, told)
        self._bytes += len(made.text)  # raises before it is kept, if it cannot be told
        self._next += 1
        self._kept.append(made)
        while len(self._kept) > MAX_EVENTS or self._bytes > MAX_BYTES:
            self._bytes -= len(self._kept.popleft().text)
        for reader in self._readers:
            reader.wake()
        return made.number

    def after(self, number: int) -> Iterator[Event]:
        """Yield the events after a number; if some of them are not kept any more, one that says so comes first."""
        oldest = self._kept[0].number if self._kept else self._next
        if number < oldest - 1:
            yield Event(oldest - 1, MISSED, {"after": number, "before": oldest})
        skipped = max(0, number + 1 - oldest)
        for index in range(skipped, len(self._kept)):
            yield self._kept[index]

    def read(self, after: int | None = None) -> EventReader:
        """Return a reader of the events after a number, or of those to come. It must be closed."""
        reader = EventReader(self, self.last if after is None else after)
        self._readers.add(reader)
        return reader

    def remove(self, reader: EventReader) -> None:
        self._readers.discard(reader)


class EventReader:
    """Reads the log from one place on. It holds no events itself, so a slow client costs no memory."""

    def __init__(self, events: Events, last: int) -> None:
        self._events = events
        self._last = last
        self._more = asyncio.Event()

    def wake(self) -> None:
        self._more.set()

    async def next(self) -> list[Event]:
        """Wait for events that were not read yet, and return them."""
        while not (found := list(self._events.after(self._last))):
            self._more.clear()
            await self._more.wait()
        self._last = found[-1].number
        return found

    def close(self) -> None:
        self._events.remove(self)
