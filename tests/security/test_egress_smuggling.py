"""G1: Requests made to be read in two ways: none of them reaches a server, and no second request rides along."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import pytest
from tests.client import Client, connected
from tests.listening import answering

from rove.guard.hosts.host_rules import HostRules
from rove.guard.hosts.local_machine import OwnPorts
from rove.guard.proxy.egress import EgressProxy

HIDDEN = b"GET http://127.0.0.1/hidden HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@dataclass
class Watched:
    """A proxy, and a server behind it that notes every byte."""

    egress: EgressProxy
    port: int = 0
    heard: list[bytes] = field(default_factory=list)

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"


@pytest.fixture
async def watched() -> AsyncGenerator[Watched]:
    egress = EgressProxy(HostRules.of(allow_hosts=["127.0.0.1"]), OwnPorts())
    await egress.start()
    state = Watched(egress)

    async def noting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            state.heard.append(data)

    async with answering(noting) as state.port:
        yield state
    await egress.close()


async def answered(client: Client) -> bytes:
    """Everything that comes back until the proxy hangs up."""
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
async def test_an_ambiguous_request_is_answered_with_400_and_nobody_hears_of_it(watched: Watched, raw: str) -> None:
    async with connected(watched.egress.port) as client:
        client.writer.write(raw.replace("{p}", watched.place).encode("latin-1") + HIDDEN)
        said = await answered(client)
    assert said.startswith(b"HTTP/1.1 400 ")
    assert said.count(b"HTTP/1.1") == 1
    assert watched.heard == []


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
async def test_bad_chunks_end_the_connection_before_anything_rides_along(watched: Watched, body: bytes) -> None:
    async with connected(watched.egress.port) as client:
        client.send(f"POST http://{watched.place}/ HTTP/1.1", f"Host: {watched.place}", "Transfer-Encoding: chunked")
        client.writer.write(body + HIDDEN)
        said = await answered(client)
    assert said.startswith(b"HTTP/1.1 400 ")
    assert b"hidden" not in b"".join(watched.heard)


async def test_a_refused_request_does_not_leave_its_body_behind_as_a_request(watched: Watched) -> None:
    async with connected(watched.egress.port) as client:
        hidden = f"GET http://{watched.place}/hidden HTTP/1.1\r\nHost: {watched.place}\r\n\r\n".encode()
        client.send("POST http://10.0.0.1/ HTTP/1.1", "Host: 10.0.0.1", f"Content-Length: {len(hidden)}", body=hidden)
        said = await answered(client)
    assert said.startswith(b"HTTP/1.1 403 ")
    assert said.count(b"HTTP/1.1 ") == 1
    assert watched.heard == []


async def test_a_refused_tunnel_is_no_tunnel(watched: Watched) -> None:
    async with connected(watched.egress.port) as client:
        hidden = f"GET http://{watched.place}/hidden HTTP/1.1\r\nHost: {watched.place}\r\n\r\n".encode()
        client.send("CONNECT 10.0.0.1:443 HTTP/1.1", "Host: 10.0.0.1:443", body=hidden)
        said = await answered(client)
    assert said.startswith(b"HTTP/1.1 403 ")
    assert watched.heard == []


async def test_a_head_without_end_is_not_kept_without_end(watched: Watched) -> None:
    async with connected(watched.egress.port) as client:
        client.writer.write(b"GET http://x.example/ HTTP/1.1\r\nHost: x.example\r\n")
        try:
            for _ in range(40):
                client.writer.write(b"X: " + b"y" * 65536 + b"\r\n")
                await client.writer.drain()
        except ConnectionError:
            return  # it has hung up
        said = await answered(client)
    assert said == b"" or said.startswith(b"HTTP/1.1 400 ")


async def test_more_clients_than_there_is_room_for_are_turned_away(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rove.guard.proxy.egress._MAX_CLIENTS", 2)
    async with connected(watched.egress.port) as one, connected(watched.egress.port) as two:
        assert (await one.get("http://10.0.0.1/")).status == 403
        assert (await two.get("http://10.0.0.1/")).status == 403
        async with connected(watched.egress.port) as three:
            assert await answered(three) == b""
        assert (await one.get("http://10.0.0.1/")).status == 403
