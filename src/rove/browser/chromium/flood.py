"""Which events of a page are read: it can cause events without end, and reading one takes time from all sessions.

What is decided here is decided on the first bytes of a message, since parsing is most of the cost. Events of the main
frame and of the request for its document are always read: navigation, and the check of addresses, depend on them.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable

from rove.browser.scripts import NONCE
from rove.browser.shared import flood
from rove.browser.shared.flood import MAX_HELD_BYTES, Bucket, Verdict, read_if

# Events that cost a page nothing: a loop sends a million of them, each as long as a string can be.
LIMITED_METHODS = (
    b"Runtime.consoleAPICalled",
    b"Runtime.exceptionThrown",
    b"Console.messageAdded",
    b"Log.entryAdded",
    b"Network.webSocketFrameSent",
    b"Network.webSocketFrameReceived",
    b"Network.eventSourceMessageReceived",
)
LIMITED_EVENTS = tuple(b'{"method":"%b"' % method for method in LIMITED_METHODS)
_HEAD = re.compile(rb'\{"method":"([A-Za-z.]+)"(?:,"params":\{"requestId":"([^"]{1,64})")?')
# A report of rove's own script, which is never dropped.
_REPORT = b'"text":"' + NONCE.encode()
_REPORT_WITHIN = 160
# Bytes that are kept of the end of a dropped event: they name the CDP session that it came from.
TAIL_BYTES = 64

_REQUEST = re.compile(rb'\{"method":"[A-Za-z.]+","params":\{"requestId":"([^"]{1,64})"(?:,"loaderId":"([^"]{1,64})")?')
_LENGTH = re.compile(rb'"dataLength":(\d{1,18})')
UNCAUGHT = b"Runtime.exceptionThrown"
_STARTS = (b"Network.requestWillBeSent", b"Network.webSocketCreated")
_ENDS = (b"Network.loadingFinished", b"Network.loadingFailed", b"Network.webSocketClosed")
_OF_REQUESTS = (
    b"Network.requestWillBeSentExtraInfo", b"Network.requestServedFromCache", b"Network.responseReceived",
    b"Network.responseReceivedExtraInfo", b"Network.webSocketWillSendHandshakeRequest",
    b"Network.webSocketHandshakeResponseReceived", b"Network.webSocketFrameError",
)  # fmt: skip
# Events that matter for the main frame only: they tell how far its document is loaded.
_OF_MAIN_FRAME = (
    b"Page.lifecycleEvent", b"Page.frameStartedNavigating", b"Page.frameStoppedLoading",
    b"Page.frameScheduledNavigation", b"Page.frameClearedScheduledNavigation",
)  # fmt: skip
_OF_FRAMES = (b"Page.frameRequestedNavigation", b"Page.navigatedWithinDocument", b"Page.frameNavigated")
_FRAME = re.compile(rb'\{"method":"[A-Za-z.]+","params":\{(?:"frameId"|"frame":\{"id"):"([^"]{1,64})"')
# The end of an event that names a frame last, with the id of the CDP session behind it.
_LAST_FRAME = re.compile(rb'"frameId":"([^"]{1,64})"\}{1,4},"sessionId":"[^"]{1,64}"\}$')
_TAIL = 200

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


def is_limited(data: bytes) -> bool:
    """Return whether an event is one that a page can send without end."""
    return data.startswith(LIMITED_EVENTS) and _REPORT not in data[:_REPORT_WITHIN]


def dropped_event(data: bytes) -> dict[str, str]:
    """Return what the start of a dropped event tells: its method and, if it is about a request, the request's id."""
    match = _HEAD.match(data)
    if match is None:
        return {"method": ""}
    request = {"requestId": match[2].decode("ascii", "replace")} if match[2] else {}
    return {"method": match[1].decode("ascii"), **request}


