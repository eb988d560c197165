"""The network log of a tab, and network conditions for all of its context."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from rove.browser.chromium.connection import CdpError, CdpSession
from rove.browser.chromium.frames import FrameOrigins
from rove.browser.logs import MAX_MESSAGE_LENGTH, NetworkMessage, PageLoad, RequestTiming, Transport
from rove.browser.network import Throttling, truncate_headers
from rove.browser.shared import logs, resources
from rove.browser.shared.logs import MAX_EARLY, MAX_PAGES, MAX_URL_LENGTH, proxy_refusal, source_location
from rove.tasks import Signal

BYTES_PER_KILOBIT = 125
Event = dict[str, Any]
# Opcodes of WebSocket frames. Others, such as pings, carry nothing for the page.
_TEXT, _BINARY = 1, 2

# The source of a response by the flag that CDP sets for it; the first that is set counts.
_SOURCES = (
    ("fromServiceWorker", "service worker"),
    ("fromPrefetchCache", "prefetch cache"),
    ("fromDiskCache", "disk cache"),
)
# Seconds in which headers are waited for that come in an event of their own.
LATE_HEADERS_SECONDS = 1.0
# Events by which the browser tells of a new request.
_STARTS = frozenset({"Network.requestWillBeSent", "Network.webSocketCreated"})


class NetworkConditions(resources.NetworkConditions):
    """Emulates being offline or slow. CDP sessions that are added later get the current state."""

    def __init__(self) -> None:
        super().__init__()
        self._cdp_sessions: set[CdpSession] = set()

    async def add(self, cdp: CdpSession) -> None:
        """Apply the conditions to a CDP session, now and whenever they change."""
        if cdp not in self._cdp_sessions:
            self._cdp_sessions.add(cdp)
            cdp.on("closed", lambda _: self._cdp_sessions.discard(cdp))
        if self.is_offline or self.throttling != Throttling():
            await self._apply(cdp)

    async def set_offline(self, offline: bool) -> None:
        self.is_offline = offline
        await self._apply_to_all()

    async def throttle(self, throttling: Throttling) -> None:
        self.throttling = throttling
        await self._apply_to_all()

    async def _apply_to_all(self) -> None:
        await asyncio.gather(*map(self._apply, list(self._cdp_sessions)))

    async def _apply(self, cdp: CdpSession) -> None:
        conditions = {
            "offline": self.is_offline,
            "latency": self.throttling.latency,
            "downloadThroughput": _bytes_per_second(self.throttling.download),
            "uploadThroughput": _bytes_per_second(self.throttling.upload),
        }
        await asyncio.gather(
            _send(cdp, "Network.emulateNetworkConditions", conditions),
            _send(cdp, "Emulation.setCPUThrottlingRate", {"rate": self.throttling.cpu}),
        )


async def _send(cdp: CdpSession, method: str, params: dict[str, Any]) -> None:
    # The target was closed meanwhile, or it is a worker, of which the processor cannot be throttled.
    with contextlib.suppress(CdpError):
        await cdp.send(method, params)


def _bytes_per_second(kilobits: float | None) -> float:
    """Return a rate as CDP counts it; -1 is no limit."""
    return -1 if kilobits is None else kilobits * BYTES_PER_KILOBIT


def initiator_text(initiator: Event) -> str:
    """Return who started a request and, where it is known, at which place: `script https://example.com/app.js:3:9`."""
    kind = str(initiator.get("type", "other"))
    return f"{kind} {place}" if (place := _place(initiator)) else kind


def _place(initiator: Event) -> str:
    stack = initiator.get("stack")
    while stack is not None:  # the frames of a timer or a promise are those of its parent
        if place := next(filter(None, map(source_location, stack["callFrames"])), ""):
            return place
        stack = stack.get("parent")
    return source_location(initiator)


def timing_of(timing: Event | None, began: float) -> RequestTiming:
    """Return the phases until the response's headers; `began` is when the request was made, as CDP counts seconds."""
    if not timing:
        return RequestTiming()
    return RequestTiming(
        queued=_milliseconds(timing["requestTime"] - began + max(timing["sendStart"], 0) / 1000 - _setup(timing)),
        dns=_phase(timing, "dnsStart", "dnsEnd"),
        connect=_phase(timing, "connectStart", "connectEnd"),
        tls=_phase(timing, "sslStart", "sslEnd"),
        send=_phase(timing, "sendStart", "sendEnd"),
        wait=_phase(timing, "sendEnd", "receiveHeadersEnd"),
    )


