"""CDP connections over a WebSocket, to a server that each test controls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.server import ServerConnection, serve

from rove.browser.chromium.connection import CdpConnection, CdpError
from rove.browser.shared.websocket import HandshakeFailed, WebSocketTransport
from rove.settings.debug_port import DebugPort

LARGE = 40 * 2**20


@asynccontextmanager
async def browser() -> AsyncGenerator[tuple[CdpConnection, list[ServerConnection]]]:
    """Serve CDP: answer `Large` with much text, `Pieces` in frames, `End` by closing, others with their name."""
    clients: list[ServerConnection] = []

    async def answer(client: ServerConnection) -> None:
        clients.append(client)
        async for message in client:
            command = json.loads(message)
            result = {"method": command["method"], "size": len(message)}
            if command["method"] == "Large":
                result = {"text": "x" * LARGE}
            response = json.dumps({"id": command["id"], "result": result})
            if command["method"] == "End":
                client.transport.abort()
            elif command["method"] == "Pieces":
                await client.send([response[:10], response[10:20], response[20:]])
            else:
                await client.send(response)

    async with serve(answer, "127.0.0.1", 0, max_size=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        connection = CdpConnection(WebSocketTransport(DebugPort("127.0.0.1", port, "/devtools/browser/x")))
        await connection.open()
        yield connection, clients
        connection.close()


async def test_the_handshake_sends_no_origin_and_offers_no_compression() -> None:
    async with browser() as (connection, clients):
        assert (await connection.root.send("Any.thing"))["method"] == "Any.thing"
        assert clients[0].request is not None
        headers = clients[0].request.headers
        assert "Origin" not in headers and "Sec-WebSocket-Extensions" not in headers


async def test_messages_may_be_of_any_size_and_in_any_number_of_frames() -> None:
    async with browser() as (connection, _):
        assert len((await connection.root.send("Large"))["text"]) == LARGE
        assert (await connection.root.send("Long", {"text": "x" * LARGE}))["size"] > LARGE
        assert (await connection.root.send("Pieces"))["method"] == "Pieces"


async def test_pending_commands_fail_when_the_socket_closes() -> None:
    async with browser() as (connection, _):
        ends: list[bool] = []
        connection.on_end(lambda: ends.append(True))
        pending = asyncio.ensure_future(connection.root.send("End"))
        with pytest.raises(CdpError):
            await asyncio.wait_for(pending, 10)
        assert ends == [True]
        with pytest.raises(CdpError):
            await connection.root.send("Any.thing")


@pytest.mark.parametrize("answer", [b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", b"SSH-2.0\r\n", b""])
async def test_a_server_that_is_no_browser_is_refused(answer: bytes) -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        connection = CdpConnection(WebSocketTransport(DebugPort("127.0.0.1", port, "/devtools/browser/x")))
        with pytest.raises(HandshakeFailed):
            await asyncio.wait_for(connection.open(), 10)
        connection.close()
