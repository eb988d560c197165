"""Which events of a page are read: a page can cause events without end, and reading one takes time from all sessions.

What is decided here is decided on the first bytes of a message, since parsing is most of the cost. Events of the main
frame and of the request for its document are always read: navigation, and the check of addresses, depend on them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from enum import Enum

from rove.chromium.protocol.event_limits import LIMITED_METHODS, EventLimiter, is_limited

# Requests of a group that are followed at once, and how many more in each second.
MAX_REQUESTS_AT_ONCE = 1000
REQUESTS_PER_SECOND = 100
# The same for events of frames below the main frame: created, navigated, removed.
MAX_FRAME_EVENTS_AT_ONCE = 1000
FRAME_EVENTS_PER_SECOND = 200
# An event counts as one more for each so many bytes.
BYTES_FOR_ONE = 20_000
# For so long after a request that is not followed, events of requests that are not known are not read.
UNKNOWN_SECONDS = 30.0

_REQUEST = re.compile(rb'\{"method":"[A-Za-z.]+","params":\{"requestId":"([^"]{1,64})"(?:,"loaderId":"([^"]{1,64})")?')
_LENGTH = re.compile(rb'"dataLength":(\d{1,18})')
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
_OF_FRAMES = (
    b"Page.frameAttached", b"Page.frameDetached", b"Page.frameRequestedNavigation", b"Page.navigatedWithinDocument",
    b"Page.frameNavigated",
)  # fmt: skip
# Bytes between the end of the method's name and the id of the frame.
_TO_FRAME_ID = len('","params":{"frameId":"')
_TO_NAVIGATED_ID = len('","params":{"frame":{"id":"')
_METHOD_START = len('{"method":"')
_ID_LENGTH = 32
# The end of an event that names a frame last, with the id of the CDP session behind it.
_TAIL = 130


class Verdict(Enum):
    """What becomes of an event: it is read, dropped and counted, or left out because no part of rove needs it."""

    READ = 1
    DROP = 2
    SKIP = 3


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


class Admission:
    """Decides on the events of a page, its frames and workers; or on those of the workers that pages share."""

    def __init__(self, main_frame: bytes = b"") -> None:
        self._main_frame = main_frame
        self._written = EventLimiter()
        self._requests = Bucket(MAX_REQUESTS_AT_ONCE, REQUESTS_PER_SECOND)
        self._frames = Bucket(MAX_FRAME_EVENTS_AT_ONCE, FRAME_EVENTS_PER_SECOND)
        # The ids of the requests that are followed, the oldest first.
        self._followed: dict[bytes, None] = {}
        self._document = b""
        self._refused_at = -UNKNOWN_SECONDS

    def verdict(self, method: bytes, data: bytes, size: int) -> Verdict:
        """Decide on an event by its first bytes."""
        decide = _DECISIONS.get(method)
        return Verdict.READ if decide is None else decide(self, method, data, size)

    def of_written(self, method: bytes, data: bytes, size: int) -> Verdict:
        """Decide on what a page writes: console messages, errors, messages of WebSockets."""
        return Verdict.READ if not is_limited(data) or self._written.admits(size) else Verdict.DROP

    def of_new_request(self, method: bytes, data: bytes, size: int) -> Verdict:
        """Follow a request, if the page has not sent too many."""
        if (match := _REQUEST.match(data)) is None:
            return Verdict.READ
        identity, now = match[1], time.monotonic()
        if identity == match[2] and self._main_frame and b'"frameId":"%b"' % self._main_frame in data:
            self._document = identity
        elif identity not in self._followed and not self._requests.take(now, 1 + size // BYTES_FOR_ONE):
            self._refused_at = now
            return Verdict.DROP
        self._follow(identity)
        return Verdict.READ

    def _follow(self, identity: bytes) -> None:
        self._followed[identity] = None
        if len(self._followed) > MAX_REQUESTS_AT_ONCE:
            del self._followed[next(iter(self._followed))]

    def of_request(self, method: bytes, data: bytes, size: int) -> Verdict:
        """Read an event of a request that is followed, and of one that is not known while all are."""
        match = _REQUEST.match(data)
        if match is None or match[1] in self._followed:
            return Verdict.READ
        is_known = match[1] == self._document or time.monotonic() - self._refused_at > UNKNOWN_SECONDS
        return Verdict.READ if is_known else Verdict.DROP

    def of_request_end(self, method: bytes, data: bytes, size: int) -> Verdict:
        verdict = self.of_request(method, data, size)
        if match := _REQUEST.match(data):
            self._followed.pop(match[1], None)
        return verdict

    def of_data(self, method: bytes, data: bytes, size: int) -> Verdict:
        """Read how much of the main document has arrived; of other requests it is told at their end."""
        match = _REQUEST.match(data)
        return Verdict.READ if match is None or match[1] == self._document else Verdict.SKIP

    def of_main_frame(self, method: bytes, data: bytes, size: int) -> Verdict:
        return Verdict.READ if self._is_main(method, data, _TO_FRAME_ID) else Verdict.SKIP

    def of_frame(self, method: bytes, data: bytes, size: int) -> Verdict:
        is_main = self._is_main(method, data, _TO_NAVIGATED_ID if method == b"Page.frameNavigated" else _TO_FRAME_ID)
        return Verdict.READ if is_main or self._admits_frame(size) else Verdict.DROP

    def of_new_context(self, method: bytes, data: bytes, size: int) -> Verdict:
        is_main = not self._main_frame or b'"frameId":"%b"' % self._main_frame in data[-_TAIL:]
        return Verdict.READ if is_main or self._admits_frame(size) else Verdict.DROP

    def of_ended_context(self, method: bytes, data: bytes, size: int) -> Verdict:
        return Verdict.READ if self._admits_frame(size) else Verdict.SKIP

    def _admits_frame(self, size: int) -> bool:
        return self._frames.take(time.monotonic(), 1 + size // BYTES_FOR_ONE)

    def _is_main(self, method: bytes, data: bytes, distance: int) -> bool:
        start = _METHOD_START + len(method) + distance
        return not self._main_frame or data[start : start + _ID_LENGTH] == self._main_frame


_DECISIONS: dict[bytes, Callable[[Admission, bytes, bytes, int], Verdict]] = {
    **dict.fromkeys(LIMITED_METHODS, Admission.of_written),
    **dict.fromkeys(_STARTS, Admission.of_new_request),
    **dict.fromkeys(_OF_REQUESTS, Admission.of_request),
    **dict.fromkeys(_ENDS, Admission.of_request_end),
    b"Network.dataReceived": Admission.of_data,
    **dict.fromkeys(_OF_MAIN_FRAME, Admission.of_main_frame),
    **dict.fromkeys(_OF_FRAMES, Admission.of_frame),
    b"Runtime.executionContextCreated": Admission.of_new_context,
    b"Runtime.executionContextDestroyed": Admission.of_ended_context,
}


def data_length(data: bytes) -> int:
    """Return how many bytes a `Network.dataReceived` event tells of."""
    match = _LENGTH.search(data)
    return int(match[1]) if match else 0