def transport_of(response: Event) -> Transport:
    """Return how a response came. An address of this machine is left out: it is that of rove's proxy."""
    address = str(response.get("remoteIPAddress", "")).strip("[]")
    is_proxy = not address or address.startswith("127.") or address == "::1"
    return Transport(
        str(response.get("protocol", "")), "" if is_proxy else address, str(response.get("statusText", ""))
    )


def received_after(timing: Event | None, finished: float) -> float | None:
    """Return the milliseconds from the response's headers to its end."""
    if not timing or timing["receiveHeadersEnd"] < 0:
        return None
    return _milliseconds(finished - timing["requestTime"] - timing["receiveHeadersEnd"] / 1000)


def _setup(timing: Event) -> float:
    """Return the seconds that finding and connecting to the server took."""
    phases = (_phase(timing, "dnsStart", "dnsEnd"), _phase(timing, "connectStart", "connectEnd"))
    return sum(phase or 0.0 for phase in phases) / 1000


def _phase(timing: Event, start: str, end: str) -> float | None:
    """Return the milliseconds between two moments; None if the phase did not take place, which CDP tells by -1."""
    if timing.get(start, -1) < 0 or timing.get(end, -1) < 0:
        return None
    took: float = timing[end] - timing[start]
    return round(max(took, 0.0), 1)


def _milliseconds(seconds: float) -> float:
    return round(max(seconds, 0.0) * 1000, 1)


def websocket_message(direction: Literal["sent", "received"], frame: Event, at: float) -> NetworkMessage | None:
    """Return a frame of a WebSocket; None if it carries no data. Binary data is told in base64."""
    if frame["opcode"] not in (_TEXT, _BINARY):
        return None
    data: str = frame["payloadData"]
    is_binary = frame["opcode"] == _BINARY
    size = len(data) * 3 // 4 - data[-2:].count("=") if is_binary else len(data)
    return NetworkMessage(direction, at, data[:MAX_MESSAGE_LENGTH], size, is_binary=is_binary)


def server_sent_event(event: Event, at: float) -> NetworkMessage:
    data: str = event["data"]
    return NetworkMessage("received", at, data[:MAX_MESSAGE_LENGTH], len(data), event["eventName"][:MAX_MESSAGE_LENGTH])


class PageLoads:
    """The latest documents of the main frame of a tab."""

    def __init__(self, main_frame: str) -> None:
        self._main_frame = main_frame
        self._pages: deque[PageLoad] = deque(maxlen=MAX_PAGES)
        self._last_number = 0
        # The loader of the latest document, and when its request was made, as CDP counts seconds.
        self._loader = ""
        self._began = 0.0

    @property
    def listed(self) -> tuple[PageLoad, ...]:
        return tuple(self._pages)

    def note_request(self, event: Event, max_url: int) -> int:
        """Return the number of the document that a request belongs to: a new one if it is the request for that."""
        is_document = event.get("frameId") == self._main_frame and event["requestId"] == event.get("loaderId")
        if is_document and "redirectResponse" not in event:
            self._last_number += 1
            self._loader, self._began = event["loaderId"], event["timestamp"]
            self._pages.append(PageLoad(self._last_number, event["request"]["url"][:max_url], event["wallTime"]))
        return self._last_number

    def on_lifecycle(self, event: Event) -> None:
        """Note when the document was parsed, and when it was loaded with all that belongs to it."""
        if not self._pages or event.get("loaderId") != self._loader or event["frameId"] != self._main_frame:
            return
        page = self._pages[-1]
        moment = page.at + event["timestamp"] - self._began
        if event["name"] == "DOMContentLoaded":
            page.parsed = moment
        elif event["name"] == "load":
            page.loaded = moment