class Admission(flood.Admission):
    """Decides on the events of a page, its frames and workers; or on those of the workers that pages share."""

    def __init__(self, main_frame: bytes = b"") -> None:
        super().__init__()
        self._main_frame = main_frame
        self._document = b""

    def verdict(self, method: bytes, data: bytes, size: int) -> Verdict:
        """Decide on an event by its first bytes."""
        decide = _DECISIONS.get(method)
        return Verdict.READ if decide is None else decide(self, data, size)

    def of_written(self, data: bytes, size: int) -> Verdict:
        """Decide on messages of WebSockets."""
        return read_if(self._written.admits(size))

    def of_message(self, data: bytes, size: int) -> Verdict:
        """Hold console messages beyond the limit, and those behind held ones: the newest are read later."""
        if not is_limited(data) or (not self.held and self._written.admits(size)):
            return Verdict.READ
        return _hold_if(size <= MAX_HELD_BYTES)

    def of_error(self, data: bytes, size: int) -> Verdict:
        """Read uncaught errors at once, whatever else the page writes; hold those beyond a limit of their own."""
        return Verdict.READ if self._errors.admits(size) else _hold_if(size <= MAX_HELD_BYTES)

    def of_entry(self, data: bytes, size: int) -> Verdict:
        """Decide on an entry of the browser itself. It is about requests that may be forgotten if it is read later."""
        return read_if(self._errors.admits(size))

    def hold(self, method: bytes, data: bytes) -> list[bytes]:
        """Hold a message; return those that are dropped for it."""
        return self.held.add(data, is_error=method == UNCAUGHT)

    def of_new_request(self, data: bytes, size: int) -> Verdict:
        """Follow the request for the main document, and others if the page has not sent too many."""
        if (match := _REQUEST.match(data)) is None:
            return Verdict.READ
        if match[1] == match[2] and self._main_frame and b'"frameId":"%b"' % self._main_frame in data:
            self._document = match[1]
            return Verdict.READ
        return read_if(self._requests.begin(match[1], size))

    def of_request(self, data: bytes, size: int) -> Verdict:
        match = _REQUEST.match(data)
        return read_if(match is None or match[1] == self._document or self._requests.includes(match[1]))

    def of_request_end(self, data: bytes, size: int) -> Verdict:
        verdict = self.of_request(data, size)
        if match := _REQUEST.match(data):
            self._requests.end(match[1])
        return verdict

    def of_data(self, data: bytes, size: int) -> Verdict:
        """Read how much of the main document has arrived; of other requests it is told at their end."""
        match = _REQUEST.match(data)
        return Verdict.READ if match is None or match[1] == self._document else Verdict.SKIP

    def of_main_frame(self, data: bytes, size: int) -> Verdict:
        match = _FRAME.match(data)
        return Verdict.READ if match is None or self._main_frame in (b"", match[1]) else Verdict.SKIP

    def of_new_frame(self, data: bytes, size: int) -> Verdict:
        match = _FRAME.match(data)
        return read_if(match is None or self._frames.begin(match[1], size))

    def of_frame(self, data: bytes, size: int) -> Verdict:
        return self._of_frame(_FRAME.match(data))

    def of_frame_end(self, data: bytes, size: int) -> Verdict:
        verdict = self.of_frame(data, size)
        if match := _FRAME.match(data):
            self._frames.end(match[1])
        return verdict

    def of_new_context(self, data: bytes, size: int) -> Verdict:
        return self._of_frame(_LAST_FRAME.search(data[-_TAIL:]))

    def _of_frame(self, match: re.Match[bytes] | None) -> Verdict:
        return read_if(match is None or match[1] == self._main_frame or self._frames.includes(match[1]))


def _hold_if(condition: bool) -> Verdict:
    return Verdict.HOLD if condition else Verdict.DROP


_DECISIONS: dict[bytes, Callable[[Admission, bytes, int], Verdict]] = {
    **dict.fromkeys(LIMITED_METHODS, Admission.of_written),
    b"Runtime.consoleAPICalled": Admission.of_message,
    b"Console.messageAdded": Admission.of_message,
    UNCAUGHT: Admission.of_error,
    b"Log.entryAdded": Admission.of_entry,
    **dict.fromkeys(_STARTS, Admission.of_new_request),
    **dict.fromkeys(_OF_REQUESTS, Admission.of_request),
    **dict.fromkeys(_ENDS, Admission.of_request_end),
    b"Network.dataReceived": Admission.of_data,
    **dict.fromkeys(_OF_MAIN_FRAME, Admission.of_main_frame),
    b"Page.frameAttached": Admission.of_new_frame,
    **dict.fromkeys(_OF_FRAMES, Admission.of_frame),
    b"Page.frameDetached": Admission.of_frame_end,
    b"Runtime.executionContextCreated": Admission.of_new_context,
}


def data_length(data: bytes) -> int:
    """Return how many bytes a `Network.dataReceived` event tells of."""
    match = _LENGTH.search(data)
    return int(match[1]) if match else 0


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
