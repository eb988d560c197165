"""A request with its response as an entry of a HAR file."""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from rove.browser.logs import NetworkMessage, RequestTiming
from rove.browser.network import MASK
from rove.har.disclosure import WITHHELD, Disclosure
from rove.outcome import NOWHERE, origin_in

if TYPE_CHECKING:
    from rove.browser.shared.logs import LoggedRequest

# By the name that browsers give a protocol; others are written as they are.
HTTP_VERSIONS = {"h2": "http/2.0", "": "unknown"}
CACHES = {"memory cache": "memory", "disk cache": "disk", "prefetch cache": "memory"}
# Opcodes of WebSocket frames.
TEXT, BINARY = 1, 2
NO_TYPE = "x-unknown"
Json = dict[str, Any]


@dataclass(frozen=True)
class Bodies:
    """The bodies of a request and its response; None for what there is not, or is not kept."""

    sent: bytes | None = None
    received: bytes | None = None


async def read_bodies(request: LoggedRequest, shown: Disclosure) -> Bodies:
    """Return the bodies that may be kept, as long as the browser has them."""
    sent = received = None
    if not shown.max_body:
        return Bodies()
    if request.has_body:
        sent = await request.request_body()
    if _has_own_body(request) and _may_show_response(request, shown):
        received = await request.response_body()
    kept = (data if data is not None and len(data) <= shown.max_body else None for data in (sent, received))
    return Bodies(*kept)


def _has_own_body(request: LoggedRequest) -> bool:
    """Return whether the browser may have a body; for a redirect it would return that of the page it led to."""
    is_redirect = 300 <= (request.status or 0) < 400 and bool(_named(request.response_headers, "location"))
    return request.kind != "websocket" and request.failure is None and not is_redirect


def may_show(request: LoggedRequest, shown: Disclosure) -> bool:
    """Return whether the agent may read words of the origin that sent a request."""
    return shown.may_read(request.origin or NOWHERE)


def entry_of(request: LoggedRequest, shown: Disclosure, bodies: Bodies, page: str | None) -> Json:
    """Return a request and its response; `page` is the id of the page that it belongs to."""
    timings = timings_of(request.timing, request.seconds)
    address = request.transport.address
    return {
        "startedDateTime": moment(request.at or time.time()),
        "time": round(sum(took for phase, took in timings.items() if took > 0 and phase != "ssl"), 3),
        "request": _request(request, shown, bodies.sent),
        "response": _response(request, shown, bodies.received),
        "cache": {},
        "timings": timings,
        **({"pageref": page} if page else {}),
        **({"serverIPAddress": address} if address else {}),
        **({"comment": request.intercepted} if request.intercepted else {}),
        "_resourceType": request.kind,
        "_initiator": _initiator(shown.text(request.initiator)),
        **({"_fromCache": CACHES[request.source]} if request.source in CACHES else {}),
        **_messages(request, shown),
    }


