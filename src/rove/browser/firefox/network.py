"""The network log of a tab, as Firefox reports requests, and network conditions for all of its context."""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rove.browser.firefox.connection import BidiConnection, BidiError, PageChannel
from rove.browser.firefox.workers import WorkerScripts
from rove.browser.logs import PageLoad, RequestTiming, Transport
from rove.browser.network import Throttling, truncate_headers
from rove.browser.shared import logs, resources
from rove.browser.shared.frames import FrameOrigins
from rove.browser.shared.loading import ABORTED
from rove.browser.shared.logs import MAX_PAGES, MAX_URL_LENGTH, proxy_refusal, source_location
from rove.errors import Unsupported

BLOCKED = "net::ERR_BLOCKED_BY_CLIENT"
UNKNOWN = "net::ERR_FAILED"
_NAMES = {
    "NS_BINDING_ABORTED": "ERR_ABORTED",
    "NS_BINDING_REDIRECTED": "ERR_ABORTED",
    "NS_BINDING_CANCELLED_OLD_LOAD": "ERR_ABORTED",
    "NS_ERROR_ABORT": "ERR_ABORTED",
    "NS_ERROR_BLOCKED_BY_POLICY": "ERR_BLOCKED_BY_CLIENT",
    "NS_ERROR_CONNECTION_REFUSED": "ERR_CONNECTION_REFUSED",
    "NS_ERROR_NET_RESET": "ERR_CONNECTION_RESET",
    "NS_ERROR_NET_INTERRUPT": "ERR_CONNECTION_CLOSED",
    "NS_ERROR_NET_EMPTY_RESPONSE": "ERR_EMPTY_RESPONSE",
    "NS_ERROR_NET_PARTIAL_TRANSFER": "ERR_CONTENT_LENGTH_MISMATCH",
    "NS_ERROR_NET_TIMEOUT": "ERR_CONNECTION_TIMED_OUT",
    "NS_ERROR_UNKNOWN_HOST": "ERR_NAME_NOT_RESOLVED",
    "NS_ERROR_UNKNOWN_PROXY_HOST": "ERR_PROXY_CONNECTION_FAILED",
    "NS_ERROR_PROXY_CONNECTION_REFUSED": "ERR_PROXY_CONNECTION_FAILED",
    "NS_ERROR_PROXY_AUTHENTICATION_FAILED": "ERR_PROXY_AUTH_REQUESTED",
    "NS_ERROR_PROXY_BAD_GATEWAY": "ERR_TUNNEL_CONNECTION_FAILED",
    "NS_ERROR_PROXY_FORBIDDEN": "ERR_TUNNEL_CONNECTION_FAILED",
    "NS_ERROR_PROXY_GATEWAY_TIMEOUT": "ERR_TUNNEL_CONNECTION_FAILED",
    "NS_ERROR_PROXY_SERVICE_UNAVAILABLE": "ERR_TUNNEL_CONNECTION_FAILED",
    "NS_ERROR_OFFLINE": "ERR_INTERNET_DISCONNECTED",
    "NS_ERROR_PORT_ACCESS_NOT_ALLOWED": "ERR_UNSAFE_PORT",
    "NS_ERROR_UNKNOWN_PROTOCOL": "ERR_UNKNOWN_URL_SCHEME",
    "NS_ERROR_MALFORMED_URI": "ERR_INVALID_URL",
    "NS_ERROR_INVALID_CONTENT_ENCODING": "ERR_CONTENT_DECODING_FAILED",
    "NS_ERROR_CORRUPTED_CONTENT": "ERR_CONTENT_DECODING_FAILED",
    "NS_ERROR_REDIRECT_LOOP": "ERR_TOO_MANY_REDIRECTS",
    "NS_ERROR_UNSAFE_CONTENT_TYPE": "ERR_BLOCKED_BY_RESPONSE",
    "NS_ERROR_XFO_VIOLATION": "ERR_BLOCKED_BY_RESPONSE",
    "NS_ERROR_CSP_FRAME_ANCESTOR_VIOLATION": "ERR_BLOCKED_BY_RESPONSE",
    "NS_ERROR_DOM_CORP_FAILED": "ERR_BLOCKED_BY_RESPONSE",
    "NS_ERROR_DOM_BAD_URI": "ERR_ACCESS_DENIED",
    "SEC_ERROR_EXPIRED_CERTIFICATE": "ERR_CERT_DATE_INVALID",
    "MOZILLA_PKIX_ERROR_NOT_YET_VALID_CERTIFICATE": "ERR_CERT_DATE_INVALID",
    "SSL_ERROR_BAD_CERT_DOMAIN": "ERR_CERT_COMMON_NAME_INVALID",
    "SEC_ERROR_UNKNOWN_ISSUER": "ERR_CERT_AUTHORITY_INVALID",
    "MOZILLA_PKIX_ERROR_SELF_SIGNED_CERT": "ERR_CERT_AUTHORITY_INVALID",
    "SEC_ERROR_CA_CERT_INVALID": "ERR_CERT_AUTHORITY_INVALID",
    "SEC_ERROR_REVOKED_CERTIFICATE": "ERR_CERT_REVOKED",
    "SEC_ERROR_CERT_SIGNATURE_ALGORITHM_DISABLED": "ERR_CERT_WEAK_SIGNATURE_ALGORITHM",
    "SSL_ERROR_RX_RECORD_TOO_LONG": "ERR_SSL_PROTOCOL_ERROR",
    "SSL_ERROR_UNSUPPORTED_VERSION": "ERR_SSL_VERSION_OR_CIPHER_MISMATCH",
    "SSL_ERROR_NO_CYPHER_OVERLAP": "ERR_SSL_VERSION_OR_CIPHER_MISMATCH",
    "SSL_ERROR_PROTOCOL_VERSION_ALERT": "ERR_SSL_VERSION_OR_CIPHER_MISMATCH",
    # What `browsingContext.navigate` says in place of the name of a certificate error or an error page.
    "deniedPortAccess": "ERR_UNSAFE_PORT",
    "dnsNotFound": "ERR_NAME_NOT_RESOLVED",
    "connectionFailure": "ERR_CONNECTION_REFUSED",
    "netReset": "ERR_CONNECTION_RESET",
    "netInterrupt": "ERR_CONNECTION_CLOSED",
    "netTimeout": "ERR_CONNECTION_TIMED_OUT",
    "netOffline": "ERR_INTERNET_DISCONNECTED",
    "proxyConnectFailure": "ERR_PROXY_CONNECTION_FAILED",
    "proxyResolveFailure": "ERR_PROXY_CONNECTION_FAILED",
    "redirectLoop": "ERR_TOO_MANY_REDIRECTS",
    "unknownProtocolFound": "ERR_UNKNOWN_URL_SCHEME",
    "malformedURI": "ERR_INVALID_URL",
    "contentEncodingError": "ERR_CONTENT_DECODING_FAILED",
    "corruptedContentErrorv2": "ERR_CONTENT_DECODING_FAILED",
    "xfoError": "ERR_BLOCKED_BY_RESPONSE",
    "cspError": "ERR_BLOCKED_BY_RESPONSE",
}
Event = dict[str, Any]
# What a request is for, in Chromium's words, by Firefox's `destination` and `initiatorType`.
_KINDS = {
    "audio": "media", "video": "media", "track": "texttrack", "document": "document", "iframe": "document",
    "frame": "document", "embed": "other", "object": "other", "font": "font", "image": "image", "manifest": "manifest",
    "script": "script", "style": "stylesheet", "worker": "script", "sharedworker": "script", "serviceworker": "script",
    "xslt": "other", "json": "fetch",
}  # fmt: skip
_INITIATORS = {"fetch": "fetch", "xmlhttprequest": "xhr", "beacon": "ping", "websocket": "websocket"}
# Larger bodies are not fetched.
MAX_BODY_BYTES = 50_000_000


