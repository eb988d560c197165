"""What a page can say without end, and what of it is let through."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rove.chromium.protocol.connection import CdpConnection, CdpSession
from rove.chromium.protocol.event_limits import LONGEST, MOST_BYTES, MOST_EVENTS, EventLimiter
from rove.chromium.protocol.pipe import PipeTransport, _Messages

SESSION = "0123456789ABCDEF0123456789ABCDEF"


class Listening:
    """A connection without a browser, fed with what one would send, and a record of what it told."""

    def __init__(self) -> None:
        self.connection = CdpConnection(PipeTransport(-1, -1))
        self.stream = _Messages(self.connection)
        self.heard: list[dict[str, Any]] = []
        self.flooded = 0
        cdp = self.connection.cdp_session(SESSION)
        cdp.on("Runtime.consoleAPICalled", self.heard.append)
        cdp.on("Network.loadingFinished", self.heard.append)
        cdp.on("flooded", self._on_flooded)

    def _on_flooded(self, event: dict[str, Any]) -> None:
        self.flooded += 1

    def say(self, method: str, text: str = "", session: str = SESSION) -> bytes:
        message = {"method": method, "params": {"text": text}, "sessionId": session}
        return json.dumps(message, separators=(",", ":")).encode() + b"\0"


def test_a_valve_lets_so_many_through_in_a_second() -> None:
    valve = EventLimiter()
    assert sum(valve.admits(100) for _ in range(3 * MOST_EVENTS)) == MOST_EVENTS


def test_a_valve_lets_so_many_bytes_through_in_a_second() -> None:
    valve = EventLimiter()
    assert sum(valve.admits(MOST_BYTES // 2) for _ in range(10)) == 2


def test_what_is_dropped_is_counted_and_the_rest_is_told() -> None:
    listening = Listening()
    for _ in range(MOST_EVENTS + 50):
        listening.stream.data_received(listening.say("Runtime.consoleAPICalled", "loud"))
    assert (len(listening.heard), listening.flooded) == (MOST_EVENTS, 50)


def test_other_events_are_never_dropped() -> None:
    listening = Listening()
    for _ in range(3 * MOST_EVENTS):
        listening.stream.data_received(listening.say("Network.loadingFinished"))
    assert (len(listening.heard), listening.flooded) == (3 * MOST_EVENTS, 0)


def test_the_flood_of_one_page_drops_nothing_of_another() -> None:
    listening = Listening()
    for _ in range(3 * MOST_EVENTS):
        listening.stream.data_received(listening.say("Runtime.consoleAPICalled", session="F" * 32))
    listening.stream.data_received(listening.say("Runtime.consoleAPICalled", "heard"))
    assert listening.heard == [{"text": "heard"}]


def test_a_line_longer_than_any_is_not_kept_while_it_comes() -> None:
    listening = Listening()
    message = listening.say("Runtime.consoleAPICalled", "x" * (2 * LONGEST))
    most = 0
    for start in range(0, len(message), 65536):
        listening.stream.data_received(message[start : start + 65536])
        most = max(most, sum(map(len, listening.stream._pieces)))
    assert most <= LONGEST + 65536
    assert (listening.heard, listening.flooded) == ([], 1)
    listening.stream.data_received(listening.say("Network.loadingFinished", "next"))
    assert listening.heard == [{"text": "next"}]


def test_a_stream_that_comes_byte_by_byte_is_the_same_stream() -> None:
    listening = Listening()
    both = listening.say("Runtime.consoleAPICalled", "one") + listening.say("Network.loadingFinished", "two")
    for byte in both:
        listening.stream.data_received(bytes([byte]))
    assert listening.heard == [{"text": "one"}, {"text": "two"}]


def test_a_handler_can_stop_hearing() -> None:
    cdp = CdpSession(CdpConnection(PipeTransport(-1, -1)), None)
    heard: list[Any] = []
    with cdp.subscription("event", heard.append):
        cdp.tell("event", {"n": 1})
    cdp.tell("event", {"n": 2})
    assert heard == [{"n": 1}]


def test_what_nobody_listens_to_is_not_even_parsed() -> None:
    listening = Listening()
    listening.stream.data_received(b'{"method":"Network.dataReceived","params":this is no JSON\0')
    listening.stream.data_received(listening.say("Network.loadingFinished", "next"))
    assert listening.heard == [{"text": "next"}]


def test_a_message_that_cannot_be_taken_costs_none_of_those_behind_it(caplog: pytest.LogCaptureFixture) -> None:
    listening = Listening()
    bad = b'{"method":"Network.loadingFinished","params":this is no JSON\0'
    good = listening.say("Network.loadingFinished", "next")
    listening.stream.data_received(bad + good + good[:20])
    listening.stream.data_received(good[20:])
    assert listening.heard == [{"text": "next"}] * 2
    assert "could not be taken" in caplog.text


def test_a_handler_that_fails_costs_none_of_those_behind_it(caplog: pytest.LogCaptureFixture) -> None:
    listening = Listening()
    cdp = listening.connection.cdp_session(SESSION)
    cdp.on("Network.loadingFailed", lambda event: 1 / 0)
    both = listening.say("Network.loadingFailed") + listening.say("Network.loadingFinished", "next")
    listening.stream.data_received(both)
    assert listening.heard == [{"text": "next"}]
    assert "ZeroDivisionError" in caplog.text
