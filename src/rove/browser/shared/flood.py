"""Limits on the events that a page can cause without end: reading one takes time from all sessions."""

from __future__ import annotations

import time
from collections import deque
from enum import Enum

from rove.browser.logs import (
    ERRORS_PER_SECOND,
    MESSAGE_BYTES_PER_SECOND,
    MESSAGES_PER_SECOND,
    REQUESTS_AT_ONCE,
    REQUESTS_PER_SECOND,
)

# A request or frame counts as one more for each so many bytes of the event that tells of it.
BYTES_FOR_ONE = 20_000
# For so long after one that is not followed, events of requests or frames that are not known are not read.
UNKNOWN_SECONDS = 30.0
# Frames that are followed at once, and how many more in each second.
FRAMES_AT_ONCE = 500
FRAMES_PER_SECOND = 50
# A longer event is dropped.
MAX_EVENT_BYTES = 16_000_000
# Of the console messages that come too fast to be read, so many of the newest are held; of each kind,
# with so many bytes at most.
MAX_HELD = 500
MAX_HELD_ERRORS = 100
MAX_HELD_BYTES = 4_000_000
# They are held so long: then the limits of a new second hold.
HELD_SECONDS = 1.0


class Bucket:
    """A number of events at once, and so many more in each second."""

    def __init__(self, capacity: int, per_second: int) -> None:
        self._capacity = capacity
        self._per_second = per_second
        self._left = float(capacity)
        self._at = 0.0

    def take(self, now: float, amount: float = 1.0) -> bool:
        """Take an amount if there is anything left; a larger amount than that is owed."""
        self._left = min(self._left + (now - self._at) * self._per_second, self._capacity)
        self._at = now
        if self._left <= 0:
            return False
        self._left -= amount
        return True


class Followed:
    """Ids of requests or frames that are followed from their beginning to their end; others are not at all."""

    def __init__(self, at_once: int, per_second: int) -> None:
        self._at_once = at_once
        self._bucket = Bucket(at_once, per_second)
        self._ids: dict[bytes, None] = {}
        self._refused_at = -UNKNOWN_SECONDS

    def begin(self, identity: bytes, size: int) -> bool:
        """Follow an id, if there are not too many; return whether it is followed."""
        now = time.monotonic()
        if identity in self._ids or self._bucket.take(now, 1 + size // BYTES_FOR_ONE):
            self.add(identity)
            return True
        self._refused_at = now
        return False

    def add(self, identity: bytes) -> None:
        """Follow an id in any case; the oldest of too many is forgotten."""
        self._ids[identity] = None
        if len(self._ids) > self._at_once:
            del self._ids[next(iter(self._ids))]

    def includes(self, identity: bytes) -> bool:
        """Return whether an id is followed; one that began before this did counts while all are followed."""
        return identity in self._ids or time.monotonic() - self._refused_at > UNKNOWN_SECONDS

    def end(self, identity: bytes) -> None:
        self._ids.pop(identity, None)


class EventLimiter:
    """Admits a limited number of events and of bytes in each second."""

    def __init__(self, per_second: int = MESSAGES_PER_SECOND) -> None:
        self._per_second = per_second
        self._window_end = 0.0
        self._events = 0
        self._bytes = 0

    def admits(self, size: int) -> bool:
        """Count an event of `size` bytes; return whether it is within the limits."""
        now = time.monotonic()
        if now >= self._window_end:
            self._window_end, self._events, self._bytes = now + 1, 0, 0
        is_full = self._events >= self._per_second or self._bytes >= MESSAGE_BYTES_PER_SECOND
        if is_full or size > MAX_EVENT_BYTES:
            return False
        self._events += 1
        self._bytes += size
        return True


class Verdict(Enum):
    """What becomes of an event: it is read, dropped and counted, left out as no part of rove needs it, or held."""

    READ = 1
    DROP = 2
    SKIP = 3
    HOLD = 4


def read_if(condition: bool) -> Verdict:
    return Verdict.READ if condition else Verdict.DROP


class NewestMessages:
    """The newest of the console messages that came too fast to be read, unparsed, until there is time for them.

    Uncaught errors have places of their own, so that no flood of other messages takes these.
    """

    def __init__(self) -> None:
        self._added = 0
        self._lines = _Newest(MAX_HELD)
        self._errors = _Newest(MAX_HELD_ERRORS)
        # Whether it has been arranged that they are read.
        self.is_scheduled = False

    def __bool__(self) -> bool:
        return bool(self._lines.kept or self._errors.kept)

    def add(self, data: bytes, *, is_error: bool) -> list[bytes]:
        """Hold a message; return the oldest ones, for which there is no room any more."""
        self._added += 1
        return (self._errors if is_error else self._lines).add(self._added, data)

    def take(self) -> list[bytes]:
        """Return all of them in the order in which they came, and hold none."""
        taken = [data for _, data in sorted([*self._lines.kept, *self._errors.kept])]
        self._lines, self._errors = _Newest(MAX_HELD), _Newest(MAX_HELD_ERRORS)
        return taken


class _Newest:
    """The newest messages of one kind with their numbers, oldest first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = 0
        self.kept: deque[tuple[int, bytes]] = deque()

    def add(self, number: int, data: bytes) -> list[bytes]:
        self.kept.append((number, data))
        self._bytes += len(data)
        left_out: list[bytes] = []
        while len(self.kept) > self._most or self._bytes > MAX_HELD_BYTES:
            left_out.append(self.kept.popleft()[1])
            self._bytes -= len(left_out[-1])
        return left_out


class Admission:
    """Counts the events of a page, its frames and workers, and holds console messages until there is time for them."""

    def __init__(self) -> None:
        self._written = EventLimiter()
        self._errors = EventLimiter(ERRORS_PER_SECOND)
        self.held = NewestMessages()
        self._requests = Followed(REQUESTS_AT_ONCE, REQUESTS_PER_SECOND)
        self._frames = Followed(FRAMES_AT_ONCE, FRAMES_PER_SECOND)

    def take_held(self) -> list[bytes]:
        """Return the messages that are held, which count as read now."""
        taken = self.held.take()
        for data in taken:
            self._written.admits(len(data))
        return taken
