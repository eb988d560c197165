"""The network log of a tab, given the events that Chromium would send."""

from __future__ import annotations

import asyncio
import tracemalloc
from typing import Any

import pytest

from rove.browser.chromium.connection import CdpConnection, CdpSession, PipeTransport
from rove.browser.chromium.frames import FrameOrigins
from rove.browser.chromium.network import NetworkLog
from rove.browser.shared.logs import MAX_REQUESTS


def new_log() -> tuple[NetworkLog, CdpSession]:
    network, cdp = (
        NetworkLog("main", FrameOrigins("main", lambda: "")),
        CdpSession(CdpConnection(PipeTransport(-1, -1)), None),
    )
    network.listen(cdp, "page")
    return network, cdp


def request_event(number: int, **more: Any) -> dict[str, Any]:
    request = {"url": f"https://example.com/{number}", "method": "GET", "headers": {"Accept": "*/*" * 20}}
    event = {"requestId": str(number), "request": request, "wallTime": 1.0, "timestamp": 1.0, "type": "Fetch"}
    return {**event, "frameId": "main", **more}


@pytest.mark.slow
def test_a_hundred_thousand_requests_leave_memory_as_it_was() -> None:
    network, cdp = new_log()

    def flood(begin: int, end: int) -> None:
        for number in range(begin, end):
            cdp.emit("Network.requestWillBeSent", request_event(number))
            if number % 2:  # every other request never ends
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
    assert len(list(network)) == MAX_REQUESTS
    assert network.dropped == 100_000 - MAX_REQUESTS


def test_each_hop_of_a_redirect_is_a_request_of_its_own() -> None:
    network, cdp = new_log()
    cdp.emit("Network.requestWillBeSent", request_event(1))
    answer = {"status": 301, "headers": {"Location": "/2"}}
    cdp.emit("Network.requestWillBeSent", request_event(1, redirectResponse=answer, timestamp=1.5))
    first, second = network
    assert (first.number, first.status, first.seconds) == (1, 301, 0.5)
    assert (second.number, second.status, second.seconds) == (2, None, None)


def test_a_request_reported_by_two_cdp_sessions_is_logged_once() -> None:
    network, cdp = new_log()
    other = CdpSession(CdpConnection(PipeTransport(-1, -1)), None)
    network.listen(other, "frame")
    cdp.emit("Network.requestWillBeSent", request_event(1))
    other.emit("Network.requestWillBeSent", request_event(1))
    assert len(list(network)) == 1


def test_headers_that_arrive_before_their_request_are_logged() -> None:
    network, cdp = new_log()
    cdp.emit("Network.requestWillBeSentExtraInfo", {"requestId": "1", "headers": {"Cookie": "a=b"}})
    cdp.emit("Network.requestWillBeSent", request_event(1))
    (request,) = network
    assert request.request_headers == {"Cookie": "a=b"}


@pytest.mark.parametrize("is_dropped", [False, True])
def test_a_request_ends_when_the_headers_of_its_response_are_known(is_dropped: bool) -> None:
    network, cdp = new_log()
    ended: list[dict[str, str]] = []
    network.watch(lambda request: ended.append(request.response_headers))
    cdp.emit("Network.requestWillBeSent", request_event(1))
    response = {"status": 200, "headers": {"A": "b"}}
    cdp.emit("Network.responseReceived", {"requestId": "1", "response": response, "hasExtraInfo": True})
    cdp.emit("Network.loadingFinished", {"requestId": "1", "timestamp": 2.0})
    assert ended == []
    if is_dropped:
        cdp.emit("dropped", {"method": "Network.responseReceivedExtraInfo", "requestId": "1"})
        assert ended == [{"A": "b"}]
    else:
        headers = {"A": "b", "Set-Cookie": "sid=1"}
        cdp.emit("Network.responseReceivedExtraInfo", {"requestId": "1", "headers": headers})
        assert ended == [headers]


async def test_headers_are_waited_for_that_come_after_their_response() -> None:
    network, cdp = new_log()
    cdp.emit("Network.requestWillBeSent", request_event(1))
    response = {"status": 200, "headers": {"A": "b"}}
    cdp.emit("Network.responseReceived", {"requestId": "1", "response": response, "hasExtraInfo": True})
    waiting = asyncio.ensure_future(network.catch_up())
    done, _ = await asyncio.wait([waiting], timeout=0)
    assert not done
    headers = {"A": "b", "Set-Cookie": "sid=1"}
    cdp.emit("Network.responseReceivedExtraInfo", {"requestId": "1", "headers": headers, "statusCode": 200})
    await asyncio.wait_for(waiting, 10)
    assert [request.response_headers for request in network] == [headers]


async def test_headers_that_never_come_are_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.browser.chromium.network.LATE_HEADERS_SECONDS", 0.0)
    network, cdp = new_log()
    ended: list[int] = []
    network.watch(lambda request: ended.append(request.number))
    cdp.emit("Network.requestWillBeSent", request_event(1))
    response = {"status": 200, "headers": {"A": "b"}}
    cdp.emit("Network.responseReceived", {"requestId": "1", "response": response, "hasExtraInfo": True})
    cdp.emit("Network.loadingFinished", {"requestId": "1", "timestamp": 2.0})
    await network.catch_up()
    assert ended == [1]
    monkeypatch.setattr("rove.browser.chromium.network.LATE_HEADERS_SECONDS", 60.0)
    await asyncio.wait_for(network.catch_up(), 10)


def test_the_late_headers_of_a_redirect_are_not_those_of_what_follows_it() -> None:
    network, cdp = new_log()
    cdp.emit("Network.requestWillBeSent", request_event(1))
    moved = {"status": 302, "headers": {"Location": "/2"}}
    cdp.emit("Network.requestWillBeSent", request_event(1, redirectResponse=moved, redirectHasExtraInfo=True))
    late, last = {"Location": "/2", "Set-Cookie": "sid=1"}, {"Set-Cookie": "sid=2"}
    cdp.emit("Network.responseReceivedExtraInfo", {"requestId": "1", "headers": late, "statusCode": 302})
    response = {"status": 200, "headers": {}}
    cdp.emit("Network.responseReceived", {"requestId": "1", "response": response, "hasExtraInfo": True})
    cdp.emit("Network.responseReceivedExtraInfo", {"requestId": "1", "headers": last, "statusCode": 200})
    assert [request.response_headers for request in network] == [late, last]


def test_a_data_url_is_not_logged() -> None:
    network, cdp = new_log()
    request = {"url": "data:text/plain,x", "method": "GET", "headers": {}}
    cdp.emit("Network.requestWillBeSent", request_event(1, request=request))
    assert list(network) == []


def test_a_websocket_is_logged_from_its_handshake_to_its_close() -> None:
    network, cdp = new_log()
    cdp.emit("Network.webSocketCreated", {"requestId": "1", "url": "wss://example.com/live"})
    handshake = {"requestId": "1", "timestamp": 1.0, "wallTime": 9.0, "request": {"headers": {"Cookie": "a=b"}}}
    cdp.emit("Network.webSocketWillSendHandshakeRequest", handshake)
    answer = {"status": 101, "headers": {"Upgrade": "websocket"}}
    cdp.emit("Network.webSocketHandshakeResponseReceived", {"requestId": "1", "response": answer})
    (request,) = network
    assert (request.kind, request.status, request.seconds) == ("websocket", 101, None)
    cdp.emit("Network.webSocketClosed", {"requestId": "1", "timestamp": 3.0})
    assert request.seconds == 2.0
