"""Messages to the gateway's WebSocket: each is answered with a result or an error, and the next is served."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.websockets import WebSocket
from tests.fuzz.targets.mcp_messages import RAW, SECONDS, VALUES

from rove.errors import RoveError
from rove.fields import declared
from rove.settings.tree import Serving, load
from rove.surfaces.gateway.connection import Connection
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import methods

# These would change the gateway for the cases after them, or wait for a person.
LEFT_OUT = ("settings.", "tokens.", "hosts.", "chat.send", "sessions.create")


class GatewayMessages:
    """A connection that has authenticated. An input is its messages, one in each line."""

    name = "gateway_messages"
    tokens = (*RAW, b'"params":', b'"id":', b'"method":', b'"type":"auth"')
    accepted: Mapping[str, str] = {}

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._loop = asyncio.new_event_loop()
        self._methods = sorted(name for name in methods() if not name.startswith(LEFT_OUT))
        self._gateway = self._loop.run_until_complete(self._opened(Path(self._folder.name)))

    async def _opened(self, home: Path) -> Gateway:
        settings = load(home=home, browser=home / "none", fetch_browser=False)
        gateway = Gateway(replace(settings, serve=Serving(port=0, requests_per_second=10**6)))
        return await gateway.__aenter__()

    def generate(self, choose: random.Random) -> bytes:
        return b"\n".join(json.dumps(self._message(choose)).encode() for _ in range(choose.choice((1, 1, 3))))

    def _message(self, choose: random.Random) -> Any:
        method = choose.choice(self._methods)
        names = [*declared(methods()[method]), "unknown"]
        params = {name: choose.choice(VALUES) for name in names if choose.random() < 0.6}
        built: dict[str, Any] = {"id": choose.choice((1, "a", None, 2**70)), "method": method, "params": params}
        if choose.random() < 0.2:
            built[choose.choice(list(built))] = choose.choice(VALUES)
        return built

    def check(self, data: bytes) -> set[str]:
        texts = [line.decode("utf-8", "replace") for line in data.split(b"\n")]
        if any(f'"{name}' in text for text in texts for name in LEFT_OUT):
            return set()
        self._loop.run_until_complete(asyncio.wait_for(self._check(texts), SECONDS))
        return set()

    async def _check(self, texts: list[str]) -> None:
        first = json.dumps({"type": "auth", "token": self._gateway.tokens.owner})
        client = _Client([first, *texts, '{"id":"last","method":"no.such"}'])
        await Connection(self._gateway, client.socket).serve()
        errors = [answer["error"] for answer in client.received if "error" in answer]
        assert any(answer.get("id") == "last" for answer in client.received), "the next message is not served"
        for error in errors:
            assert error["code"] != RoveError.code, error["message"]


class _Client:
    """A client that sends its messages at once, and goes when the last is answered."""

    def __init__(self, texts: list[str]) -> None:
        self.received: list[dict[str, Any]] = []
        self._unsent: list[dict[str, Any]] = [{"type": "websocket.receive", "text": text} for text in reversed(texts)]
        self._unsent.append({"type": "websocket.connect"})
        self._is_over = asyncio.Event()
        self.socket = WebSocket({"type": "websocket"}, self._receive, self._send)

    async def _receive(self) -> Any:
        if self._unsent:
            return self._unsent.pop()
        await self._is_over.wait()
        return {"type": "websocket.disconnect", "code": 1000}

    async def _send(self, sent: Any) -> None:
        if sent["type"] == "websocket.send":
            self.received.append(json.loads(sent["text"]))
        if sent["type"] == "websocket.close" or (self.received and self.received[-1].get("id") == "last"):
            self._is_over.set()
