"""The network log of a tab: the latest requests with their responses."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from rove.browser.network.header_masking import truncate_headers
from rove.browser.network.request_data import PageLoad, Transport
from rove.chromium.events.request_details import (
    PageLoads,
    initiator_text,
    received_after,
    server_sent_event,
    timing_of,
    transport_of,
    websocket_message,
)
from rove.chromium.frames.frame_origins import FrameOrigins
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.page.logs import network_log
from rove.page.logs.network_log import MAX_EARLY, MAX_URL_LENGTH, proxy_refusal

# The source of a response by the flag that CDP sets for it; the first that is set counts.
_SOURCES = (
    ("fromServiceWorker", "service worker"),
    ("fromPrefetchCache", "prefetch cache"),
    ("fromDiskCache", "disk cache"),
)
# Events by which the browser tells of a new request.
_STARTS = frozenset({"Network.requestWillBeSent", "Network.webSocketCreated"})
Event = dict[str, Any]


@dataclass(slots=True, kw_only=True)
class LoggedRequest(network_log.LoggedRequest):
    """One request and the response to it, as far as it has arrived."""

    cdp: CdpSession = field(repr=False)
    are_headers_exact: bool = False
    # Whether the headers of the response as they arrived, cookies included, are still to come in an event of their own.
    awaits_headers: bool = False
    # The timing as CDP reports it with the response, until the end of the response is known.
    reported_timing: Event | None = field(default=None, repr=False)

    async def request_body(self) -> bytes | None:
        """Return the request body; None if the browser no longer has it."""
        try:
            answer = await self.cdp.send("Network.getRequestPostData", {"requestId": self.identity})
        except CdpError:
            return None
        data: str = answer["postData"]
        return data.encode("utf-8", "surrogatepass")

    async def response_body(self) -> bytes | None:
        """Return the response body; None if the browser does not have it, or no longer."""
        try:
            answer = await self.cdp.send("Network.getResponseBody", {"requestId": self.identity})
        except CdpError:
            return None
        body: str = answer["body"]
        return base64.b64decode(body) if answer["base64Encoded"] else body.encode("utf-8", "surrogatepass")


def _moment(request: LoggedRequest, event: Event) -> float:
    """Return when an event of a request was, in seconds since the epoch; CDP counts from another moment."""
    after: float = event["timestamp"] - request.began
    return request.at + after


class NetworkLog(network_log.NetworkLog[LoggedRequest]):
    """The latest requests of a page, its frames and workers."""

    def __init__(self, main_frame: str, origins: FrameOrigins) -> None:
        super().__init__()
        self._main_frame = main_frame
        self._origins = origins
        # Headers from `requestWillBeSentExtraInfo` events that came before their `requestWillBeSent`.
        self._early_headers: dict[str, dict[str, str]] = {}
        # Requests that have ended before the headers of their responses were told.
        self._ended_early: dict[str, LoggedRequest] = {}
        self._page_loads = PageLoads(main_frame)

    @property
    def pages(self) -> Sequence[PageLoad]:
        return self._page_loads.listed

    def sender(self, entry: Event) -> str | None:
        """Return the origin of the document that sent the request which an entry of the browser's log is about."""
        identity = entry.get("networkRequestId")
        return next((request.origin for request in reversed(self._requests) if request.identity == identity), None)

    def listen(self, cdp: CdpSession, context: str) -> None:
        """Log the requests of a CDP session: of a page, of a frame in another process or of a worker."""
        cdp.on("Network.requestWillBeSent", lambda event: self._on_request(event, cdp, context))
        cdp.on("Network.requestWillBeSentExtraInfo", self._on_request_headers)
        cdp.on("Network.requestServedFromCache", self._on_served_from_cache)
        cdp.on("Network.responseReceived", self._on_response)
        cdp.on("Network.responseReceivedExtraInfo", self._on_response_headers)
        cdp.on("Network.loadingFinished", self._on_finish)
        cdp.on("Network.loadingFailed", self._on_failure)
        cdp.on("Network.webSocketCreated", lambda event: self._on_websocket(event, cdp, context))
        cdp.on("Network.webSocketWillSendHandshakeRequest", self._on_websocket_request)
        cdp.on("Network.webSocketHandshakeResponseReceived", self._on_websocket_response)
        cdp.on("Network.webSocketFrameError", self._on_websocket_error)
        cdp.on("Network.webSocketFrameSent", lambda event: self._on_websocket_frame("sent", event))
        cdp.on("Network.webSocketFrameReceived", lambda event: self._on_websocket_frame("received", event))
        cdp.on("Network.webSocketClosed", self._on_finish)
        cdp.on("Network.eventSourceMessageReceived", self._on_server_sent_event)
        cdp.on("Page.lifecycleEvent", self._page_loads.on_lifecycle)
        cdp.on("dropped", self._on_dropped)

    def _on_request(self, event: Event, cdp: CdpSession, context: str) -> None:
        request, previous = event["request"], self._pending.get(event["requestId"])
        if request["url"].startswith("data:"):
            return  # never leaves the page
        if previous is not None and "redirectResponse" not in event:
            return  # reported by two CDP sessions: the frame's and its parent's
        if previous is not None:
            self._set_response(previous, event["redirectResponse"])
            self._end(previous, event)
        if context == "page" and event.get("frameId", self._main_frame) != self._main_frame:
            context = "frame"
        self._add(
            LoggedRequest(
                self._next_number(),
                event["requestId"],
                context,
                self._origins.of_document(event.get("documentURL", ""), event.get("frameId")),
                request["method"],
                request["url"][:MAX_URL_LENGTH],
                event.get("type", "other").lower(),
                event["wallTime"],
                event["timestamp"],
                truncate_headers(request["headers"]),
                request.get("hasPostData", False),
                initiator=initiator_text(event.get("initiator", {})),
                page=self._page_loads.note_request(event, MAX_URL_LENGTH),
                cdp=cdp,
            )
        )

    def _on_websocket(self, event: Event, cdp: CdpSession, context: str) -> None:
        url = event["url"][:MAX_URL_LENGTH]
        origin = ""  # CDP does not report which frame opened a WebSocket
        self._add(
            LoggedRequest(
                self._next_number(),
                event["requestId"],
                context,
                origin,
                "GET",
                url,
                "websocket",
                0,
                0,
                {},
                initiator=initiator_text(event.get("initiator", {})),
                page=self.pages[-1].number if self.pages else 0,
                cdp=cdp,
            )
        )

    def _on_websocket_request(self, event: Event) -> None:
        if request := self._pending.get(event["requestId"]):
            request.at, request.began = event["wallTime"], event["timestamp"]
            request.request_headers = truncate_headers(event["request"]["headers"])
            request.origin = request.request_headers.get("Origin", request.origin)

    def _on_websocket_response(self, event: Event) -> None:
        if request := self._pending.get(event["requestId"]):
            request.status, request.source = event["response"]["status"], "network"
            request.response_headers = truncate_headers(event["response"]["headers"])
            request.transport = Transport("http/1.1", status_text=event["response"].get("statusText", ""))

    def _on_websocket_error(self, event: Event) -> None:
        if request := self._pending.get(event["requestId"]):
            request.failure = event["errorMessage"]

    def _on_websocket_frame(self, direction: Literal["sent", "received"], event: Event) -> None:
        request = self._pending.get(event["requestId"])
        if request is None:
            return
        message = websocket_message(direction, event["response"], _moment(request, event))
        if message is not None:
            request.messages.add(message)

    def _on_server_sent_event(self, event: Event) -> None:
        if request := self._pending.get(event["requestId"]):
            request.messages.add(server_sent_event(event, _moment(request, event)))

    def _on_dropped(self, event: Event) -> None:
        if event["method"] in _STARTS:
            self.unrecorded += 1
        elif event["method"] == "Network.responseReceivedExtraInfo":
            self._end_waiting(event.get("requestId", ""))
        elif request := self._pending.get(event.get("requestId", "")):
            request.messages.dropped += 1

    def _on_request_headers(self, event: Event) -> None:
        """Log the headers exactly as they were sent, including cookies."""
        request = self._pending.get(event["requestId"])
        if request is not None and not request.are_headers_exact:
            request.request_headers, request.are_headers_exact = truncate_headers(event["headers"]), True
        else:
            self._early_headers[event["requestId"]] = truncate_headers(event["headers"])
            if len(self._early_headers) > MAX_EARLY:
                del self._early_headers[next(iter(self._early_headers))]

    def _on_response_headers(self, event: Event) -> None:
        identity = event["requestId"]
        if request := self._pending.get(identity) or self._ended_early.get(identity):
            request.response_headers = truncate_headers(event["headers"])
        self._end_waiting(identity)

    def _end_waiting(self, identity: str) -> None:
        """Note that the headers of a response are known, or will never be; report the request if it has ended."""
        if request := self._pending.get(identity):
            request.awaits_headers = False
        if ended := self._ended_early.pop(identity, None):
            self._report(ended)

    def _on_served_from_cache(self, event: Event) -> None:
        if request := self._pending.get(event["requestId"]):
            request.source = "memory cache"

    def _on_response(self, event: Event) -> None:
        if request := self._pending.get(event["requestId"]):
            request.kind = event.get("type", request.kind).lower()
            # Told before this event, they are the headers of the request already.
            request.awaits_headers = event.get("hasExtraInfo", False) and not request.response_headers
            self._set_response(request, event["response"])

    def _set_response(self, request: LoggedRequest, response: Event) -> None:
        request.status, request.mime = response["status"], response.get("mimeType", "")
        request.response_headers = request.response_headers or truncate_headers(response["headers"])
        sources = (name for flag, name in _SOURCES if response.get(flag))
        request.source = request.source or next(sources, "network")
        request.transport = transport_of(response)
        request.reported_timing = response.get("timing")
        request.timing = timing_of(request.reported_timing, request.began)
        request.failure = proxy_refusal(request.url, response["headers"])

    def _on_finish(self, event: Event) -> None:
        if request := self._pending.pop(event["requestId"], None):
            request.size = round(event.get("encodedDataLength", 0))
            received = received_after(request.reported_timing, event["timestamp"])
            request.timing = replace(request.timing, receive=received)
            self._end(request, event)

    def _on_failure(self, event: Event) -> None:
        if request := self._pending.pop(event["requestId"], None):
            reason = event.get("blockedReason") or event.get("corsErrorStatus", {}).get("corsError")
            request.failure = event["errorText"] + (f" ({reason})" if reason else "")
            self._end(request, event)

    def _end(self, request: LoggedRequest, event: Event) -> None:
        began = request.began or event["timestamp"]
        request.seconds = max(event["timestamp"] - began, 0.0)
        if not request.awaits_headers:
            self._report(request)
            return
        self._ended_early[request.identity] = request
        if len(self._ended_early) > MAX_EARLY:
            self._end_waiting(next(iter(self._ended_early)))

    def _add(self, request: LoggedRequest) -> None:
        if (sent := self._early_headers.pop(request.identity, None)) is not None:
            request.request_headers, request.are_headers_exact = sent, True
        super()._add(request)
