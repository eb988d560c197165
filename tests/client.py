"""An HTTP client of a proxy that sends exactly the given lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Reply:
    """A response of the proxy."""

    status: int
    headers: dict[str, str]
    body: bytes


class Client:
    """One connection to a proxy."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, *lines: str, body: bytes = b"") -> None:
        self.writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)

    async def get(self, url: str, *headers: str, method: str = "GET") -> Reply:
        host = url.split("/")[2]
        self.send(f"{method} {url} HTTP/1.1", f"Host: {host}", *headers)
        return await self.reply(has_body=method != "HEAD")

    async def connect(self, place: str) -> Reply:
        self.send(f"CONNECT {place} HTTP/1.1", f"Host: {place}")
        reply = await self.head()
        length = 0 if reply.status == 200 else int(reply.headers.get("content-length", 0))
        return Reply(reply.status, reply.headers, await self.reader.readexactly(length))

    async def head(self) -> Reply:
        first, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return Reply(int(first.split()[1]), headers, b"")

    async def reply(self, *, has_body: bool = True) -> Reply:
        reply = await self.head()
        if not has_body or reply.status in (204, 304):
            return reply
        if reply.headers.get("transfer-encoding") == "chunked":
            return Reply(reply.status, reply.headers, await self._chunks())
        if "content-length" in reply.headers:
            body = await self.reader.readexactly(int(reply.headers["content-length"]))
            return Reply(reply.status, reply.headers, body)
        return Reply(reply.status, reply.headers, await self.reader.read())

    async def _chunks(self) -> bytes:
        body = b""
        while length := int((await self.reader.readline()).partition(b";")[0], 16):
            body += (await self.reader.readexactly(length + 2))[:-2]
        while (await self.reader.readline()).strip():
            pass
        return body


@asynccontextmanager
async def connected(port: int) -> AsyncGenerator[Client]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()