@dataclass(slots=True, kw_only=True)
class LoggedRequest(logs.LoggedRequest):
    """One request and the response to it, as far as it has arrived."""

    cdp: CdpSession = field(repr=False)
    are_headers_exact: bool = False
    # Whether the headers of the response as they arrived, cookies included, are still to come in an event of their own.
    awaits_headers: bool = False
    # The timing as CDP reports it with the response, until the end of the response is known.
    reported_timing: Event | None = field(default=None, repr=False)

    async def request_body(self) -> bytes | None:
        try:
            answer = await self.cdp.send("Network.getRequestPostData", {"requestId": self.identity})
        except CdpError:
            return None
        data: str = answer["postData"]
        return data.encode("utf-8", "surrogatepass")

    async def response_body(self) -> bytes | None:
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


class NetworkLog(logs.NetworkLog[LoggedRequest]):
    """The latest requests of a page, its frames and workers."""

    def __init__(self, main_frame: str, origins: FrameOrigins) -> None:
        super().__init__()
        self._main_frame = main_frame
        self._origins = origins
        # Headers from `requestWillBeSentExtraInfo` events that came before their `requestWillBeSent`.
        self._early_headers: dict[str, dict[str, str]] = {}
        # Requests that have ended before the headers of their responses were told, by their numbers.
        self._ended_early: dict[int, LoggedRequest] = {}
        self._headers_told = Signal()
        self._page_loads = PageLoads(main_frame)

    @property
    def pages(self) -> Sequence[PageLoad]:
        return self._page_loads.listed

    async def catch_up(self) -> None:
        """Wait for the headers that Chromium tells after a response, cookies included, of the responses so far."""
        late = [request for request in self._requests if request.awaits_headers]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LATE_HEADERS_SECONDS):
                while any(request.awaits_headers for request in late):
                    await self._headers_told.wait()
        for request in late:
            self._end_waiting(request)

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
            self._note_late_headers(previous, event.get("redirectHasExtraInfo", False))
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
            for each in [*self._sharing(event.get("requestId", ""))]:
                self._end_waiting(each)
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
        sharing, status = [*self._sharing(event["requestId"])], event.get("statusCode")
        # A redirect has the id of the request that follows it, which may have begun.
        redirect = next((each for each in sharing if each.awaits_headers and each.status == status), None)
        if request := redirect or next(reversed(sharing), None):
            request.response_headers = truncate_headers(event["headers"])
            self._end_waiting(request)

    def _sharing(self, identity: str) -> Iterator[LoggedRequest]:
        """Yield the requests with an id whose headers may still come, the oldest first."""
        yield from (request for request in self._ended_early.values() if request.identity == identity)
        if request := self._pending.get(identity):
            yield request

    def _note_late_headers(self, request: LoggedRequest, has_extra_info: bool) -> None:
        # Told before the response, they are the headers of the request already.
        request.awaits_headers = has_extra_info and not request.response_headers

    def _end_waiting(self, request: LoggedRequest) -> None:
        """Note that the headers of a response are known, or will never be; report the request if it has ended."""
        request.awaits_headers = False
        if self._ended_early.pop(request.number, None):
            self._report(request)
        self._headers_told.send()

    def _on_served_from_cache(self, event: Event) -> None:
        if request := self._pending.get(event["requestId"]):
            request.source = "memory cache"

    def _on_response(self, event: Event) -> None:
        if request := self._pending.get(event["requestId"]):
            request.kind = event.get("type", request.kind).lower()
            self._note_late_headers(request, event.get("hasExtraInfo", False))
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
        self._ended_early[request.number] = request
        if len(self._ended_early) > MAX_EARLY:
            self._end_waiting(next(iter(self._ended_early.values())))

    def _add(self, request: LoggedRequest) -> None:
        if (sent := self._early_headers.pop(request.identity, None)) is not None:
            request.request_headers, request.are_headers_exact = sent, True
        super()._add(request)
