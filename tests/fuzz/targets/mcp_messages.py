"""MCP messages over standard input: whatever a client sends, it is answered or ignored, and the next is served."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rove.engine.sessions import Sessions
from rove.settings.tree import Settings
from rove.surfaces.mcp.features import browser_server
from rove.surfaces.mcp.messages import INTERNAL, Message, to_json
from rove.surfaces.mcp.protocol import McpConnection
from rove.surfaces.mcp.stdio import receive_line
from rove.toolsets.toolset import catalogue_toolset

META = "io.modelcontextprotocol/"
# For one case, on a busy machine.
SECONDS = 100.0
METHODS = (
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "resources/subscribe",
    "subscriptions/listen",
    "server/discover",
    "notifications/cancelled",
    "notifications/initialized",
    "logging/setLevel",
    "completion/complete",
    "no/such",
)
# No browser can be started in these tests, so a call that is valid ends with an error that says so.
CALLS = (
    {"name": "browser_click", "arguments": {"target": "e1"}},
    {"name": "browser_navigate", "arguments": {"url": "http://exa mple.com/"}},
    {"name": "browser_snapshot", "arguments": {}},
    {"name": "browser_fill", "arguments": {"fields": [{"target": "e1", "value": "secret:x"}]}},
    {"name": "browser_batch", "arguments": {"steps": [{"click": {"target": "e1"}}]}},
    {"name": "browser_click", "arguments": {"target": 1, "session": ["x"], "timeout": "9" * 400}},
    {"name": "browser_clik"},
    {"name": ["browser_click"]},
)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


VALUES: tuple[Any, ...] = (
    nested(300),
    nested(700),
    nested(930),
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    1e308,
    "",
    "x",
    "\ud800",
    "\x00",
    "é" * 50,
    [],
    [None],
    {},
    {"a": {}},
    [[]] * 3,
)
RAW = (
    b"[" * 700 + b"]" * 700,
    b"[" * 100_000,
    b'{"a":' * 400 + b"1" + b"}" * 400,
    b"1e999",
    b"NaN",
    b"-Infinity",
    b"9" * 5000,
    b'"\\ud800"',
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\x00",
    b'{"id":1,"id":2}',
    b'"jsonrpc":"1.0",',
    b"[]",
    b"[1,2,3]",
    b"\n",
)


class Client:
    """What a client of one connection has been sent."""

    def __init__(self) -> None:
        self.received: list[Message] = []

    async def send(self, message: Message) -> None:
        to_json(message)
        self.received.append(message)


class ServerWithoutBrowser:
    """A server in a folder of its own whose sessions cannot start a browser."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        home = Path(self._folder.name)
        settings = Settings(home=home, browser=home / "none", fetch_browser=False, start_early=False)
        self.loop = asyncio.new_event_loop()
        self.sessions = Sessions(settings)
        self.tools = catalogue_toolset()


class McpMessages(ServerWithoutBrowser):
    """The server behind `rove mcp`, from the lines of its input on."""

    name = "mcp_messages"
    tokens = (
        *RAW,
        *(json.dumps(method).encode() for method in METHODS),
        b'"_meta":{},',
        b'"params":',
        b'"id":',
        b'"method":',
        b'"requestId":',
        b'"cursor":"x"',
        b'"requestState":"x"',
        b'"inputResponses":{"approval":{}}',
        b'"progressToken":[]',
    )
    accepted: Mapping[str, str] = {}

    def __init__(self) -> None:
        super().__init__()
        self._server = browser_server(self.sessions, self.tools)

    def generate(self, choose: random.Random) -> bytes:
        messages = [message(choose) for _ in range(choose.choice((1, 1, 2, 4)))]
        if choose.random() < 0.05:
            return choose.choice(RAW)
        if choose.random() < 0.1:
            return json.dumps(messages * choose.choice((1, 200))).encode()
        return b"\n".join(json.dumps(each).encode() for each in messages)

    def check(self, data: bytes) -> set[str]:
        self.loop.run_until_complete(asyncio.wait_for(self._check(data), SECONDS))
        return set()

    async def _check(self, data: bytes) -> None:
        connection, client = McpConnection(self._server), Client()
        for line in data.split(b"\n"):
            if line.strip():
                await receive_line(line, connection, client.send)
        await connection.finish(0.5)  # subscriptions do not end
        check_answers(client.received)
        ping = Client()
        await receive_line(b'{"jsonrpc":"2.0","id":"last","method":"ping"}', connection, ping.send)
        while not ping.received:
            await asyncio.sleep(0.001)
        assert ping.received == [{"jsonrpc": "2.0", "id": "last", "result": {}}], "the next message is not served"
        await connection.close()


def message(choose: random.Random) -> Any:
    """Return a message that is nearly always one of JSON-RPC."""
    method = choose.choice(METHODS)
    params: Any = dict(choose.choice(CALLS)) if method == "tools/call" else {}
    if method == "initialize":
        params = {"protocolVersion": choose.choice(("2025-06-18", "2024-11-05", "1", 3)), "capabilities": {}}
    if choose.random() < 0.4:
        params["_meta"] = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}
    if choose.random() < 0.4:
        params[
            choose.choice(("name", "arguments", "uri", "_meta", "requestId", "cursor", "capabilities", "requestState"))
        ] = choose.choice(VALUES)
    built: dict[str, Any] = {"jsonrpc": "2.0", "id": choose.choice((1, "a", 2**63)), "method": method, "params": params}
    if choose.random() < 0.3:
        built[choose.choice(list(built))] = choose.choice(VALUES)
    if choose.random() < 0.2:
        del built[choose.choice(list(built))]
    return built


def check_answers(answers: list[Message]) -> None:
    for answer in answers:
        if "method" in answer:
            continue
        assert answer["jsonrpc"] == "2.0" and ("result" in answer) != ("error" in answer), "not a JSON-RPC answer"
        assert answer.get("error", {}).get("code") != INTERNAL, answer["error"]["message"]
