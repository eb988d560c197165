"""The targets that one page can make events with, and the messages of them that wait to be handled."""

from __future__ import annotations

import asyncio
from collections import deque

from rove.chromium.protocol.admission import Admission
from rove.protocol.limits import Bucket

# Messages of a group that are handled at once, and how many more in each second; the rest waits, in order.
MAX_MESSAGES_AT_ONCE = 500
MESSAGES_PER_SECOND = 2000
# How many messages of one group are handled before others have their turn.
MESSAGES_PER_TURN = 40
# What handling a message costs, where that is more than one: rove answers it with commands.
COSTS = {b"Target.attachedToTarget": 25, b"Fetch.requestPaused": 3, b"Fetch.authRequired": 3}
# Beyond this, events that can be dropped are, and requests that wait for an answer of rove fail.
MAX_WAITING_BYTES = 16 * 2**20
# A group that sends so many messages within a window of so many seconds floods rove.
FLOOD_MESSAGES = 200
FLOOD_BYTES = 2_000_000
FLOOD_SECONDS = 0.1


class TargetGroup:
    """A page with its frames and workers, or the workers that the pages of a context share."""

    def __init__(self, main_frame: str = "") -> None:
        self.admission = Admission(main_frame.encode())
        # All messages that have arrived, read or not, and the bytes of them.
        self.received = 0
        self.is_scheduled = False
        self._bucket = Bucket(MAX_MESSAGES_AT_ONCE, MESSAGES_PER_SECOND)
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        # Messages that have ever waited, and those of them that do no more.
        self.has_waited = self.was_taken = 0
        self.turn_taken = asyncio.Event()
        self._window_end = 0.0
        self._in_window = 0
        self._bytes_in_window = 0

    def note_message(self, now: float, size: int) -> bool:
        """Count a message that has arrived; return whether the group floods rove, once for each window."""
        self.received += 1
        if now >= self._window_end:
            self._window_end, self._in_window, self._bytes_in_window = now + FLOOD_SECONDS, 0, 0
        was_flood = self._is_flood
        self._in_window += 1
        self._bytes_in_window += size
        return self._is_flood and not was_flood

    @property
    def _is_flood(self) -> bool:
        return self._in_window >= FLOOD_MESSAGES or self._bytes_in_window >= FLOOD_BYTES

    @property
    def has_waiting(self) -> bool:
        return bool(self._waiting)

    @property
    def is_full(self) -> bool:
        return self._waiting_bytes >= MAX_WAITING_BYTES

    def may_handle(self, now: float, cost: int) -> bool:
        """Return whether a message may be handled at once; it costs a part of what the group may do in a second."""
        return not self._waiting and self._bucket.take(now, cost)

    def wait(self, data: bytes) -> None:
        """Keep a message until it is its turn."""
        self._waiting.append(data)
        self.has_waited += 1
        self._waiting_bytes += len(data)

    def take_turn(self, now: float) -> list[bytes]:
        """Return the messages whose turn it is, the oldest first."""
        taken: list[bytes] = []
        while self._waiting and len(taken) < MESSAGES_PER_TURN and self._bucket.take(now, cost_of(self._waiting[0])):
            taken.append(self._waiting.popleft())
            self._waiting_bytes -= len(taken[-1])
        self.was_taken += len(taken)
        return taken

    def clear(self) -> None:
        """Forget what waits: the page is gone."""
        self.was_taken += len(self._waiting)
        self._waiting.clear()
        self._waiting_bytes = 0


def cost_of(data: bytes) -> int:
    """Return what handling a message costs; a response costs nothing, as rove has asked for it."""
    if not data.startswith(b'{"method":"'):
        return 0
    return COSTS.get(data[11 : data.find(b'"', 11)], 1)
