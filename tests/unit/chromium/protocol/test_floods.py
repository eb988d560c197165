"""A page that sends events without end: how much of it is handled at a time, in which order, and what is told of it."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from rove.browser.chromium.connection import CdpConnection, CdpSession, PipeTransport, _MessageSplitter
from rove.browser.chromium.flood import (
    FLOOD_MESSAGES,
    MAX_MESSAGES_AT_ONCE,
    MAX_WAITING_BYTES,
    MESSAGES_PER_TURN,
    Admission,
    TargetGroup,
)
from rove.browser.chromium.frames import FrameOrigins
from rove.browser.chromium.live_page import RequestTracker
from rove.browser.chromium.network import NetworkLog
from rove.browser.logs import (
    ERRORS_PER_SECOND,
    MESSAGES_PER_SECOND,
    REQUESTS_AT_ONCE,
    unrecorded_messages,
    unrecorded_requests,
)
from rove.browser.page_state import PageEvents
from rove.browser.shared.flood import FRAMES_AT_ONCE, MAX_HELD, MAX_HELD_BYTES, Bucket, NewestMessages, Verdict

MAIN = "A" * 32
LOUD, CALM, WORKER = "1" * 32, "2" * 32, "3" * 32
METHODS = ("Network.requestWillBeSent", "Network.loadingFinished", "Page.bindingCalled", "Runtime.consoleAPICalled")


class Wire:
    """A connection without a browser, with a loud page and a calm one; it records what is handled and written."""

    def __init__(self) -> None:
        self.transport = _Output(-1, -1)
        self.connection = CdpConnection(self.transport)
        self.connection.is_open = True
        self._stream = _MessageSplitter(self.connection)
        self.handled: list[tuple[str, Any]] = []
        self.floods: list[TargetGroup] = []
        self.connection.on_flood = self.floods.append
        self.loud, self.calm = self._attach(LOUD, MAIN), self._attach(CALM, "B" * 32)

    def _attach(self, session: str, target: str, parent: str | None = None, kind: str = "page") -> CdpSession:
        info = {"targetId": target, "type": kind, "browserContextId": "C"}
        self.feed("Target.attachedToTarget", {"sessionId": session, "targetInfo": info}, parent)
        cdp = self.connection.cdp_session(session)
        for method in METHODS:
            cdp.on(method, lambda event: self.handled.append((session, event.get("n"))))
        return cdp

    def add_worker(self) -> CdpSession:
        self.connection.subscribe("Target.attachedToTarget")
        return self._attach(WORKER, "W" * 32, LOUD, "worker")

    def feed(self, method: str, params: dict[str, Any], session: str | None = LOUD) -> None:
        self.connection.subscribe("Target.attachedToTarget")
        message = {"method": method, "params": params} | ({"sessionId": session} if session else {})
        self._stream.data_received(json.dumps(message, separators=(",", ":")).encode() + b"\0")

    def answer(self, number: int, session: str) -> None:
        message = {"id": number, "result": {}, "sessionId": session}
        self._stream.data_received(json.dumps(message, separators=(",", ":")).encode() + b"\0")


class _Output(PipeTransport):
    def __init__(self, read_fd: int, write_fd: int) -> None:
        super().__init__(read_fd, write_fd)
        self.written: list[dict[str, Any]] = []

    def write(self, message: bytes) -> None:
        self.written.append(json.loads(message))


async def test_messages_of_a_page_beyond_its_share_wait_and_those_of_another_page_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wire = Wire()
    with monkeypatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: 1e9)  # as if no time passed
        for number in range(MAX_MESSAGES_AT_ONCE + 300):
            wire.feed("Page.bindingCalled", {"n": number})
        assert len(wire.handled) == MAX_MESSAGES_AT_ONCE
        wire.feed("Page.bindingCalled", {"n": "calm"}, CALM)
    assert wire.handled[MAX_MESSAGES_AT_ONCE:] == [(CALM, "calm")]


async def test_a_turn_of_a_page_is_a_bounded_number_of_messages() -> None:
    wire = Wire()
    for number in range(MAX_MESSAGES_AT_ONCE + 1000):
        wire.feed("Page.bindingCalled", {"n": number})
    while wire.loud.group.has_waiting:
        before = len(wire.handled)
        wire.connection._take_turn(wire.loud.group)
        assert len(wire.handled) - before <= MESSAGES_PER_TURN
        await asyncio.sleep(0)


async def test_messages_and_answers_that_wait_keep_their_order() -> None:
    wire = Wire()
    for number in range(MAX_MESSAGES_AT_ONCE + 300):
        wire.feed("Page.bindingCalled", {"n": number})
    command = asyncio.ensure_future(wire.loud.send("Any.command"))
    await asyncio.sleep(0)
    wire.answer(wire.transport.written[-1]["id"], LOUD)
    handled_before_answer: list[int] = []
    command.add_done_callback(lambda _: handled_before_answer.append(len(wire.handled)))
    await command
    assert [number for _, number in wire.handled] == list(range(MAX_MESSAGES_AT_ONCE + 300))
    assert handled_before_answer == [MAX_MESSAGES_AT_ONCE + 300]


async def test_a_worker_shares_the_limits_of_its_page() -> None:
    wire = Wire()
    worker = wire.add_worker()
    assert worker.group is wire.loud.group
    assert wire.calm.group is not wire.loud.group
    # A page that makes a worker for each few messages gets no more of them through.
    for number in range(1500):
        wire.feed("Runtime.consoleAPICalled", {"n": number}, LOUD if number % 2 else WORKER)
    await wire.loud.catch_up()
    numbers = [number for _, number in wire.handled]
    assert numbers == [*range(1000), *range(1000, 1500)]
    assert [number % 2 for number in numbers[-4:]] == [0, 1, 0, 1]


async def test_of_console_messages_beyond_the_limit_the_newest_are_kept_and_the_others_counted() -> None:
    wire = Wire()
    dropped: list[str] = []
    wire.loud.on("dropped", lambda event: dropped.append(event["method"]))
    count = MESSAGES_PER_SECOND + 3 * MAX_HELD
    for number in range(count):
        wire.feed("Runtime.consoleAPICalled", {"n": number})
    await wire.loud.catch_up()
    newest = [*range(count - MAX_HELD, count)]
    assert [number for _, number in wire.handled] == [*range(MESSAGES_PER_SECOND), *newest]
    assert dropped == ["Runtime.consoleAPICalled"] * 2 * MAX_HELD


async def test_held_messages_are_read_without_being_asked_for() -> None:
    wire = Wire()
    for number in range(MESSAGES_PER_SECOND + 10):
        wire.feed("Runtime.consoleAPICalled", {"n": number})
    async with asyncio.timeout(5):
        while len(wire.handled) < MESSAGES_PER_SECOND + 10:
            await asyncio.sleep(0.01)


async def test_held_messages_are_handled_before_the_page_that_wrote_them_is_replaced() -> None:
    wire = Wire()
    wire.loud.on("Runtime.executionContextsCleared", lambda _: wire.handled.append((LOUD, "cleared")))
    for number in range(MESSAGES_PER_SECOND + 10):
        wire.feed("Runtime.consoleAPICalled", {"n": number})
    wire.feed("Runtime.executionContextsCleared", {})
    wire.feed("Runtime.consoleAPICalled", {"n": "next"})
    await wire.loud.catch_up()
    assert wire.handled[-3:] == [(LOUD, MESSAGES_PER_SECOND + 9), (LOUD, "cleared"), (LOUD, "next")]


async def test_an_uncaught_error_in_a_flood_of_lines_is_read_at_once_and_no_flood_takes_its_place() -> None:
    wire = Wire()
    wire.loud.on("Runtime.exceptionThrown", lambda event: wire.handled.append((LOUD, event["n"])))
    for number in range(2 * MESSAGES_PER_SECOND):
        wire.feed("Runtime.consoleAPICalled", {"n": number})
    wire.feed("Runtime.exceptionThrown", {"n": "error"})
    while wire.loud.group.has_waiting:
        await asyncio.sleep(0)
    assert wire.handled[-1] == (LOUD, "error")
    for number in range(ERRORS_PER_SECOND):
        wire.feed("Runtime.exceptionThrown", {"n": f"error {number}"})
    for number in range(2 * MESSAGES_PER_SECOND):
        wire.feed("Runtime.consoleAPICalled", {"n": number})
    await wire.loud.catch_up()
    assert (LOUD, f"error {ERRORS_PER_SECOND - 1}") in wire.handled


def test_the_messages_that_are_held_are_few_and_small() -> None:
    held = NewestMessages()
    for number in range(2000):
        held.add(b"%d" % number + b"x" * 100_000, is_error=number % 2 == 0)
    taken = held.take()
    assert sum(map(len, taken)) <= 2 * MAX_HELD_BYTES
    assert taken[-1].startswith(b"1999x") and taken[-2].startswith(b"1998x")
    assert not held


async def test_a_flood_is_noticed_once_in_each_window() -> None:
    wire = Wire()
    for number in range(FLOOD_MESSAGES * 2):
        wire.feed("Runtime.consoleAPICalled", {"n": number})
    assert wire.floods[:1] == [wire.loud.group]
    assert len(wire.floods) <= 2
    assert wire.calm.group not in wire.floods


async def test_requests_that_wait_for_rove_fail_when_too_many_wait() -> None:
    wire = Wire()
    wire.loud.on("Fetch.requestPaused", lambda event: wire.handled.append((LOUD, event["requestId"])))
    body = "x" * 1_000_000
    for number in range(1200):
        wire.feed(
            "Fetch.requestPaused", {"requestId": f"job-{number}", "request": {"postData": body if number > 300 else ""}}
        )
        if wire.transport.written:
            break
    failed = wire.transport.written[0]
    assert (failed["method"], failed["params"]["errorReason"]) == ("Fetch.failRequest", "Failed")
    assert wire.loud.group._waiting_bytes <= MAX_WAITING_BYTES + len(body) + 1000


def _request(number: int | str, loader: str = "L", frame: str = MAIN) -> bytes:
    start = f'{{"method":"Network.requestWillBeSent","params":{{"requestId":"{number}","loaderId":"{loader}"'
    return f'{start},"frameId":"{frame}"}},"sessionId":"{LOUD}"}}'.encode()


def _end(number: int | str) -> bytes:
    return f'{{"method":"Network.loadingFinished","params":{{"requestId":"{number}","timestamp":1}}}}'.encode()


def _verdict(admission: Admission, data: bytes) -> Verdict:
    return admission.verdict(data[11 : data.find(b'"', 11)], data, len(data))


def test_a_request_is_followed_to_its_end_or_not_at_all() -> None:
    admission = Admission(MAIN.encode())
    verdicts = [_verdict(admission, _request(number)) for number in range(REQUESTS_AT_ONCE + 500)]
    followed = [number for number, verdict in enumerate(verdicts) if verdict is Verdict.READ]
    assert REQUESTS_AT_ONCE <= len(followed) < REQUESTS_AT_ONCE + 400
    assert followed[:REQUESTS_AT_ONCE] == list(range(REQUESTS_AT_ONCE))
    assert _verdict(admission, _end(REQUESTS_AT_ONCE - 1)) is Verdict.READ
    assert _verdict(admission, _end(verdicts.index(Verdict.DROP))) is Verdict.DROP


def test_the_request_for_the_main_document_is_read_whatever_else_a_page_requests() -> None:
    admission = Admission(MAIN.encode())
    for number in range(REQUESTS_AT_ONCE + 500):
        _verdict(admission, _request(number))
    assert _verdict(admission, _request("D", "D")) is Verdict.READ
    assert _verdict(admission, _end("D")) is Verdict.READ
    assert _verdict(admission, _request("E", "E", "F" * 32)) is Verdict.DROP


def test_events_of_the_main_frame_are_read_whatever_frames_a_page_makes() -> None:
    admission = Admission(MAIN.encode())
    attached = b'{"method":"Page.frameAttached","params":{"frameId":"%032d","parentFrameId":"' + MAIN.encode() + b'"}}'
    verdicts = [_verdict(admission, attached % number) for number in range(FRAMES_AT_ONCE + 400)]
    assert verdicts.count(Verdict.DROP) > 0
    left_out = b"%032d" % verdicts.index(Verdict.DROP)
    navigated = b'{"method":"Page.frameNavigated","params":{"frame":{"id":"%b","loaderId":"x"}}}'
    assert _verdict(admission, navigated % MAIN.encode()) is Verdict.READ
    assert _verdict(admission, navigated % left_out) is Verdict.DROP
    lifecycle = b'{"method":"Page.lifecycleEvent","params":{"frameId":"%b","name":"load"}}'
    assert _verdict(admission, lifecycle % MAIN.encode()) is Verdict.READ
    assert _verdict(admission, lifecycle % left_out) is Verdict.SKIP


def test_requests_that_are_not_followed_are_neither_rest_nor_waited_for_without_end() -> None:
    cdp = CdpSession(CdpConnection(PipeTransport(-1, -1)), None)
    tracker = RequestTracker(MAIN, PageEvents(), 1000, lambda: None, FrameOrigins(MAIN, lambda: ""))
    network = NetworkLog(MAIN, FrameOrigins(MAIN, lambda: ""))
    tracker.listen(cdp)
    network.listen(cdp, "page")
    for number in range(3):
        cdp.emit("dropped", {"method": "Network.requestWillBeSent", "requestId": str(number)})
    assert (tracker.unfollowed, network.unrecorded, tracker.has_recent) == (3, 3, True)
    for number in range(3):
        cdp.emit("dropped", {"method": "Network.loadingFinished", "requestId": str(number)})
    assert (tracker.unfollowed, network.unrecorded, tracker.has_recent) == (0, 3, False)
    assert tracker.unfollowed_at > 0


def test_a_bucket_gives_what_it_holds_and_then_a_number_in_each_second() -> None:
    bucket = Bucket(10, 5)
    assert sum(bucket.take(100.0) for _ in range(50)) == 10
    assert sum(bucket.take(101.0) for _ in range(50)) == 5
    assert sum(bucket.take(1000.0) for _ in range(50)) == 10


def test_the_logs_say_how_much_was_not_recorded_and_why() -> None:
    rate = "more than 1000 messages or 4 MB a second were written"
    assert unrecorded_messages(7) == f"7 were not recorded, and the newest were kept: {rate}."
    assert unrecorded_requests(7) == "7 were not recorded: more than 1000 were sent at once, or 100 a second."
    assert unrecorded_messages(0) == unrecorded_requests(0) == ""