def chromium_name(error: str) -> str:
    """Return Chromium's name of an error, such as `net::ERR_CONNECTION_REFUSED`."""
    name = error.removeprefix("Error: ").strip()
    if known := _NAMES.get(name):
        return f"net::{known}"
    if name.startswith(("SEC_ERROR_", "MOZILLA_PKIX_ERROR_")):
        return "net::ERR_CERT_INVALID"
    return "net::ERR_SSL_PROTOCOL_ERROR" if name.startswith("SSL_ERROR_") else UNKNOWN


def text_of(value: Event) -> str:
    """Return a value that Firefox reports as text or, where it is none, as base64."""
    if value["type"] == "string":
        return str(value["value"])
    return base64.b64decode(value["value"]).decode("utf-8", "replace")


def bytes_of(value: Event) -> bytes:
    """Return a value that Firefox reports as text or as base64."""
    if value["type"] == "base64":
        return base64.b64decode(value["value"])
    text: str = value["value"]
    return text.encode("utf-8", "surrogatepass")


def headers_of(message: Event) -> dict[str, str]:
    """Return the headers of a request or a response; those that are there more than once, in lines."""
    headers: dict[str, str] = {}
    for header in message["headers"]:
        value = text_of(header["value"])
        headers[header["name"]] = f"{headers[header['name']]}\n{value}" if header["name"] in headers else value
    return headers


