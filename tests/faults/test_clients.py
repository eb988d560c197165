"""Clients that disconnect during a call, and clients that share a session."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.faults.recovery_checks import eventually
from tests.site import Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.surfaces.mcp.features import browser_server
from rove.surfaces.mcp.messages import Message
from rove.surfaces.mcp.protocol import McpConnection
from rove.toolsets.toolset import catalogue_toolset

pytestmark = pytest.mark.one_session

META = "io.modelcontextprotocol/"
MODERN = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}
PAGE = "<p>Page</p><input id=box>"


class Client:
    """One of several MCP clients of the same sessions."""

    def __init__(self, sessions: Sessions, session: str) -> None:
        self._connection = McpConnection(browser_server(sessions, catalogue_toolset()))
        self._session = session
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Message]] = {}

    def begin(self, tool: str, **arguments: Any) -> asyncio.Future[Message]:
        number = next(self._numbers)
        params = {"name": tool, "arguments": {**arguments, "session": self._session}, "_meta": MODERN}
        self._waiting[number] = asyncio.get_running_loop().create_future()
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        self._connection.receive(message, self._receive)
        return self._waiting[number]

    async def call(self, tool: str, **arguments: Any) -> str:
        answer = (await asyncio.wait_for(self.begin(tool, **arguments), 60))["result"]
        text: str = answer["content"][0]["text"]
        assert not answer.get("isError"), text
        return text

    async def disconnect(self) -> None:
        await self._connection.close()

    async def _receive(self, message: Message) -> None:
        if "id" in message and not self._waiting[message["id"]].done():
            self._waiting[message["id"]].set_result(message)


@pytest.fixture
async def clients(sessions: Sessions, session: Session) -> AsyncGenerator[list[Client]]:
    """Three clients that share one session."""
    made = [Client(sessions, session.name) for _ in range(3)]
    yield made
    for client in made:
        await client.disconnect()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("browser_wait", {"text": "Never"}),
        ("browser_evaluate", {"expression": "new Promise(() => {})"}),
        ("browser_type", {"text": "slow " * 2000, "target": "#box"}),
        ("browser_navigate", {"url": "/held"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_36_when_a_client_disconnects_its_call_ends_and_its_session_stays_open(
    session: Session, clients: list[Client], site: Site, tool: str, arguments: dict[str, Any]
) -> None:
    gone, stays, _ = clients
    held = site.page("/held", "<p>Held</p>", hold=threading.Event())
    await gone.call("browser_navigate", url=site.page("/", PAGE))
    await gone.call("browser_evaluate", expression="window.kept = 'here'")
    if "url" in arguments:
        arguments = {"url": held}
    under_way = gone.begin(tool, timeout=60, **arguments)
    await eventually(lambda: session._engine.running_calls == 1)
    assert not under_way.done()
    began = time.monotonic()
    await gone.disconnect()
    assert session._engine.running_calls == 0
    assert "here" in await stays.call("browser_evaluate", expression="kept")
    assert time.monotonic() - began < 10


async def test_37_what_several_clients_type_into_one_field_is_not_interleaved(
    clients: list[Client], site: Site
) -> None:
    await clients[0].call("browser_navigate", url=site.page("/", PAGE))
    words = ["a" * 60, "b" * 60, "c" * 60]
    typing = [
        client.call("browser_type", text=word, target="#box") for client, word in zip(clients, words, strict=True)
    ]
    await asyncio.gather(*typing)
    typed = await clients[0].call("browser_evaluate", expression="document.querySelector('#box').value")
    assert any("".join(order) in typed for order in itertools.permutations(words))
