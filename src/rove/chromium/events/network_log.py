"""What a tab asked of the network: the latest requests, and how many older ones were dropped."""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rove.browser.header_masking import truncate_headers
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.outcome import origin_in
from rove.proxy_headers import FAILURE_HEADER, REFUSED_HEADER

KEPT = 500
LONGEST_ADDRESS = 2000
MOST_EARLY = 50
# Where an answer came from, as the browser's flags say it; the first that is set.
_SOURCES = (
    ("fromServiceWorker", "service worker"),
    ("fromPrefetchCache", "prefetch cache"),
    ("fromDiskCache", "disk cache"),
)
# In the guard's own answers, which no other server's can be mistaken for: why it went no further than the guard.
_REFUSALS = ((REFUSED_HEADER, "not allowed"), (FAILURE_HEADER, "failed"))
Event = dict[str, Any]


@dataclass(slots=True)
class LoggedRequest:
    """One request, and what has come of it so far."""

    number: int
    identity: str
    cdp: CdpSession = field(repr=False)
    context: str
    # Of whoever asked.
    origin: str
    method: str
    url: str
    kind: str
    at: float
    began: float
    sent: dict[str, str]
    has_body: bool = False
    received: dict[str, str] = field(default_factory=dict[str, str])
    status: int | None = None
    mime: str = ""
    source: str | None = None
    size: int | None = None
    seconds: float | None = None
    failure: str | None = None
    is_exact: bool = False

    @property
    def has_failed(self) -> bool:
        return self.failure is not None or (self.status is not None and self.status >= 400)

    async def body_sent(self) -> bytes | None:
        """What was sent with it; None when the browser no longer has it."""
        try:
            answer = await self.cdp.send("Network.getRequestPostData", {"requestId": self.identity})
        except CdpError:
            return None
        data: str = answer["postData"]
        return data.encode("utf-8", "surrogatepass")

    async def body_received(self) -> bytes | None:
        """What came back; None when the browser does not have it, or no longer."""
        try:
            answer = await self.cdp.send("Network.getResponseBody", {"requestId": self.identity})
        except CdpError:
            return None
        body: str = answer["body"]
        return base64.b64decode(body) if answer["base64Encoded"] else body.encode("utf-8", "surrogatepass")