def kind_of(request: Event) -> str:
    """Return what a request is for: `document`, `script`, `fetch` and so on."""
    initiator = (request.get("initiatorType") or "").lower()
    kind = _INITIATORS.get(initiator) or _KINDS.get((request.get("destination") or "").lower()) or initiator
    return kind or _kind_by_headers({name.lower(): value for name, value in headers_of(request).items()})


def _kind_by_headers(headers: dict[str, str]) -> str:
    """Return the kind of a request that Firefox has no name for."""
    if "sec-websocket-key" in headers:
        return "websocket"
    return "eventsource" if headers.get("accept") == "text/event-stream" else "other"


def initiator_of(event: Event) -> str:
    """Return who started a request, and at which place: `script https://example.com/app.js:3:9`."""
    initiator = event.get("initiator") or {}
    kind = str(initiator.get("type", "other"))
    frames = (initiator.get("stackTrace") or {}).get("callFrames") or []
    return f"{kind} {source_location(frames[0])}".strip() if frames else kind


def timing_of(request: Event) -> RequestTiming:
    """Return how long each phase of a request took; Firefox reports moments in milliseconds."""
    moments = request.get("timings") or {}

    def phase(start: str, end: str) -> float | None:
        began, ended = moments.get(start) or 0, moments.get(end) or 0
        return round(ended - began, 1) if began and ended > began else None

    return RequestTiming(
        queued=phase("requestTime", "dnsStart"),
        dns=phase("dnsStart", "dnsEnd"),
        connect=phase("connectStart", "connectEnd"),
        tls=phase("tlsStart", "tlsEnd"),
        wait=phase("requestStart", "responseStart"),
        receive=phase("responseStart", "responseEnd"),
    )


@dataclass(slots=True, kw_only=True)
class LoggedRequest(logs.LoggedRequest):
    """One request and the response to it, as far as it has arrived."""

    channel: PageChannel = field(repr=False)

    async def request_body(self) -> bytes | None:
        return await self._body("request")

    async def response_body(self) -> bytes | None:
        return await self._body("response")

    async def _body(self, kind: str) -> bytes | None:
        params = {"dataType": kind, "request": self.identity}
        try:
            answer = await self.channel.connection.send("network.getData", params, max_bytes=MAX_BODY_BYTES)
        except BidiError:
            return None
        return bytes_of(answer["bytes"])


