"""Limits on the console and log events of a page, which a page can send without end."""

from __future__ import annotations

import time

# Events that cost a page nothing: a loop sends a million of them, each as long as a string can be.
LIMITED_EVENTS = (
    b'{"method":"Runtime.consoleAPICalled"',
    b'{"method":"Runtime.exceptionThrown"',
    b'{"method":"Log.entryAdded"',
)
# For each page.
MAX_EVENTS_PER_SECOND = 1000
MAX_BYTES_PER_SECOND = 4_000_000
# A longer event is dropped while it still arrives.
MAX_EVENT_BYTES = 16_000_000
# Bytes that are kept of the end of a dropped event: they name the CDP session that it came from.
TAIL_BYTES = 64


class EventLimiter:
    """Admits a limited number of events and of bytes in each second."""

    def __init__(self) -> None:
        self._window_end = 0.0
        self._events = 0
        self._bytes = 0

    def admits(self, size: int) -> bool:
        """Count an event of `size` bytes; return whether it is within the limits."""
        now = time.monotonic()
        if now >= self._window_end:
            self._window_end, self._events, self._bytes = now + 1, 0, 0
        is_full = self._events >= MAX_EVENTS_PER_SECOND or self._bytes >= MAX_BYTES_PER_SECOND
        if is_full or size > MAX_EVENT_BYTES:
            return False
        self._events += 1
        self._bytes += size
        return True
