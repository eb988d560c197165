"""What CDP reports of a request besides its response: who started it, its timing, its messages and its document."""

from __future__ import annotations

from collections import deque
from typing import Any, Literal

from rove.browser.network.request_data import MAX_MESSAGE_LENGTH, NetworkMessage, PageLoad, RequestTiming, Transport
from rove.page.logs.console_text import source_location
from rove.page.logs.network_log import MAX_PAGES

Event = dict[str, Any]
# Opcodes of WebSocket frames. Others, such as pings, carry nothing for the page.
_TEXT, _BINARY = 1, 2


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
