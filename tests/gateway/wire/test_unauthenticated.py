"""Clients without a token: few, for a short time, with little memory; those that have one do not notice them."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator

import pytest
from tests.gateway.clients import RunningGateway, running_gateway
from websockets.asyncio.client import connect

from rove.surfaces.gateway import server
from rove.surfaces.mcp import http_messages

PATIENCE = 10.0
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
MASK = bytes(4)  # masks nothing
TEXT, UNFINISHED_TEXT, UNFINISHED, PING = b"\x81", b"\x01", b"\x00", b"\x89"
TOO_BIG = b"\x03\xf1"


def frame(kind: bytes, data: bytes, length: int | None = None) -> bytes:
    """Return a WebSocket frame of a client; `length` where it claims another one than it has."""
    return kind + b"\xff" + (len(data) if length is None else length).to_bytes(8, "big") + MASK + data


@contextlib.asynccontextmanager
async def raw(running: RunningGateway) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def rest(reader: asyncio.StreamReader) -> bytes:
    """Return what comes until the server ends the connection."""
    received = b""
    async with asyncio.timeout(PATIENCE):
        with contextlib.suppress(ConnectionResetError):
            while part := await reader.read(65536):
                received += part
    return received


@pytest.mark.parametrize("sent", [b"", HALF, WHOLE + b"GET /", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"])
async def test_a_connection_without_a_whole_request_is_closed(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "EXCHANGE_SECONDS", 0.3)
    async with running_gateway() as running, running.client() as client, raw(running) as (reader, writer):
        writer.write(sent)
        await rest(reader)
        assert (await client.call("sessions.list")) == {"sessions": []}


@pytest.mark.parametrize("sent", [b"", HALF, UPGRADE], ids=["nothing", "half a request", "a socket without a message"])
async def test_of_too_many_connections_without_a_token_the_oldest_end_and_clients_stay(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 8)
    async with running_gateway() as running, running.client() as early, contextlib.AsyncExitStack() as stack:
        strangers = []
        for _ in range(24):
            reader, writer = await stack.enter_async_context(raw(running))
            writer.write(sent)
            strangers.append(reader)
            await early.call("sessions.list")  # so that they come in this order
        for reader in strangers[:15]:
            await rest(reader)
        async with running.client() as late:
            assert await late.call("sessions.list") == {"sessions": []}
        assert await early.call("sessions.list") == {"sessions": []}
        assert not strangers[-1].at_eof()


async def test_clients_with_a_token_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 2)
    async with running_gateway() as running, contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(running.client()) for _ in range(6)]
        for client in clients:
            assert await client.call("sessions.list") == {"sessions": []}


LIMIT = server.FIRST_MESSAGE_BYTES


@pytest.mark.parametrize(
    "sent",
    [
        frame(TEXT, b'"' * (LIMIT + 1)),
        frame(TEXT, b'"' * (LIMIT + 1), length=500_000),
        frame(UNFINISHED_TEXT, b"") + frame(UNFINISHED, b"") * LIMIT,
        frame(PING, b"") * LIMIT,
    ],
    ids=["a large message", "the beginning of one", "empty fragments", "pings"],
)
async def test_a_large_first_message_ends_the_connection(sent: bytes) -> None:
    async with running_gateway() as running, raw(running) as (reader, writer):
        writer.write(UPGRADE)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(sent)
        assert TOO_BIG in await rest(reader)


async def test_a_client_need_not_wait_for_the_answer_to_its_token() -> None:
    async with running_gateway() as running:
        first = json.dumps({"type": "auth", "token": running.gateway.tokens.owner}).encode()
        request = json.dumps({"id": 1, "method": "sessions.list", "params": {}}).encode() + b" " * 300_000
        async with raw(running) as (reader, writer):
            writer.write(UPGRADE)
            await reader.readuntil(b"\r\n\r\n")
            writer.write(frame(TEXT, first) + frame(TEXT, request))
            async with asyncio.timeout(PATIENCE):
                await reader.readuntil(b'{"id": 1, "result": {"sessions": []}}')


async def test_a_message_of_a_client_has_a_limited_number_of_frames() -> None:
    async with running_gateway() as running, connect(running.address) as socket:
        await socket.send(json.dumps({"type": "auth", "token": running.gateway.tokens.owner}))
        await socket.recv()
        with contextlib.suppress(OSError):
            await socket.send([b""] * (server.MAX_FRAMES + 2), text=True)
        async with asyncio.timeout(PATIENCE):
            await socket.wait_closed()
        assert socket.close_code == server.TOO_BIG


async def test_requests_sent_far_ahead_of_their_answers_end_the_connection() -> None:
    async with running_gateway() as running, raw(running) as (reader, writer):
        ahead = WHOLE * (2 * server.MAX_AHEAD_BYTES // len(WHOLE))
        writer.write(ahead)
        answers = await rest(reader)
        assert answers.count(b"HTTP/1.1") < ahead.count(b"GET")


@pytest.mark.parametrize("kind", [b"Content-Length: 100000\r\n", b"Transfer-Encoding: chunked\r\n"])
async def test_a_body_that_drips_is_refused_when_its_time_is_over(kind: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_messages, "BODY_SECONDS", 1.0)
    monkeypatch.setattr(server, "EXCHANGE_SECONDS", 0.5)  # the token of the request lifts it
    async with running_gateway() as running, raw(running) as (reader, writer):
        token = running.gateway.tokens.owner.encode()
        head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "
        writer.write(head + token + b"\r\n" + kind + b"\r\n")
        answer = asyncio.ensure_future(rest(reader))
        while not answer.done():
            writer.write(b"1\r\n{\r\n" if b"chunked" in kind else b"{")
            await asyncio.wait({answer}, timeout=0.1)
        assert b"408 Request Timeout" in answer.result()


async def test_bodies_that_one_token_sends_at_once_are_limited_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_messages, "BODIES_AT_ONCE", 2)
    async with running_gateway(serve__message_kilobytes=100) as running, contextlib.AsyncExitStack() as stack:
        head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n"
        token = b"Authorization: Bearer " + running.gateway.tokens.owner.encode() + b"\r\n\r\n"
        readers = []
        for _ in range(4):
            reader, writer = await stack.enter_async_context(raw(running))
            writer.write(head + token + b"[" * 90_000)
            readers.append(reader)
        answers = [asyncio.ensure_future(reader.readline()) for reader in readers]
        async with asyncio.timeout(PATIENCE):
            done, waiting = await asyncio.wait(answers, return_when=asyncio.FIRST_COMPLETED)
        assert {answer.result() for answer in done} == {b"HTTP/1.1 429 Too Many Requests\r\n"} and waiting
        for answer in waiting:
            answer.cancel()
