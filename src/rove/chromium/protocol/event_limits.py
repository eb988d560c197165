"""What a page can say without end, let through no faster than anyone could read it."""

from __future__ import annotations

import time

# Events that cost a page nothing: a loop makes a million of them, and each can be as long as a string can be.
LIMITED_EVENTS = (
    b'{"method":"Runtime.consoleAPICalled"',
    b'{"method":"Runtime.exceptionThrown"',
    b'{"method":"Log.entryAdded"',
)
# Of one page in one second.
MOST_EVENTS = 1000
MOST_BYTES = 4_000_000
# A single one that is longer than this is not even kept until it is whole.
LONGEST = 16_000_000
# Of what is not kept, the end, which says whose it was.
TAIL = 64


class EventLimiter:
    """Open for so many events, and so many bytes, in each second."""

    def __init__(self) -> None:
        self._until = 0.0
        self._events = 0
        self._bytes = 0

    def admits(self, size: int) -> bool:
        now = time.monotonic()
        if now >= self._until:
            self._until, self._events, self._bytes = now + 1, 0, 0
        if self._events >= MOST_EVENTS or self._bytes >= MOST_BYTES or size > LONGEST:
            return False
        self._events += 1
        self._bytes += size
        return True
