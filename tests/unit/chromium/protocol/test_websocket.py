"""The socket to somebody's own browser, with a server at its end that does as a test says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.server import ServerConnection, serve

from rove.chromium.protocol.connection import CdpConnection, CdpError
from rove.chromium.protocol.websocket import WebSocketTransport
from rove.debugport import DebugPort

LARGE = 40 * 2**20


@asynccontextmanager
async def browser() -> AsyncGenerator[tuple[CdpConnection, list[ServerConnection]]]:
    """Answers commands: `Large` with much, `Pieces` in several frames, `End` with the end, others with themselves."""
    visitors: list[ServerConnection] = []

    async def answer(visitor: ServerConnection) -> None:
        visitors.append(visitor)
        async for message in visitor:
            asked = json.loads(message)
            said = json.dumps({"id": asked["id"], "result": {"asked": asked["method"], "size": len(message)}})
            if asked["method"] == "Large":
                said = json.dumps({"id": asked["id"], "result": {"text": "x" * LARGE}})
            if asked["method"] == "End":
                visitor.transport.abort()
            elif asked["method"] == "Pieces":
                await visitor.send([said[:10], said[10:20], said[20:]])
            else:
                await visitor.send(said)

    async with serve(answer, "127.0.0.1", 0, max_size=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        connection = CdpConnection(WebSocketTransport(DebugPort("127.0.0.1", port, "/devtools/browser/x")))
        await connection.open()
        yield connection, visitors
        connection.close()


async def test_it_says_nothing_of_an_origin_and_offers_no_compression() -> None:
    async with browser() as (connection, visitors):
        assert (await connection.root.send("Any.thing"))["asked"] == "Any.thing"
        assert visitors[0].request is not None
        headers = visitors[0].request.headers
        assert "Origin" not in headers and "Sec-WebSocket-Extensions" not in headers


async def test_messages_may_be_of_any_size_and_in_any_number_of_frames() -> None:
    async with browser() as (connection, _):
        assert len((await connection.root.send("Large"))["text"]) == LARGE
        assert (await connection.root.send("Long", {"text": "x" * LARGE}))["size"] > LARGE
        assert (await connection.root.send("Pieces"))["asked"] == "Pieces"


async def test_who_waits_is_told_when_the_socket_ends() -> None:
    async with browser() as (connection, _):
        ended: list[bool] = []
        connection.on_end(lambda: ended.append(True))
        waiting = asyncio.ensure_future(connection.root.send("End"))
        with pytest.raises(CdpError):
            await asyncio.wait_for(waiting, 10)
        assert ended == [True]
        with pytest.raises(CdpError):
            await connection.root.send("Any.thing")


@pytest.mark.parametrize("answer", [b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", b"SSH-2.0\r\n", b""])
async def test_who_is_no_browser_is_told_apart(answer: bytes) -> None:
    async def other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(other, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        connection = CdpConnection(WebSocketTransport(DebugPort("127.0.0.1", port, "/devtools/browser/x")))
        with pytest.raises(CdpError):
            await asyncio.wait_for(connection.open(), 10)
        connection.close()
