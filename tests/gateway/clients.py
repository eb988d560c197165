"""A gateway on a free port in this process, and a plain WebSocket client for it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedError

from rove.settings.tree import Serving, load
from rove.surfaces.gateway.gateway import Gateway, MakeSessions
from rove.surfaces.gateway.server import Server, config, open_port

PATIENCE = 20.0
Message = dict[str, Any]


class GatewayClient:
    """Sends requests and collects events, as any program with a WebSocket library could."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.events: list[Message] = []
        self._numbers = itertools.count(1)
        self._answers: dict[object, Message] = {}
        self._news = asyncio.Condition()
        self._reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        with contextlib.suppress(ConnectionClosedError):  # `closed` tells how it ended
            async for text in self.socket:
                await self._note(json.loads(text))

    async def _note(self, message: Message) -> None:
        async with self._news:
            if "event" in message:
                self.events.append(message)
            else:
                self._answers[message.get("id")] = message
            self._news.notify_all()

    async def send(self, message: Any) -> None:
        await self.socket.send(message if isinstance(message, str) else json.dumps(message))

    async def answer(self, identity: object) -> Message:
        """Wait for the answer to a request."""
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: identity in self._answers)
            return self._answers.pop(identity)

    async def request(self, method: str, **params: Any) -> Message:
        """Send a request and return its whole answer."""
        identity = next(self._numbers)
        await self.send({"id": identity, "method": method, "params": params})
        return await self.answer(identity)

    async def call(self, method: str, **params: Any) -> Any:
        """Send a request that must succeed, and return its result."""
        answer = await self.request(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    async def refused(self, method: str, **params: Any) -> Message:
        """Send a request that must fail, and return its error."""
        answer = await self.request(method, **params)
        assert "error" in answer, answer
        error: Message = answer["error"]
        return error

    async def event(self, name: str, **wanted: Any) -> Message:
        """Wait for an event with these data, also one that came before; return its data."""

        def found() -> Message | None:
            for message in self.events:
                if message["event"] == name and all(message["data"].get(key) == value for key, value in wanted.items()):
                    data: Message = message["data"]
                    return data
            return None

        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: found() is not None)
            data = found()
            assert data is not None
            return data

    async def next_event(self, name: str, after: int, number: int = 0) -> Message:
        """Return the data of the event of that name which is the `number`th among those after so many, once it came."""

        def found() -> list[Message]:
            return [message["data"] for message in self.events[after:] if message["event"] == name]

        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: len(found()) > number)
            return found()[number]

    async def closed(self) -> tuple[int | None, str]:
        """Wait until the server has closed the connection; return the code and the reason."""
        async with asyncio.timeout(PATIENCE):
            await self.socket.wait_closed()
        return self.socket.close_code, self.socket.close_reason or ""

    async def close(self) -> None:
        await self.socket.close()
        await asyncio.wait({self._reading})


class RunningGateway:
    """A gateway that serves."""

    def __init__(self, gateway: Gateway, port: int) -> None:
        self.gateway = gateway
        self.port = port

    @property
    def address(self) -> str:
        return f"ws://localhost:{self.port}"

    @contextlib.asynccontextmanager
    async def raw_client(self, **options: Any) -> AsyncGenerator[GatewayClient]:
        """Connect without authenticating."""
        client = GatewayClient(await connect(self.address, max_size=None, **options))
        try:
            yield client
        finally:
            await client.close()

    @contextlib.asynccontextmanager
    async def client(self, token: str | None = None, since: int | None = None) -> AsyncGenerator[GatewayClient]:
        """Connect and authenticate, as the owner unless a token is given."""
        async with self.raw_client() as client:
            since_last = {} if since is None else {"since": since}
            await client.send({"type": "auth", "token": token or self.gateway.tokens.owner, **since_last})
            await client.event("hello")
            yield client


@contextlib.asynccontextmanager
async def running_gateway(
    demo_site: str | None = None, make_sessions: MakeSessions | None = None, **settings: Any
) -> AsyncGenerator[RunningGateway]:
    """Serve a gateway with a home of its own. A keyword is a setting; `serve__port` is set to a free one.

    With ROVE_TESTS_ON_NODES in the environment, its sessions are on nodes: every test must pass all the same.
    """
    home = Path(tempfile.mkdtemp(prefix="rv"))
    serve = {key.removeprefix("serve__"): settings.pop(key) for key in [*settings] if key.startswith("serve__")}
    loaded = replace(load(home=home, **settings), serve=Serving(port=0, **serve))
    if make_sessions is None and os.environ.get("ROVE_TESTS_ON_NODES"):
        from tests.cluster.gateways import maker_on  # which imports this module

        make_sessions = maker_on("n1", "n2")
    gateway = Gateway(loaded, demo_site, make_sessions=make_sessions)
    listener = open_port(gateway)
    server: uvicorn.Server = Server(config(gateway))
    async with gateway:
        serving = asyncio.ensure_future(server.serve([listener]))
        try:
            yield RunningGateway(gateway, listener.getsockname()[1])
        finally:
            await gateway.close_clients()
            server.should_exit = True
            await serving
    shutil.rmtree(home, ignore_errors=True)
