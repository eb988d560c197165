"""G1: Ambiguous requests do not reach a server, and smuggle no second request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import pytest
from tests.client import Client, connected
from tests.loopback_servers import answering

from rove.guard.network.addresses import OwnPorts
from rove.guard.network.host_rules import HostRules
from rove.guard.network.proxy import EgressProxy

HIDDEN = b"GET http://127.0.0.1/hidden HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@dataclass
class RecordingSetup:
    """A proxy, and a server behind it that records every byte."""

    egress: EgressProxy
    port: int = 0
    received: list[bytes] = field(default_factory=list)

    @property
    def authority(self) -> str:
        return f"127.0.0.1:{self.port}"


@pytest.fixture
async def setup() -> AsyncGenerator[RecordingSetup]:
    egress = EgressProxy(HostRules.of(allow_hosts=["127.0.0.1"]), OwnPorts())
    await egress.start()
    state = RecordingSetup(egress)

    async def recording(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            state.received.append(data)

    async with answering(recording) as state.port:
        yield state
    await egress.close()


async def read_all(client: Client) -> bytes:
    """Return everything that the proxy sends until it closes the connection."""
    try:
        return await asyncio.wait_for(client.reader.read(), 10)
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize(
    "raw",
    [
        "GET http://{p}/ HTTP/1.1\r\nHost: {p}\r\nHost: {p}\r\n\r\n",
        "GET http://{p}/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET http://{p}/ HTTP/1.1\r\n\r\n",
        "GET http://evil.example@{p}/ HTTP/1.1\r\nHost: {p}\r\n\r\n",
        "GET http://{p}\\@evil.example/ HTTP/1.1\r\nHost: {p}\r\n\r\n",
        "POST http://{p}/ HTTP/1.1\r\nHost: {p}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST http://{p}/ HTTP/1.1\r\nHost: {p}\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "POST http://{p}/ HTTP/1.1\r\nHost: {p}\r\nContent-Length: 5\r\nContent-Length: 0\r\n\r\nhello",
        "POST http://{p}/ HTTP/1.1\r\nHost: {p}\r\nContent-Length: 5,5\r\n\r\nhello",
        "POST http://{p}/ HTTP/1.1\r\nHost: {p}\r\nTransfer-Encoding: chunked, cow\r\n\r\n0\r\n\r\n",
        "POST http://{p}/ HTTP/1.1\r\nHost: {p}\r\nTransfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
        "POST http://{p}/ HTTP/1.1\r\nHost: {p}\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "POST http://{p}/ HTTP/1.1\r\nHost: {p}\r\nX: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET http://{p}/ HTTP/1.1\nHost: {p}\n\n\r\n\r\n",
        "GET http://{p}/ HTTP/1.1\r\nHost: {p}\nX: y\r\n\r\n",
        "GET http://{p}/ HTTP/1.1\r\nHost: {p}\r\nX: y\rContent-Length: 5\r\n\r\n",
        "GET http://{p}/ HTTP/1.1\r\nHost: {p}\r\nX\x00: y\r\n\r\n",
        "GET http://{p}/ HTTP/1.1 \r\nHost: {p}\r\n\r\n",
        "GET /path HTTP/1.1\r\nHost: {p}\r\n\r\n",
        "GET https://{p}/ HTTP/1.1\r\nHost: {p}\r\n\r\n",
        "GET ftp://{p}/ HTTP/1.1\r\nHost: {p}\r\n\r\n",
        "CONNECT {p}/x HTTP/1.1\r\nHost: {p}\r\n\r\n",
        "CONNECT {p} HTTP/1.1\r\nHost: evil.example:80\r\n\r\n",
        "CONNECT {p} HTTP/1.1\r\nHost: {p}\r\nContent-Length: 3\r\n\r\nabc",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        "\r\n\r\nGET http://{p}/ HTTP/1.1\r\nHost: {p}\r\n\r\n",
    ],
)
async def test_an_ambiguous_request_is_answered_with_400_and_not_forwarded(setup: RecordingSetup, raw: str) -> None:
    async with connected(setup.egress.port) as client:
        client.writer.write(raw.replace("{p}", setup.authority).encode("latin-1") + HIDDEN)
        response = await read_all(client)
    assert response.startswith(b"HTTP/1.1 400 ")
    assert response.count(b"HTTP/1.1") == 1
    assert setup.received == []


@pytest.mark.parametrize(
    "body",
    [
        b"5\r\nhello\r\n0\n\r\n",
        b"5\nhello\r\n0\r\n\r\n",
        b"5;\x00\r\nhello\r\n0\r\n\r\n",
        b"5\r\nhello!!0\r\n\r\n",
        b"+5\r\nhello\r\n0\r\n\r\n",
        b"0x5\r\nhello\r\n0\r\n\r\n",
        b"10000000000000000\r\n",
        b"0\r\nHost: x\nX: y\r\n\r\n",
        b"\r\n",
    ],
)
async def test_invalid_chunks_end_the_connection_before_a_hidden_request_is_forwarded(
    setup: RecordingSetup, body: bytes
) -> None:
    async with connected(setup.egress.port) as client:
        client.send(
            f"POST http://{setup.authority}/ HTTP/1.1", f"Host: {setup.authority}", "Transfer-Encoding: chunked"
        )
        client.writer.write(body + HIDDEN)
        response = await read_all(client)
    assert response.startswith(b"HTTP/1.1 400 ")
    assert b"hidden" not in b"".join(setup.received)


async def test_the_body_of_a_refused_request_is_not_read_as_a_request(setup: RecordingSetup) -> None:
    async with connected(setup.egress.port) as client:
        hidden = f"GET http://{setup.authority}/hidden HTTP/1.1\r\nHost: {setup.authority}\r\n\r\n".encode()
        client.send("POST http://10.0.0.1/ HTTP/1.1", "Host: 10.0.0.1", f"Content-Length: {len(hidden)}", body=hidden)
        response = await read_all(client)
    assert response.startswith(b"HTTP/1.1 403 ")
    assert response.count(b"HTTP/1.1 ") == 1
    assert setup.received == []


async def test_a_refused_tunnel_forwards_nothing(setup: RecordingSetup) -> None:
    async with connected(setup.egress.port) as client:
        hidden = f"GET http://{setup.authority}/hidden HTTP/1.1\r\nHost: {setup.authority}\r\n\r\n".encode()
        client.send("CONNECT 10.0.0.1:443 HTTP/1.1", "Host: 10.0.0.1:443", body=hidden)
        response = await read_all(client)
    assert response.startswith(b"HTTP/1.1 403 ")
    assert setup.received == []


async def test_an_endless_head_is_not_buffered_without_limit(setup: RecordingSetup) -> None:
    async with connected(setup.egress.port) as client:
        client.writer.write(b"GET http://x.example/ HTTP/1.1\r\nHost: x.example\r\n")
        try:
            for _ in range(40):
                client.writer.write(b"X: " + b"y" * 65536 + b"\r\n")
                await client.writer.drain()
        except ConnectionError:
            return  # the proxy has closed the connection
        response = await read_all(client)
    assert response == b"" or response.startswith(b"HTTP/1.1 400 ")
