"""Limits on the console and log events of a page."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from rove.browser.chromium.connection import CdpConnection, CdpSession, PipeTransport, _MessageSplitter
from rove.browser.chromium.flood import dropped_event
from rove.browser.logs import MESSAGE_BYTES_PER_SECOND, MESSAGES_PER_SECOND
from rove.browser.shared.flood import MAX_EVENT_BYTES, MAX_HELD, EventLimiter

SESSION_ID = "0123456789ABCDEF0123456789ABCDEF"


class Recorder:
    """A connection without a browser; tests feed it with messages, and it records the events that handlers get."""

    def __init__(self) -> None:
        self.connection = CdpConnection(PipeTransport(-1, -1))
        self.connection.is_open = True
        self.stream = _MessageSplitter(self.connection)
        self.events: list[dict[str, Any]] = []
        self.dropped = 0
        cdp = self.connection.cdp_session(SESSION_ID)
        cdp.on("Runtime.consoleAPICalled", self.events.append)
        cdp.on("Network.loadingFinished", self.events.append)
        cdp.on("dropped", self._on_dropped)

    def _on_dropped(self, event: dict[str, Any]) -> None:
        self.dropped += 1

    async def all_handled(self) -> None:
        """Wait until no message of the page waits for its turn."""
        while self.connection.cdp_session(SESSION_ID).group.has_waiting:
            await asyncio.sleep(0)

    def message(self, method: str, text: str = "", session_id: str = SESSION_ID) -> bytes:
        content = {"method": method, "params": {"text": text}, "sessionId": session_id}
        return json.dumps(content, separators=(",", ":")).encode() + b"\0"


def test_a_limiter_admits_a_number_of_events_in_a_second() -> None:
    limiter = EventLimiter()
    assert sum(limiter.admits(100) for _ in range(3 * MESSAGES_PER_SECOND)) == MESSAGES_PER_SECOND


def test_a_limiter_admits_a_number_of_bytes_in_a_second() -> None:
    limiter = EventLimiter()
    assert sum(limiter.admits(MESSAGE_BYTES_PER_SECOND // 2) for _ in range(10)) == 2


async def test_events_over_the_limit_that_are_not_the_newest_are_dropped_and_counted() -> None:
    recorder = Recorder()
    for _ in range(MESSAGES_PER_SECOND + MAX_HELD + 50):
        recorder.stream.data_received(recorder.message("Runtime.consoleAPICalled", "loud"))
    await recorder.connection.cdp_session(SESSION_ID).catch_up()
    assert (len(recorder.events), recorder.dropped) == (MESSAGES_PER_SECOND + MAX_HELD, 50)


async def test_other_events_are_never_dropped() -> None:
    recorder = Recorder()
    for _ in range(3 * MESSAGES_PER_SECOND):
        recorder.stream.data_received(recorder.message("Network.loadingFinished"))
    await recorder.all_handled()
    assert (len(recorder.events), recorder.dropped) == (3 * MESSAGES_PER_SECOND, 0)


def test_many_events_of_one_page_drop_none_of_another() -> None:
    recorder = Recorder()
    for _ in range(3 * MESSAGES_PER_SECOND):
        recorder.stream.data_received(recorder.message("Runtime.consoleAPICalled", session_id="F" * 32))
    recorder.stream.data_received(recorder.message("Runtime.consoleAPICalled", "admitted"))
    assert recorder.events == [{"text": "admitted"}]


def test_an_event_over_the_size_limit_is_not_kept_in_memory_while_it_arrives() -> None:
    recorder = Recorder()
    message = recorder.message("Runtime.consoleAPICalled", "x" * (2 * MAX_EVENT_BYTES))
    most = 0
    for start in range(0, len(message), 65536):
        recorder.stream.data_received(message[start : start + 65536])
        most = max(most, sum(map(len, recorder.stream._pieces)))
    assert most <= MAX_EVENT_BYTES + 65536
    assert (recorder.events, recorder.dropped) == ([], 1)
    recorder.stream.data_received(recorder.message("Network.loadingFinished", "next"))
    assert recorder.events == [{"text": "next"}]


def test_a_stream_can_arrive_byte_by_byte() -> None:
    recorder = Recorder()
    both = recorder.message("Runtime.consoleAPICalled", "one") + recorder.message("Network.loadingFinished", "two")
    for byte in both:
        recorder.stream.data_received(bytes([byte]))
    assert recorder.events == [{"text": "one"}, {"text": "two"}]


def test_a_subscription_ends_with_its_block() -> None:
    cdp = CdpSession(CdpConnection(PipeTransport(-1, -1)), None)
    events: list[Any] = []
    with cdp.subscription("event", events.append):
        cdp.emit("event", {"n": 1})
    cdp.emit("event", {"n": 2})
    assert events == [{"n": 1}]


def test_an_event_without_a_handler_is_not_parsed() -> None:
    recorder = Recorder()
    recorder.stream.data_received(b'{"method":"Network.dataReceived","params":this is no JSON\0')
    recorder.stream.data_received(recorder.message("Network.loadingFinished", "next"))
    assert recorder.events == [{"text": "next"}]


def test_messages_behind_an_invalid_one_are_still_handled(caplog: pytest.LogCaptureFixture) -> None:
    recorder = Recorder()
    bad = b'{"method":"Network.loadingFinished","params":this is no JSON\0'
    good = recorder.message("Network.loadingFinished", "next")
    recorder.stream.data_received(bad + good + good[:20])
    recorder.stream.data_received(good[20:])
    assert recorder.events == [{"text": "next"}] * 2
    assert "cannot handle a message" in caplog.text


def test_messages_behind_a_failing_handler_are_still_handled(caplog: pytest.LogCaptureFixture) -> None:
    recorder = Recorder()
    cdp = recorder.connection.cdp_session(SESSION_ID)
    cdp.on("Network.loadingFailed", lambda event: 1 / 0)
    both = recorder.message("Network.loadingFailed") + recorder.message("Network.loadingFinished", "next")
    recorder.stream.data_received(both)
    assert recorder.events == [{"text": "next"}]
    assert "ZeroDivisionError" in caplog.text


def test_a_dropped_event_tells_its_method_and_the_request_that_it_is_about() -> None:
    frame = b'{"method":"Network.webSocketFrameReceived","params":{"requestId":"12.3","timestamp":1,"response":{'
    assert dropped_event(frame) == {"method": "Network.webSocketFrameReceived", "requestId": "12.3"}
    called = b'{"method":"Runtime.consoleAPICalled","params":{"type":"log"'
    assert dropped_event(called) == {"method": "Runtime.consoleAPICalled"}
    assert dropped_event(b"\0") == {"method": ""}
