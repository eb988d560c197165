"""What the first bytes of a message tell of it, and which events of a page are read.

A page can cause events without end, and parsing is most of what one costs. So it is decided on the bytes before the
first that a page can choose.
"""

from __future__ import annotations

import re

from rove.browser.shared import flood
from rove.browser.shared.flood import MAX_HELD_BYTES, Verdict, read_if

EVENT_PREFIX = b'{"type":"event","method":"'
_ID = rb'"([^"\\]{1,64})"'
# Firefox writes the fields of each event in one order.
_CONTEXT = re.compile(rb'[^{]*\{[^{]*\{(?:"children":null,)?"context":' + _ID)
_LOG_CONTEXT = re.compile(rb'[^{]*\{[^{]*\{[^{}\[]*"source":\{"realm":"[^"\\]*","context":' + _ID)
_MESSAGE_CONTEXT = re.compile(rb'"source":\{"realm":"[^"\\]*","context":' + _ID + rb"\}\}\}$")
_REQUEST = re.compile(rb'[^{]*\{[^{]*\{[^{\[]*(?:"intercepts":\[[^\]]*\],)?[^{\[]*"request":\{"request":' + _ID)
# Requests for documents, and those that wait for an answer of rove.
_MUST_BE_READ = re.compile(rb'"navigation":"|"isBlocked":true')
_MESSAGE = "script.message"
_LOG = "log.entryAdded"
# How the entry of an uncaught error begins.
_ERROR = EVENT_PREFIX + b'log.entryAdded","params":{"type":"javascript"'
_STARTS = "network.beforeRequestSent"
_ENDS = frozenset({"network.responseCompleted", "network.fetchError"})
# As much of an event is searched for its ids.
_HEAD_BYTES = 600
_TAIL_BYTES = 200


def method_of(data: bytes) -> str:
    """Return the method of an event."""
    start = len(EVENT_PREFIX)
    return data[start : data.find(b'"', start)].decode("ascii", "replace")


def context_of(method: str, data: bytes) -> str | None:
    """Return the browsing context that an event belongs to; None if it names none."""
    if method == _MESSAGE:
        match = _MESSAGE_CONTEXT.search(data[-_TAIL_BYTES:])
    else:
        match = (_LOG_CONTEXT if method == _LOG else _CONTEXT).match(data[:_HEAD_BYTES])
    return match[1].decode("ascii", "replace") if match else None


def _request_of(data: bytes) -> bytes | None:
    match = _REQUEST.match(data[:_HEAD_BYTES])
    return match[1] if match else None


def dropped_event(method: str, data: bytes) -> dict[str, str]:
    """Return what the start of a dropped event tells: its method and, if it is about a request, the request's id."""
    request = _request_of(data) if method.startswith("network.") else None
    return {"method": method, **({"request": request.decode("ascii", "replace")} if request else {})}


class Admission(flood.Admission):
    """Decides on the events of a page and its frames.

    Navigations are always read, with the requests for their documents: the check of addresses depends on them.
    """

    def __init__(self, context: str) -> None:
        super().__init__()
        self._context = context

    def verdict(self, method: str, data: bytes, size: int) -> Verdict:
        """Decide on an event by its first bytes."""
        if method == _LOG:
            return self._of_entry(data, size)
        if method.startswith("network."):
            return self._of_request(method, data, size)
        return Verdict.READ

    def _of_entry(self, data: bytes, size: int) -> Verdict:
        """Read uncaught errors at once; hold messages beyond the limit, of which the newest are read later."""
        is_read = self._errors.admits(size) if data.startswith(_ERROR) else not self.held and self._written.admits(size)
        return Verdict.READ if is_read else Verdict.HOLD if size <= MAX_HELD_BYTES else Verdict.DROP

    def hold(self, data: bytes) -> list[bytes]:
        """Hold a message; return those that are dropped for it."""
        return self.held.add(data, is_error=data.startswith(_ERROR))

    def admits_frame(self, context: str) -> bool:
        """Return whether a new frame is followed, or the page has made too many."""
        return self._frames.begin(context.encode(), 0)

    def _of_request(self, method: str, data: bytes, size: int) -> Verdict:
        request = _request_of(data)
        if request is None or _MUST_BE_READ.search(data[:_HEAD_BYTES].partition(b'"request":')[0]):
            return Verdict.READ
        if method == _STARTS:
            return read_if(self._requests.begin(request, size))
        is_followed = self._requests.includes(request)
        if method in _ENDS:
            self._requests.end(request)
        return read_if(is_followed)