class NetworkLog:
    """A bounded record: a page that asks for much loses its oldest entries, and the record says how many."""

    def __init__(self, main_frame: str) -> None:
        self._main_frame = main_frame
        self._kept: deque[LoggedRequest] = deque()
        self._open: dict[str, LoggedRequest] = {}
        # Headers as they went out, told of before the request itself.
        self._early: dict[str, dict[str, str]] = {}
        self._numbers = 0
        self.dropped = 0

    def __iter__(self) -> Iterator[LoggedRequest]:
        return iter(self._kept)

    def find(self, number: int) -> LoggedRequest | None:
        return next((request for request in self._kept if request.number == number), None)

    def listen(self, cdp: CdpSession, context: str) -> None:
        """Keep what is asked for over a wire: a page's, a separate frame's or a worker's."""
        cdp.on("Network.requestWillBeSent", lambda event: self._on_request(event, cdp, context))
        cdp.on("Network.requestWillBeSentExtraInfo", self._on_sent)
        cdp.on("Network.requestServedFromCache", self._on_memory_cache)
        cdp.on("Network.responseReceived", self._on_response)
        cdp.on("Network.responseReceivedExtraInfo", self._on_received)
        cdp.on("Network.loadingFinished", self._on_finish)
        cdp.on("Network.loadingFailed", self._on_failure)
        cdp.on("Network.webSocketCreated", lambda event: self._on_socket(event, cdp, context))
        cdp.on("Network.webSocketWillSendHandshakeRequest", self._on_socket_request)
        cdp.on("Network.webSocketHandshakeResponseReceived", self._on_handshake)
        cdp.on("Network.webSocketFrameError", self._on_socket_error)
        cdp.on("Network.webSocketClosed", self._on_finish)

    def _on_request(self, event: Event, cdp: CdpSession, context: str) -> None:
        asked, before = event["request"], self._open.get(event["requestId"])
        if asked["url"].startswith("data:"):
            return  # never leaves the page
        if before is not None and "redirectResponse" not in event:
            return  # told of by two wires: a frame's own and its parent's
        if before is not None:
            self._answer(before, event["redirectResponse"])
            self._end(before, event)
        if context == "page" and event.get("frameId", self._main_frame) != self._main_frame:
            context = "frame"
        self._add(
            LoggedRequest(
                self._next(),
                event["requestId"],
                cdp,
                context,
                origin_in(event.get("documentURL")),
                asked["method"],
                asked["url"][:LONGEST_ADDRESS],
                event.get("type", "other").lower(),
                event["wallTime"],
                event["timestamp"],
                truncate_headers(asked["headers"]),
                asked.get("hasPostData", False),
            )
        )

    def _on_socket(self, event: Event, cdp: CdpSession, context: str) -> None:
        url = event["url"][:LONGEST_ADDRESS]
        # Who asked for a socket is not said; that may be anyone on the page.
        self._add(LoggedRequest(self._next(), event["requestId"], cdp, context, "", "GET", url, "websocket", 0, 0, {}))

    def _on_socket_request(self, event: Event) -> None:
        if request := self._open.get(event["requestId"]):
            request.at, request.began = event["wallTime"], event["timestamp"]
            request.sent = truncate_headers(event["request"]["headers"])

    def _on_handshake(self, event: Event) -> None:
        if request := self._open.get(event["requestId"]):
            request.status, request.source = event["response"]["status"], "network"
            request.received = truncate_headers(event["response"]["headers"])

    def _on_socket_error(self, event: Event) -> None:
        if request := self._open.get(event["requestId"]):
            request.failure = event["errorMessage"]

    def _on_sent(self, event: Event) -> None:
        """The headers as they went out, cookies and all."""
        request = self._open.get(event["requestId"])
        if request is not None and not request.is_exact:
            request.sent, request.is_exact = truncate_headers(event["headers"]), True
        else:
            self._early[event["requestId"]] = truncate_headers(event["headers"])
            if len(self._early) > MOST_EARLY:
                del self._early[next(iter(self._early))]

    def _on_received(self, event: Event) -> None:
        if request := self._open.get(event["requestId"]):
            request.received = truncate_headers(event["headers"])

    def _on_memory_cache(self, event: Event) -> None:
        if request := self._open.get(event["requestId"]):
            request.source = "memory cache"

    def _on_response(self, event: Event) -> None:
        if request := self._open.get(event["requestId"]):
            request.kind = event.get("type", request.kind).lower()
            self._answer(request, event["response"])

    def _answer(self, request: LoggedRequest, response: Event) -> None:
        request.status, request.mime = response["status"], response.get("mimeType", "")
        request.received = request.received or truncate_headers(response["headers"])
        found = (name for flag, name in _SOURCES if response.get(flag))
        request.source = request.source or next(found, "network")
        if request.url.startswith("http:"):  # over https it is no answer but a refused connection
            refusals = (f"{word}: {value}" for mark, word in _REFUSALS if (value := response["headers"].get(mark)))
            request.failure = next(refusals, None)

    def _on_finish(self, event: Event) -> None:
        if request := self._open.pop(event["requestId"], None):
            request.size = round(event.get("encodedDataLength", 0))
            self._end(request, event)

    def _on_failure(self, event: Event) -> None:
        if request := self._open.pop(event["requestId"], None):
            reason = event.get("blockedReason") or event.get("corsErrorStatus", {}).get("corsError")
            request.failure = event["errorText"] + (f" ({reason})" if reason else "")
            self._end(request, event)

    def _end(self, request: LoggedRequest, event: Event) -> None:
        began = request.began or event["timestamp"]
        request.seconds = max(event["timestamp"] - began, 0.0)

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers

    def _add(self, request: LoggedRequest) -> None:
        if len(self._kept) == KEPT:
            oldest = self._kept.popleft()
            self.dropped += 1
            if self._open.get(oldest.identity) is oldest:
                del self._open[oldest.identity]
        if (sent := self._early.pop(request.identity, None)) is not None:
            request.sent, request.is_exact = sent, True
        self._kept.append(request)
        self._open[request.identity] = request
