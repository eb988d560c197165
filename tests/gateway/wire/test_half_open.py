"""Connections that send no request: they end by themselves, and those that are used do not."""

from __future__ import annotations

import asyncio

import pytest
from tests.gateway.clients import running_gateway

from rove.surfaces.gateway import server

WHOLE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
PARTS = [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n", WHOLE + b"GET /"]


@pytest.mark.parametrize("sent", PARTS)
async def test_a_connection_without_a_whole_request_is_closed(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.3)
    async with running_gateway() as running, running.client() as client:
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        writer.write(sent)
        async with asyncio.timeout(5):
            await reader.read()  # until its end
        writer.close()
        assert (await client.call("sessions.list")) == {"sessions": []}