def moment(at: float) -> str:
    """Return a moment as HAR writes it, with milliseconds."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def timings_of(timing: RequestTiming, seconds: float | None) -> dict[str, float]:
    """Return the milliseconds of each phase, -1 for one that there was not; without phases, all of it is waiting."""
    phases = timing.phases
    total = round((seconds or 0.0) * 1000, 3)
    known = {name: phases.get(name, 0.0) for name in ("send", "wait", "receive")}
    return {
        "blocked": phases.get("queued", -1),
        "dns": phases.get("dns", -1),
        "connect": phases.get("connect", -1),
        "ssl": phases.get("tls", -1),
        **(known if phases else {"send": 0.0, "wait": total, "receive": 0.0}),
    }


def _request(request: LoggedRequest, shown: Disclosure, body: bytes | None) -> Json:
    url = shown.url(request.url)
    query = parse_qsl(urlsplit(url).query, keep_blank_values=True) if url == request.url else []
    cookies = _named(request.request_headers, "cookie").split(";")
    return {
        "method": request.method,
        "url": url,
        "httpVersion": _version(request),
        "cookies": [_cookie(cookie, shown) for cookie in cookies if cookie.strip()],
        "headers": shown.headers(request.request_headers),
        "queryString": [{"name": name, "value": value} for name, value in query],
        "headersSize": -1,
        "bodySize": len(body) if body is not None else -1 if request.has_body else 0,
        **({"postData": _post_data(request, shown, body)} if request.has_body else {}),
    }


def _post_data(request: LoggedRequest, shown: Disclosure, body: bytes | None) -> Json:
    kind = {"mimeType": shown.text(_named(request.request_headers, "content-type")), "params": []}
    if body is None:
        return {**kind, "text": "", "comment": "The body was not kept."}
    text = shown.body(body)
    return {**kind, "text": text if isinstance(text, str) else text.decode("latin-1")}


def _response(request: LoggedRequest, shown: Disclosure, body: bytes | None) -> Json:
    may_show = _may_show_response(request, shown)
    cookies = _named(request.response_headers, "set-cookie").split("\n") if may_show else []
    is_cached = request.source in CACHES
    via_worker = {"_fetchedViaServiceWorker": True} if request.source == "service worker" else {}
    return {
        "status": request.status or 0,
        "statusText": request.transport.status_text if may_show else "",
        "httpVersion": _version(request),
        "cookies": [_cookie(cookie.partition(";")[0], shown) for cookie in cookies if cookie.strip()],
        "headers": shown.headers(request.response_headers) if may_show else [],
        "content": _content(request, shown, body) if may_show else {"size": 0, "mimeType": NO_TYPE, "text": WITHHELD},
        "redirectURL": shown.url(_named(request.response_headers, "location")) if may_show else "",
        "headersSize": -1,
        "bodySize": 0 if is_cached else -1,
        "_transferSize": 0 if is_cached else request.size or 0,
        "_error": shown.text(request.failure) if request.failure else "",
        **via_worker,
    }


def _content(request: LoggedRequest, shown: Disclosure, body: bytes | None) -> Json:
    kind = {"size": request.size or 0, "mimeType": shown.text(request.mime) or NO_TYPE}
    if body is None:
        return kind
    text = shown.body(body)
    kind["size"] = len(body)
    if isinstance(text, str):
        return {**kind, "text": text}
    return {**kind, "text": base64.b64encode(text).decode(), "encoding": "base64"}


def _messages(request: LoggedRequest, shown: Disclosure) -> Json:
    """Return the frames of a WebSocket, or the events of a server, as Chrome writes them."""
    may_show = _may_show_response(request, shown)
    told = [each for each in request.messages if may_show or each.direction == "sent"]
    if request.kind == "websocket":
        return {"_webSocketMessages": [_frame(message, shown) for message in told]}
    events = [
        {"time": each.at, "eventName": shown.text(each.event), "eventId": "", "data": shown.text(each.text)}
        for each in told
    ]
    return {"_eventSourceMessages": events} if events else {}


def _frame(message: NetworkMessage, shown: Disclosure) -> Json:
    way = "send" if message.direction == "sent" else "receive"
    opcode = BINARY if message.is_binary else TEXT
    return {"type": way, "time": message.at, "opcode": opcode, "data": shown.text(message.text)}


def _initiator(text: str) -> Json:
    """Return who started a request: `script https://example.com/app.js:3:9` in parts."""
    kind, _, place = text.partition(" ")
    url, line, column = place.rsplit(":", 2) if place.count(":") > 2 else (place, "", "")
    if not (line.isdigit() and column.isdigit()):
        return {"type": kind, **({"url": place} if place else {})}
    return {"type": kind, "url": url, "lineNumber": int(line) - 1, "columnNumber": int(column) - 1}


def _may_show_response(request: LoggedRequest, shown: Disclosure) -> bool:
    return shown.may_read(origin_in(request.url))


def _version(request: LoggedRequest) -> str:
    return HTTP_VERSIONS.get(request.transport.protocol, request.transport.protocol)


def _named(headers: Mapping[str, str], name: str) -> str:
    return next((value for each, value in headers.items() if each.lower() == name), "")


def _cookie(text: str, shown: Disclosure) -> Json:
    return {"name": shown.text(text.partition("=")[0].strip()), "value": MASK}
