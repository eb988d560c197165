"""Every answer over HTTP tells browsers what they may do with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.gateway.clients import RunningGateway, running_gateway

from rove.surfaces.gateway import server
from rove.surfaces.gateway.server import HEADERS

UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
KEY = b"dGhlIHNhbXBsZSBub25jZQ==\r\n"
REQUESTS = {
    b"200": [b"GET / HTTP/1.1\r\n", b"GET /healthz HTTP/1.1\r\n", b"HEAD /scripts/main.js HTTP/1.1\r\n"],
    b"400": [b"GET / with spaces HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nContent-Length: x\r\n"],
    b"401": [b"GET /metrics HTTP/1.1\r\n", b"POST /mcp HTTP/1.1\r\n", b"GET /mcp HTTP/1.1\r\n"],
    b"403": [
        b"GET / HTTP/1.1\r\nOrigin: http://elsewhere.test\r\n",
        b"POST /mcp HTTP/1.1\r\nOrigin: null\r\n",
        b"GET / HTTP/1.1\r\nOrigin: http://elsewhere.test\r\n" + UPGRADE + KEY,
    ],
    b"404": [b"GET /../../etc/passwd HTTP/1.1\r\n", b"GET /%00 HTTP/1.1\r\n", b"GET /scripts HTTP/1.1\r\n"],
    b"405": [b"POST / HTTP/1.1\r\n", b"DELETE /healthz HTTP/1.1\r\n"],
}


@pytest.fixture(scope="module")
async def gateway() -> AsyncGenerator[RunningGateway]:
    async with running_gateway() as running:
        yield running


async def ask(gateway: RunningGateway, request: bytes) -> tuple[bytes, dict[str, str]]:
    """Send a request; return the status and the headers of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    writer.write(request + b"Host: localhost\r\n\r\n")
    async with asyncio.timeout(10):
        head = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    first, *lines = head.decode().strip().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    assert len(headers) == len(lines), "none is there twice"
    return first.split()[1].encode(), headers


@pytest.mark.parametrize(("status", "request_"), [(status, one) for status, all_ in REQUESTS.items() for one in all_])
async def test_every_answer_has_the_headers(gateway: RunningGateway, status: bytes, request_: bytes) -> None:
    got, headers = await ask(gateway, request_)
    assert got == status
    assert {name.lower(): value.lower() for name, value in HEADERS.items()}.items() <= headers.items()


async def test_the_files_of_the_page_are_listed_once(gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await ask(gateway, b"GET / HTTP/1.1\r\n"))[0] == b"200"
    monkeypatch.setattr(server, "WEB", Path("/nowhere"))
    assert (await ask(gateway, b"GET / HTTP/1.1\r\n"))[0] == b"200"
