"""The record of a tab's requests, fed with more events than any page makes."""

from __future__ import annotations

import tracemalloc
from typing import Any

from rove.chromium.events.network_log import KEPT, NetworkLog
from rove.chromium.protocol.connection import CdpConnection, CdpSession
from rove.chromium.protocol.pipe import PipeTransport


def recording() -> tuple[NetworkLog, CdpSession]:
    network, cdp = NetworkLog("main"), CdpSession(CdpConnection(PipeTransport(-1, -1)), None)
    network.listen(cdp, "page")
    return network, cdp


def sent(number: int, **more: Any) -> dict[str, Any]:
    request = {"url": f"https://example.com/{number}", "method": "GET", "headers": {"Accept": "*/*" * 20}}
    facts = {"requestId": str(number), "request": request, "wallTime": 1.0, "timestamp": 1.0, "type": "Fetch"}
    return {**facts, "frameId": "main", **more}


def test_a_hundred_thousand_requests_leave_memory_as_it_was() -> None:
    network, cdp = recording()

    def flood(begin: int, end: int) -> None:
        for number in range(begin, end):
            cdp.emit("Network.requestWillBeSent", sent(number))
            if number % 2:  # every other one never ends
                cdp.emit("Network.loadingFinished", {"requestId": str(number), "timestamp": 2.0})
            cdp.emit("Network.requestWillBeSentExtraInfo", {"requestId": f"unknown {number}", "headers": {"A": "b"}})

    flood(0, 5000)
    tracemalloc.start()
    try:
        flood(5000, 10_000)
        before, _ = tracemalloc.get_traced_memory()
        flood(10_000, 100_000)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after < before * 1.2 + 100_000
    assert len(list(network)) == KEPT
    assert network.dropped == 100_000 - KEPT


def test_each_hop_of_a_redirect_is_a_request_of_its_own() -> None:
    network, cdp = recording()
    cdp.emit("Network.requestWillBeSent", sent(1))
    answer = {"status": 301, "headers": {"Location": "/2"}}
    cdp.emit("Network.requestWillBeSent", sent(1, redirectResponse=answer, timestamp=1.5))
    first, second = network
    assert (first.number, first.status, first.seconds) == (1, 301, 0.5)
    assert (second.number, second.status, second.seconds) == (2, None, None)


def test_a_request_told_of_by_two_wires_is_one_request() -> None:
    network, cdp = recording()
    other = CdpSession(CdpConnection(PipeTransport(-1, -1)), None)
    network.listen(other, "frame")
    cdp.emit("Network.requestWillBeSent", sent(1))
    other.emit("Network.requestWillBeSent", sent(1))
    assert len(list(network)) == 1


def test_headers_that_come_before_their_request_are_not_lost() -> None:
    network, cdp = recording()
    cdp.emit("Network.requestWillBeSentExtraInfo", {"requestId": "1", "headers": {"Cookie": "a=b"}})
    cdp.emit("Network.requestWillBeSent", sent(1))
    (request,) = network
    assert request.sent == {"Cookie": "a=b"}


def test_what_never_leaves_the_page_is_no_request() -> None:
    network, cdp = recording()
    asked = {"url": "data:text/plain,x", "method": "GET", "headers": {}}
    cdp.emit("Network.requestWillBeSent", sent(1, request=asked))
    assert list(network) == []


def test_a_socket_is_followed_from_its_handshake_to_its_end() -> None:
    network, cdp = recording()
    cdp.emit("Network.webSocketCreated", {"requestId": "1", "url": "wss://example.com/live"})
    asked = {"requestId": "1", "timestamp": 1.0, "wallTime": 9.0, "request": {"headers": {"Cookie": "a=b"}}}
    cdp.emit("Network.webSocketWillSendHandshakeRequest", asked)
    answer = {"status": 101, "headers": {"Upgrade": "websocket"}}
    cdp.emit("Network.webSocketHandshakeResponseReceived", {"requestId": "1", "response": answer})
    (request,) = network
    assert (request.kind, request.status, request.seconds) == ("websocket", 101, None)
    cdp.emit("Network.webSocketClosed", {"requestId": "1", "timestamp": 3.0})
    assert request.seconds == 2.0