class NetworkLog(logs.NetworkLog[LoggedRequest]):
    """The latest requests of a page, its frames and dedicated workers."""

    def __init__(self, origins: FrameOrigins) -> None:
        super().__init__()
        self._origins = origins
        self._pages: deque[PageLoad] = deque(maxlen=MAX_PAGES)
        # The navigation to the latest document.
        self._navigation = ""
        self._workers = WorkerScripts()

    @property
    def pages(self) -> Sequence[PageLoad]:
        return tuple(self._pages)

    def listen(self, channel: PageChannel) -> None:
        channel.on("network.beforeRequestSent", lambda event: self._on_request(event, channel))
        channel.on("network.responseStarted", self._on_response)
        channel.on("network.responseCompleted", self._on_completed)
        channel.on("network.fetchError", self._on_failure)
        channel.on("browsingContext.domContentLoaded", lambda event: self._on_stage(event, channel))
        channel.on("browsingContext.load", lambda event: self._on_stage(event, channel, is_loaded=True))
        channel.on("dropped", self._on_dropped)
        self._workers.listen(channel)

    def _on_request(self, event: Event, channel: PageChannel) -> None:
        request = event["request"]
        if request["url"].startswith("data:"):
            return  # never leaves the page
        at, headers = event["timestamp"] / 1000, headers_of(request)
        self._add(
            LoggedRequest(
                self._next_number(),
                request["request"],
                self._sender(event, channel, headers.get("Referer", "")),
                self._origins.of(event["context"]),
                request["method"],
                request["url"][:MAX_URL_LENGTH],
                kind_of(request),
                at,
                at,
                truncate_headers(headers),
                bool(request.get("bodySize")),
                initiator=initiator_of(event),
                page=self._page_of(event, channel, at),
                channel=channel,
            )
        )

    def _page_of(self, event: Event, channel: PageChannel, at: float) -> int:
        """Return the number of the document that a request belongs to: a new one if it is the request for that."""
        is_document = event.get("navigation") is not None and event["context"] == channel.context
        last = self._pages[-1].number if self._pages else 0
        if not is_document or event.get("redirectCount"):
            return last
        self._pages.append(PageLoad(last + 1, event["request"]["url"][:MAX_URL_LENGTH], at))
        self._navigation = event["navigation"]
        return last + 1

    def _on_stage(self, event: Event, channel: PageChannel, is_loaded: bool = False) -> None:
        """Note when the document was parsed, and when it was loaded with all that belongs to it."""
        if not self._pages or event["context"] != channel.context or event["navigation"] != self._navigation:
            return
        if is_loaded:
            self._pages[-1].loaded = event["timestamp"] / 1000
        else:
            self._pages[-1].parsed = event["timestamp"] / 1000

    def _sender(self, event: Event, channel: PageChannel, referrer: str) -> str:
        """Return what sent a request. Firefox names the frame also for its workers, which are known by the referrer."""
        if referrer in self._workers:
            return "worker"
        return "page" if event["context"] == channel.context else "frame"

    def _on_response(self, event: Event) -> None:
        if request := self._pending.get(event["request"]["request"]):
            self._set_response(request, event)

    def _set_response(self, request: LoggedRequest, event: Event) -> None:
        response = event["response"]
        headers = headers_of(response)
        request.status, request.mime = response["status"], response.get("mimeType", "")
        request.request_headers = truncate_headers(headers_of(event["request"]))
        request.response_headers = truncate_headers(headers)
        # Firefox has no cache on the disk here (`browser/firefox/launch.py`).
        source = "service worker" if response.get("fromServiceWorker") else "network"
        request.source = request.source or ("memory cache" if response.get("fromCache") else source)
        request.transport = Transport(response.get("protocol", ""), status_text=response.get("statusText", ""))
        request.failure = proxy_refusal(request.url, headers)

    def _on_completed(self, event: Event) -> None:
        if request := self._pending.pop(event["request"]["request"], None):
            self._set_response(request, event)
            request.size = event["response"].get("bytesReceived") or 0
            request.timing = timing_of(event["request"])
            self._end(request, event)

    def _on_failure(self, event: Event) -> None:
        if request := self._pending.pop(event["request"]["request"], None):
            error = chromium_name(event["errorText"])
            # Firefox ends a request that a rule blocks as it ends one that its page no longer wants.
            is_blocked = error == ABORTED and request.intercepted is not None and request.status is None
            request.failure = BLOCKED if is_blocked else error
            self._end(request, event)

    def _end(self, request: LoggedRequest, event: Event) -> None:
        request.seconds = max(event["timestamp"] / 1000 - request.began, 0.0)
        self._report(request)

    def _on_dropped(self, event: Event) -> None:
        self.unrecorded += event["method"] == "network.beforeRequestSent"


class NetworkConditions(resources.NetworkConditions):
    """Emulates being offline, also for pages that are opened later."""

    def __init__(self, connection: BidiConnection, context: str) -> None:
        super().__init__()
        self._connection = connection
        self._context = context

    async def set_offline(self, offline: bool) -> None:
        conditions = {"type": "offline"} if offline else None
        params = {"networkConditions": conditions, "userContexts": [self._context]}
        await self._connection.send("emulation.setNetworkConditions", params)
        self.is_offline = offline

    async def throttle(self, throttling: Throttling) -> None:
        """Raise Unsupported: Firefox can be taken offline, and not be slowed down."""
        if throttling != Throttling():
            raise Unsupported(
                "Firefox cannot be slowed down.", hint="Open a session with the engine chromium for throttling."
            )
        self.throttling = throttling
