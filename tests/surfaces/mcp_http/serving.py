"""A real HTTP server on a loopback port, tokens for it, and the SDK's client connected to it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import uvicorn
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation
from starlette.types import ASGIApp


@dataclass(frozen=True)
class Holder:
    """The holder of a token."""

    id: str
    scopes: Collection[str] = ("act", "approve")

    @property
    def owner(self) -> str | None:
        return None if "own" in self.scopes else self.id


class KnownTokens:
    """Tokens and their holders."""

    def __init__(self, **holders: Holder) -> None:
        self.holders = holders

    def find(self, token: str) -> Holder | None:
        return self.holders.get(token)


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncGenerator[str]:
    """Serve an application and yield its address, such as http://127.0.0.1:4711."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=5))
        task = asyncio.ensure_future(server.serve(sockets=[listening]))
        while not server.started:
            assert not task.done()
            await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


TOKENS = KnownTokens(
    **{
        "token-of-anna": Holder("anna"),
        "token-of-bea": Holder("bea"),
        "token-of-the-owner": Holder("owner", ("own",)),
        "token-of-an-agent": Holder("agent", ("act",)),
        "token-of-a-viewer": Holder("viewer", ("view",)),
    }
)


@asynccontextmanager
async def connected(
    url: str, mode: str, token: str = "token-of-anna", name: str = "sdk", **more: Any
) -> AsyncGenerator[Client]:
    """Connect the SDK's client. `mode`: `legacy`, `auto` or a revision."""
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        transport = streamable_http_client(url, http_client=http)
        info = Implementation(name=name, version="1")
        async with Client(transport, mode=mode, read_timeout_seconds=60, client_info=info, **more) as client:
            yield client
