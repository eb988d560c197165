"""Commands, answers and events over WebDriver BiDi, with messages as Firefox writes them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from rove.browser.firefox.connection import BidiConnection, BidiError
from rove.browser.logs import MESSAGES_PER_SECOND, REQUESTS_AT_ONCE
from rove.browser.shared.connection import Connection, Transport
from rove.browser.shared.flood import MAX_HELD

TOP, FRAME, REALM = "11111111-aaaa", "4294967297", "22222222-bbbb"


class Sent(Transport):
    """A transport without a browser: what is sent is kept."""

    unsent = 0

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    async def open(self, connection: Connection) -> None: ...
    def write(self, message: bytes) -> None:
        self.messages.append(json.loads(message))

    def close(self) -> None: ...


async def opened() -> tuple[BidiConnection, Sent]:
    transport = Sent()
    connection = BidiConnection(transport)
    await connection.open()
    created(connection, TOP, None)
    return connection, transport


def event(connection: BidiConnection, method: str, params: dict[str, Any]) -> None:
    data = json.dumps({"type": "event", "method": method, "params": params}, separators=(",", ":")).encode()
    connection.message_received(data, len(data))


def created(connection: BidiConnection, context: str, parent: str | None) -> None:
    info = {"children": None, "context": context, "url": "about:blank", "userContext": "u", "parent": parent}
    event(connection, "browsingContext.contextCreated", info)


def request(number: int, *, navigation: str | None = None, is_blocked: bool = False) -> dict[str, Any]:
    about = {"context": FRAME, "isBlocked": is_blocked, "navigation": navigation, "redirectCount": 0}
    return {**about, "request": {"request": f"{number}-x", "url": 'http://a/"navigation":"'}}


async def test_events_of_frames_reach_the_page_that_they_are_in() -> None:
    connection, _ = await opened()
    seen: list[str] = []
    page = connection.page(TOP)
    page.on("browsingContext.load", lambda params: seen.append(params["context"]))
    created(connection, FRAME, TOP)
    event(connection, "browsingContext.load", {"context": FRAME, "url": "x"})
    event(connection, "browsingContext.load", {"context": "unknown", "url": "x"})
    assert seen == [FRAME]
    assert connection.top_of(FRAME) == TOP
    assert page.user_context == "u"


async def test_a_command_fails_with_what_the_browser_says_and_when_its_page_is_gone() -> None:
    connection, sent = await opened()
    refused = asyncio.ensure_future(connection.send("any.thing"))
    pending = asyncio.ensure_future(connection.page(TOP).send("script.evaluate"))
    await asyncio.sleep(0)
    assert sent.messages[1]["params"] == {"context": TOP}
    answer = {"type": "error", "id": 1, "error": "no such frame", "message": "gone"}
    connection.message_received(json.dumps(answer).encode(), 0)
    with pytest.raises(BidiError) as error:
        await refused
    assert error.value.code == "no such frame"
    event(connection, "browsingContext.contextDestroyed", {"children": [], "context": TOP})
    with pytest.raises(BidiError):
        await pending
    assert connection.page(TOP).is_closed is False, "a new page may have the same id"


async def test_a_command_that_is_not_answered_ends() -> None:
    connection, _ = await opened()
    with pytest.raises(BidiError):
        await connection.send("any.thing", timeout=0.01)


async def test_an_answer_that_is_too_large_is_refused_unread() -> None:
    connection, _ = await opened()
    waiting = asyncio.ensure_future(connection.send("any.thing", max_bytes=200_000))
    await asyncio.sleep(0)
    connection.message_received(b'{"type":"success","id":1,"result":{"data":"' + b"x" * 300_000, 300_000)
    with pytest.raises(BidiError):
        await waiting


async def test_of_console_messages_beyond_the_limit_the_newest_are_kept_and_the_others_counted() -> None:
    connection, _ = await opened()
    read: list[Any] = []
    dropped: list[Any] = []
    connection.page(TOP).on("log.entryAdded", read.append)
    connection.page(TOP).on("dropped", dropped.append)
    count = MESSAGES_PER_SECOND + MAX_HELD + 50
    for number in range(count):
        entry = {"type": "console", "method": "log", "source": {"realm": REALM, "context": TOP}, "args": [number]}
        event(connection, "log.entryAdded", entry)
    error = {"type": "javascript", "level": "error", "source": {"realm": REALM, "context": TOP}, "args": ["error"]}
    event(connection, "log.entryAdded", error)
    assert [entry["args"][0] for entry in read] == [*range(MESSAGES_PER_SECOND), "error"]
    connection.page(TOP).on("browsingContext.navigationCommitted", lambda params: None)
    event(connection, "browsingContext.navigationCommitted", {"context": TOP, "url": "x"})
    assert [entry["args"][0] for entry in read[MESSAGES_PER_SECOND + 1 :]] == [*range(count - MAX_HELD, count)]
    assert dropped == [{"method": "log.entryAdded"}] * 50


async def test_requests_for_documents_and_those_that_wait_for_rove_are_never_dropped() -> None:
    connection, _ = await opened()
    created(connection, FRAME, TOP)
    read: list[str] = []
    connection.page(TOP).on("network.beforeRequestSent", lambda params: read.append(params["request"]["request"]))
    for number in range(REQUESTS_AT_ONCE + 200):
        event(connection, "network.beforeRequestSent", request(number))
    assert len(read) < REQUESTS_AT_ONCE + 100
    event(connection, "network.beforeRequestSent", request(9001, navigation="n"))
    event(connection, "network.beforeRequestSent", request(9002, is_blocked=True))
    assert read[-2:] == ["9001-x", "9002-x"]


async def test_the_end_of_the_connection_fails_commands_and_ends_pages() -> None:
    connection, _ = await opened()
    ends: list[bool] = []
    connection.on_end(lambda: ends.append(True))
    pending = asyncio.ensure_future(connection.send("any.thing"))
    await asyncio.sleep(0)
    page = connection.page(TOP)
    connection.close()
    with pytest.raises(BidiError):
        await pending
    assert page.is_closed
    assert ends == [True]
