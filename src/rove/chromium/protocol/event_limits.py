"""Limits on the console events, log events and messages of a page, which a page can send without end."""

from __future__ import annotations

import re

from rove.browser.scripts import NONCE

# Events that cost a page nothing: a loop sends a million of them, each as long as a string can be.
LIMITED_METHODS = (
    b"Runtime.consoleAPICalled",
    b"Runtime.exceptionThrown",
    b"Console.messageAdded",
    b"Log.entryAdded",
    b"Network.webSocketFrameSent",
    b"Network.webSocketFrameReceived",
    b"Network.eventSourceMessageReceived",
)
LIMITED_EVENTS = tuple(b'{"method":"%b"' % method for method in LIMITED_METHODS)
_HEAD = re.compile(rb'\{"method":"([A-Za-z.]+)"(?:,"params":\{"requestId":"([^"]{1,64})")?')
# A report of rove's own script, which is never dropped.
_REPORT = b'"text":"' + NONCE.encode()
_REPORT_WITHIN = 160
# Bytes that are kept of the end of a dropped event: they name the CDP session that it came from.
TAIL_BYTES = 64


def is_limited(data: bytes) -> bool:
    """Return whether an event is one that a page can send without end."""
    return data.startswith(LIMITED_EVENTS) and _REPORT not in data[:_REPORT_WITHIN]


def dropped_event(data: bytes) -> dict[str, str]:
    """Return what the start of a dropped event tells: its method and, if it is about a request, the request's id."""
    match = _HEAD.match(data)
    if match is None:
        return {"method": ""}
    request = {"requestId": match[2].decode("ascii", "replace")} if match[2] else {}
    return {"method": match[1].decode("ascii"), **request}
