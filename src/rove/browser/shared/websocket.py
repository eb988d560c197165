"""A transport over a WebSocket to a browser: to one that rove has not started, or to one that has no pipe.

Imported only where it is needed, since importing `websockets` takes time.
"""

from __future__ import annotations

import asyncio
import time
from typing import cast

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from rove.browser.failures import BrowserError
from rove.browser.shared.connection import Connection, Transport
from rove.settings.debug_port import DebugPort


class HandshakeFailed(BrowserError):
    """What listens at the port speaks no WebSocket, or refuses this one."""


class WebSocketTransport(Transport, asyncio.Protocol):
    """A WebSocket with messages of any size, and no pings: a busy browser would miss them and be disconnected."""

    def __init__(self, port: DebugPort, max_bytes: int | None = None) -> None:
        """`max_bytes`: the connection ends when a longer message arrives."""
        self._port = port
        self._max_bytes = max_bytes
        self._connection: Connection | None = None
        self._protocol: ClientProtocol | None = None
        self._transport: asyncio.Transport | None = None
        self._handshake: asyncio.Future[None] | None = None
        self._pieces: list[bytes] = []

    async def open(self, connection: Connection) -> None:
        """Connect and do the handshake; raise OSError if the port is closed, HandshakeFailed if no browser is there."""
        self._connection = connection
        loop = asyncio.get_running_loop()
        self._handshake = loop.create_future()
        uri = parse_uri(f"ws://{self._port}{self._port.path}")
        # Without an Origin header: browsers take a client that sends one for a page, and refuse it.
        self._protocol = ClientProtocol(uri, origin=None, max_size=self._max_bytes)
        await loop.create_connection(lambda: self, self._port.host, self._port.port)
        self._protocol.send_request(self._protocol.connect())
        self._flush()
        await self._handshake

    @property
    def unsent(self) -> int:
        return self._transport.get_write_buffer_size() if self._transport is not None else 0

    def write(self, message: bytes) -> None:
        assert self._protocol is not None, "not open yet"
        self._protocol.send_text(message)
        self._flush()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()  # the browser reads no more, so unsent commands are dropped

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        assert self._protocol is not None and self._connection is not None
        self._connection.last_received_at = time.monotonic()
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            if self._is_handshake_done:
                self._handle_frame(cast(Frame, event), self._connection)
            else:
                self._finish_handshake(self._protocol.handshake_exc)
        self._flush()  # replies of the protocol itself, such as pongs

    def connection_lost(self, exc: Exception | None) -> None:
        self._finish_handshake(ConnectionResetError("the connection was closed"))
        if self._connection is not None:
            self._connection.connection_lost()

    @property
    def _is_handshake_done(self) -> bool:
        return self._handshake is not None and self._handshake.done()

    def _finish_handshake(self, failure: Exception | None) -> None:
        if self._handshake is None or self._handshake.done():
            return
        if failure is None:
            self._handshake.set_result(None)
        else:
            self._handshake.set_exception(HandshakeFailed(str(failure)))

    def _handle_frame(self, frame: Frame, connection: Connection) -> None:
        if frame.opcode not in (Opcode.TEXT, Opcode.CONT):
            return  # the protocol handles close, ping and pong frames
        self._pieces.append(bytes(frame.data))
        if frame.fin:
            message, self._pieces = b"".join(self._pieces), []
            connection.message_received(message, len(message))

    def _flush(self) -> None:
        assert self._protocol is not None and self._transport is not None
        for data in self._protocol.data_to_send():
            if data:
                self._transport.write(data)
            else:
                self._transport.close()  # empty data means that the protocol is done
