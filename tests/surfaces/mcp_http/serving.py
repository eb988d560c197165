"""A real HTTP server on a loopback port for an application, in the event loop of the test."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp


@dataclass(frozen=True)
class Holder:
    """The holder of a token."""

    name: str
    scopes: Collection[str] = ("act",)


class KnownTokens:
    """Tokens and their holders."""

    def __init__(self, **holders: Holder) -> None:
        self.holders = holders

    def caller(self, token: str) -> Holder | None:
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
