"""Servers on loopback for tests: one with a handler of the test's own, and one that records every contact."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def answering(handler: Handler, host: str = "127.0.0.1") -> AsyncGenerator[int]:
    """Run a server that handles every connection with this function, and yield its port."""
    running: dict[asyncio.Task[None] | None, asyncio.StreamWriter] = {}

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        running[task] = writer
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):  # the client closed the connection
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
    """A port that must not be reached, over TCP or UDP, at 127.0.0.1 or ::1; and the contacts that it recorded."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.calls: list[str] = []


@asynccontextmanager
async def canary() -> AsyncGenerator[Canary]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        watched = Canary(probe.getsockname()[1])
    loop = asyncio.get_running_loop()
    hosts = ["127.0.0.1", "::1"] if _has_ipv6() else ["127.0.0.1"]
    servers = [await loop.create_server(lambda: _RecordTcp(watched, "tcp"), host, watched.port) for host in hosts]
    datagrams = [
        (await loop.create_datagram_endpoint(lambda: _RecordUdp(watched), local_addr=(host, watched.port)))[0]
        for host in hosts
    ]
    try:
        yield watched
    finally:
        for server in servers:
            server.close()
        for transport in datagrams:
            transport.close()


class _RecordTcp(asyncio.Protocol):
    def __init__(self, watched: Canary, kind: str) -> None:
        self._canary = watched
        self._kind = kind

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._canary.calls.append(f"{self._kind} from {transport.get_extra_info('peername')}")

    def data_received(self, data: bytes) -> None:
        self._canary.calls.append(f"{self._kind}: {data[:200]!r}")


class _RecordUdp(asyncio.DatagramProtocol):
    def __init__(self, watched: Canary) -> None:
        self._canary = watched

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        self._canary.calls.append(f"udp from {address}: {data[:60]!r}")


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True
