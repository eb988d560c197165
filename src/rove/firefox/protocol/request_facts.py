"""What Firefox reports of a request and of its response, as plain values."""

from __future__ import annotations

import base64
from typing import Any

from rove.browser.network.request_data import RequestTiming
from rove.page.logs.console_text import source_location

Event = dict[str, Any]
# What a request is for, in Chromium's words, by Firefox's `destination` and `initiatorType`.
_KINDS = {
    "audio": "media", "video": "media", "track": "texttrack", "document": "document", "iframe": "document",
    "frame": "document", "embed": "other", "object": "other", "font": "font", "image": "image", "manifest": "manifest",
    "script": "script", "style": "stylesheet", "worker": "script", "sharedworker": "script", "serviceworker": "script",
    "xslt": "other", "json": "fetch",
}  # fmt: skip
_INITIATORS = {"fetch": "fetch", "xmlhttprequest": "xhr", "beacon": "ping", "websocket": "websocket"}


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
