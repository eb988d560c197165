"""The numbered log of events, and its readers. A client that reconnects reads on from the last event that it saw."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from rove.owned_names import mark_in
from rove.surfaces.gateway.event_kinds import EVENTS
from rove.surfaces.gateway.wire_text import to_text

# How much is kept for clients that reconnect, for one owner and for all. What is older is in the sessions' journals.
MAX_EVENTS = 10_000
MAX_BYTES = 64 * 1024 * 1024
MISSED = "events.missed"
# The mark that ends the names of an owner's sessions; None for events of no session.
OwnerMark = str | None
Sees = Callable[[OwnerMark], bool]


class Event:
    """Something that the clients whose tokens reach its session are told."""

    def __init__(self, number: int, name: str, data: dict[str, Any]) -> None:
        self.number = number
        self.name = name
        self.data = data

    @cached_property
    def text(self) -> str:
        """The event as a message, which is made once for all clients."""
        return to_text({"event": self.name, "data": self.data, "eventId": self.number})


class Events:
    """Keeps the last events, and wakes the readers that wait for the next.

    What is kept for the sessions of one owner is dropped only for its own events, or where it holds more than any
    other, so that one client cannot push out what others have yet to read.
    """

    def __init__(self) -> None:
        # Numbers are times in microseconds: they grow across restarts of the server, and a gap between two of them does
        # not tell how many events there were in sessions that a client does not see.
        self._last = self._first = int(time.time() * 1_000_000)
        self._kept: dict[OwnerMark, _KeptEvents] = defaultdict(lambda: _KeptEvents(self._first))
        self._readers: set[EventReader] = set()

    def now(self) -> int:
        """Return a number that no event so far has exceeded, and that those to come will."""
        self._last = max(self._last, int(time.time() * 1_000_000))
        return self._last

    def publish(self, event: str, data: dict[str, Any], session: str | None = None) -> int:
        """Add an event, of a session if it belongs to one; return its number. Never waits for a client."""
        if event not in EVENTS:
            raise ValueError(f"{event} is not declared in event_kinds.py")
        told = {"sessionKey": session, **data} if session is not None else data
        made = Event(max(self._last + 1, int(time.time() * 1_000_000)), event, told)
        size = len(made.text)  # raises before it is kept, if it cannot be told
        self._last = made.number
        mark = mark_in(session) if session is not None else None
        self._kept[mark].add(made, size)
        while sum(kept.bytes for kept in self._kept.values()) > MAX_BYTES:
            max(self._kept.values(), key=lambda kept: kept.bytes).drop_oldest()
        for reader in self._readers:
            reader.wake(mark)
        return made.number

    def after(self, number: int, sees: Sees = lambda mark: True) -> Iterator[Event]:
        """Yield the events after a number that a client sees; one that says so comes first if some are kept no more."""
        seen = [kept for mark, kept in self._kept.items() if sees(mark)]
        dropped = max((kept.dropped for kept in seen), default=self._first)
        if number < dropped:
            yield Event(dropped, MISSED, {"after": number, "before": dropped + 1})
        yield from heapq.merge(*(kept.after(max(number, dropped)) for kept in seen), key=lambda event: event.number)

    def read(self, sees: Sees = lambda mark: True, after: int | None = None) -> EventReader:
        """Return a reader of the events that a client sees after a number, or of those to come. It must be closed."""
        reader = EventReader(self, sees, self.now() if after is None else after)
        self._readers.add(reader)
        return reader

    def remove(self, reader: EventReader) -> None:
        self._readers.discard(reader)


class _KeptEvents:
    """The last events in the sessions of one owner."""

    def __init__(self, dropped: int) -> None:
        """`dropped`: the number of the last one that is kept no more."""
        self._events: deque[tuple[Event, int]] = deque()
        self.bytes = 0
        self.dropped = dropped

    def add(self, event: Event, size: int) -> None:
        self._events.append((event, size))
        self.bytes += size
        if len(self._events) > MAX_EVENTS:
            self.drop_oldest()

    def drop_oldest(self) -> None:
        event, size = self._events.popleft()
        self.bytes -= size
        self.dropped = event.number

    def after(self, number: int) -> list[Event]:
        """Return the events after a number, oldest first. Most readers ask for the last few."""
        newest_first = (event for event, _ in reversed(self._events))
        return [*itertools.takewhile(lambda event: event.number > number, newest_first)][::-1]


class EventReader:
    """Reads the log from one place on. It holds no events itself, so a slow client costs no memory."""

    def __init__(self, events: Events, sees: Sees, last: int) -> None:
        self._events = events
        self._sees = sees
        self._last = last
        self._more = asyncio.Event()

    def wake(self, mark: OwnerMark) -> None:
        """Note that there is an event in a session of an owner."""
        if self._sees(mark):
            self._more.set()

    async def next(self) -> list[Event]:
        """Wait for events that were not read yet, and return them."""
        while not (found := list(self._events.after(self._last, self._sees))):
            self._more.clear()
            await self._more.wait()
        self._last = found[-1].number
        return found

    def close(self) -> None:
        self._events.remove(self)
