"""Upstream proxies for tests: SOCKS5 and HTTP CONNECT.

They have a table of routes from public addresses to local ports. So tests can connect to public addresses, and no
packet leaves the machine.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address

from tests.loopback_servers import answering


@dataclass
class UpstreamProxy:
    """A proxy's routes, and the addresses that its clients asked for."""

    port: int = 0
    routes: dict[str, int] = field(default_factory=dict)
    requested: list[tuple[str, int]] = field(default_factory=list)
    login: tuple[str, str] | None = None

    def add_route(self, address: str, port: int) -> None:
        self.routes[str(ip_address(address))] = port


@asynccontextmanager
async def socks_proxy(login: tuple[str, str] | None = None) -> AsyncGenerator[UpstreamProxy]:
    """Run a SOCKS5 proxy that accepts only addresses, and refuses names."""
    upstream_proxy = UpstreamProxy(login=login)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, count = await reader.readexactly(2)
        offered = await reader.readexactly(count)
        method = 2 if login else 0
        if method not in offered:
            writer.write(b"\x05\xff")
            return
        writer.write(bytes((5, method)))
        if login and not await _accepts_login(login, reader, writer):
            return
        head = await reader.readexactly(4)
        if head[3] not in (1, 4):
            writer.write(b"\x05\x08\x00\x01" + bytes(6))
            return
        address = str(ip_address(await reader.readexactly(4 if head[3] == 1 else 16)))
        port = int.from_bytes(await reader.readexactly(2), "big")
        upstream_proxy.requested.append((address, port))
        if address not in upstream_proxy.routes:
            writer.write(b"\x05\x05\x00\x01" + bytes(6))
            return
        writer.write(b"\x05\x00\x00\x01" + bytes(6))
        await _forward(reader, writer, upstream_proxy.routes[address])

    async with answering(handle) as upstream_proxy.port:
        yield upstream_proxy


@asynccontextmanager
async def http_proxy(
    login: tuple[str, str] | None = None, status: str = "502 Bad Gateway"
) -> AsyncGenerator[UpstreamProxy]:
    """Run a proxy that connects to addresses that have a route, and answers with the given status for others."""
    upstream_proxy = UpstreamProxy(login=login)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        method, target, _ = head.split(" ", 2)
        host, _, port = target.rpartition(":")
        address = host.strip("[]")
        upstream_proxy.requested.append((address, int(port)))
        token = base64.b64encode(":".join(login).encode()).decode() if login else ""
        if method != "CONNECT" or (login and f"Proxy-Authorization: Basic {token}\r\n" not in head):
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
        elif address not in upstream_proxy.routes:
            writer.write(f"HTTP/1.1 {status}\r\n\r\n".encode())
        else:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await _forward(reader, writer, upstream_proxy.routes[address])

    async with answering(handle) as upstream_proxy.port:
        yield upstream_proxy


async def _accepts_login(login: tuple[str, str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    _, length = await reader.readexactly(2)
    username = await reader.readexactly(length)
    password = await reader.readexactly((await reader.readexactly(1))[0])
    is_accepted = (username.decode(), password.decode()) == login
    writer.write(b"\x01\x00" if is_accepted else b"\x01\x01")
    return is_accepted


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    target_reader, target_writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        await asyncio.gather(_one_way(reader, target_writer), _one_way(target_reader, writer))
    finally:
        target_writer.close()


async def _one_way(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        to.write(data)
        await to.drain()
    if to.can_write_eof():
        to.write_eof()
