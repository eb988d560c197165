"""Servers of one's own on loopback: one that answers as a test says, one that only notes who came."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def answering(handler: Handler, host: str = "127.0.0.1") -> AsyncGenerator[int]:
    """A server that treats every connection so; gives its port."""
    running: dict[asyncio.Task[None] | None, asyncio.StreamWriter] = {}

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        running[task] = writer
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):  # the other side moved on
                await handler(reader, writer)
        finally:
            del running[task]
            writer.close()

    server = await asyncio.start_server(handle, host, 0, limit=2**20)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for writer in running.values():
            writer.transport.abort()
        await asyncio.gather(*(task for task in running if task is not None))


class Canary:
    """Nobody is meant to come here: by TCP or UDP, to 127.0.0.1 or ::1, at one port."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.calls: list[str] = []


@asynccontextmanager
async def canary() -> AsyncGenerator[Canary]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        bird = Canary(probe.getsockname()[1])
    loop = asyncio.get_running_loop()
    hosts = ["127.0.0.1", "::1"] if _has_ipv6() else ["127.0.0.1"]
    servers = [await loop.create_server(lambda: _Seen(bird, "tcp"), host, bird.port) for host in hosts]
    datagrams = [
        (await loop.create_datagram_endpoint(lambda: _SeenDatagram(bird), local_addr=(host, bird.port)))[0]
        for host in hosts
    ]
    try:
        yield bird
    finally:
        for server in servers:
            server.close()
        for transport in datagrams:
            transport.close()


class _Seen(asyncio.Protocol):
    def __init__(self, bird: Canary, kind: str) -> None:
        self._bird = bird
        self._kind = kind

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._bird.calls.append(f"{self._kind} from {transport.get_extra_info('peername')}")

    def data_received(self, data: bytes) -> None:
        self._bird.calls.append(f"{self._kind}: {data[:200]!r}")


class _SeenDatagram(asyncio.DatagramProtocol):
    def __init__(self, bird: Canary) -> None:
        self._bird = bird

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        self._bird.calls.append(f"udp from {address}: {data[:60]!r}")


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True
