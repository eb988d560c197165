"""HAR 1.2, which developer tools read: a request as an entry, what of it may be told, a file that is whole."""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from rove.browser.logs import NetworkMessage, PageLoad, RequestTiming
from rove.browser.network import MASK, mask_headers, withheld, withheld_url
from rove.outcome import origin_in
from rove.page_text import NOWHERE
from rove.version import VERSION

if TYPE_CHECKING:
    from rove.browser.shared.logs import LoggedRequest

WITHHELD = "[withheld]"

# By the name that browsers give a protocol; others are written as they are.
HTTP_VERSIONS = {"h2": "http/2.0", "": "unknown"}
CACHES = {"memory cache": "memory", "disk cache": "disk", "prefetch cache": "memory"}
# Opcodes of WebSocket frames.
TEXT, BINARY = 1, 2
NO_TYPE = "x-unknown"
Json = dict[str, Any]
FULL = "The file has reached its largest size: later requests are not in it."


@dataclass(frozen=True)
class Disclosure:
    """Removes secrets from texts, and leaves out what was written by origins that the agent may not read.

    `max_body`: the most bytes of a body that is kept; 0 keeps none.
    """

    redact: Callable[[str], str]
    may_read: Callable[[str], bool]
    max_body: int = 0

    def text(self, text: str) -> str:
        return withheld(text, self.redact)

    def url(self, url: str) -> str:
        return withheld_url(url, self.redact)

    def headers(self, headers: Mapping[str, str]) -> list[dict[str, str]]:
        """Return headers in the form of HAR, without credentials, cookies and tokens; a line for each value."""
        masked = mask_headers(headers).items()
        return [
            {"name": self.text(name), "value": self.text(line)} for name, value in masked for line in value.split("\n")
        ]

    def body(self, data: bytes) -> str | bytes:
        """Return a body as text, or as bytes if it is none; a note in its place if it carries a secret."""
        text = data.decode("utf-8", "replace")  # the bytes of a picture or an archive may hold a secret too
        if (shown := self.text(text)) != text:
            return shown
        return data if "\ufffd" in text or "\0" in text else text

    def line(self, entry: Mapping[str, Any]) -> str | None:
        """Return an entry as JSON. None if a secret is spread over it, so that it cannot be shown."""
        text = json.dumps(entry, ensure_ascii=False)
        return text if self.redact(text) == text else None


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


def page_id(tab: str, number: int) -> str:
    return f"{tab}_{number}"


def page_of(tab: str, load: PageLoad, shown: Disclosure) -> dict[str, Any]:
    """Return a document of a tab as a page; times are milliseconds after its request."""
    times = {"onContentLoad": load.parsed, "onLoad": load.loaded}
    took = {name: -1 if at is None else round(max(at - load.at, 0) * 1000, 3) for name, at in times.items()}
    title = shown.url(load.url)
    return {"startedDateTime": moment(load.at), "id": page_id(tab, load.number), "title": title, "pageTimings": took}


class HarArchive:
    """A file that is open. What follows the entries is written anew after each, so that a crash leaves it readable."""

    def __init__(self, descriptor: int, max_bytes: int) -> None:
        """Take over the descriptor of an empty file."""
        self._descriptor = descriptor
        self._max_bytes = max_bytes
        self.entries = 0
        self.is_full = False
        creator = {"name": "rove", "version": VERSION}
        self._end = 0
        self._finish(_json({"log": {"version": "1.2", "creator": creator}})[:-2] + b',"entries":[', [])

    def add(self, entry: str, pages: Sequence[dict[str, Any]]) -> None:
        """Add an entry, which is JSON already; `pages` are all pages until now."""
        data = (b",\n" if self.entries else b"\n") + entry.encode("utf-8", "replace")
        if self._end + len(data) > self._max_bytes:
            self.is_full = True
            data = b""
        self.entries += bool(data)
        self._finish(data, pages)

    def close(self, pages: Sequence[dict[str, Any]]) -> None:
        """Write the pages as they are now, and close the file."""
        self._finish(b"", pages)
        os.close(self._descriptor)

    def _finish(self, data: bytes, pages: Sequence[dict[str, Any]]) -> None:
        comment = {"comment": FULL} if self.is_full else {}
        ending = b"]," + _json({"pages": list(pages), **comment})[1:] + b"}\n"
        left = memoryview(data + ending)
        at = self._end
        while left:  # a full disk raises, and the file is what it was before as soon as there is room
            written = os.pwrite(self._descriptor, left, at)
            left, at = left[written:], at + written
        os.ftruncate(self._descriptor, at)
        self._end += len(data)


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
