"""Small proxies of the kinds that stand between a network and the world.

The world beyond them is made up: a route says which local port a public address leads to. So tests can dial public
addresses, and nothing leaves the machine.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address

from tests.listening import answering


@dataclass
class World:
    """What lies beyond a proxy, and which of it was asked for."""

    port: int = 0
    routes: dict[str, int] = field(default_factory=dict)
    asked: list[tuple[str, int]] = field(default_factory=list)
    login: tuple[str, str] | None = None

    def lead(self, address: str, port: int) -> None:
        self.routes[str(ip_address(address))] = port


@asynccontextmanager
async def socks_proxy(login: tuple[str, str] | None = None) -> AsyncGenerator[World]:
    """SOCKS5, which takes addresses only: whoever sends it a name is refused."""
    world = World(login=login)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, count = await reader.readexactly(2)
        offered = await reader.readexactly(count)
        way = 2 if login else 0
        if way not in offered:
            writer.write(b"\x05\xff")
            return
        writer.write(bytes((5, way)))
        if login and not await _knows(login, reader, writer):
            return
        head = await reader.readexactly(4)
        if head[3] not in (1, 4):
            writer.write(b"\x05\x08\x00\x01" + bytes(6))
            return
        address = str(ip_address(await reader.readexactly(4 if head[3] == 1 else 16)))
        port = int.from_bytes(await reader.readexactly(2), "big")
        world.asked.append((address, port))
        if address not in world.routes:
            writer.write(b"\x05\x05\x00\x01" + bytes(6))
            return
        writer.write(b"\x05\x00\x00\x01" + bytes(6))
        await _carry(reader, writer, world.routes[address])

    async with answering(handle) as world.port:
        yield world


@asynccontextmanager
async def http_proxy(login: tuple[str, str] | None = None, status: str = "502 Bad Gateway") -> AsyncGenerator[World]:
    """CONNECT, to addresses that lead somewhere; to others it answers with the given status."""
    world = World(login=login)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        method, target, _ = head.split(" ", 2)
        host, _, port = target.rpartition(":")
        address = host.strip("[]")
        world.asked.append((address, int(port)))
        token = base64.b64encode(":".join(login).encode()).decode() if login else ""
        if method != "CONNECT" or (login and f"Proxy-Authorization: Basic {token}\r\n" not in head):
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
        elif address not in world.routes:
            writer.write(f"HTTP/1.1 {status}\r\n\r\n".encode())
        else:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await _carry(reader, writer, world.routes[address])

    async with answering(handle) as world.port:
        yield world


async def _knows(login: tuple[str, str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    _, length = await reader.readexactly(2)
    name = await reader.readexactly(length)
    word = await reader.readexactly((await reader.readexactly(1))[0])
    is_known = (name.decode(), word.decode()) == login
    writer.write(b"\x01\x00" if is_known else b"\x01\x01")
    return is_known


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    there, back = await asyncio.open_connection("127.0.0.1", port)
    try:
        await asyncio.gather(_one_way(reader, back), _one_way(there, writer))
    finally:
        back.close()


async def _one_way(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        to.write(data)
        await to.drain()
    if to.can_write_eof():
        to.write_eof()
