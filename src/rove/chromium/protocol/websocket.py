"""A transport over a WebSocket to a browser that rove has not started.

Imported only to attach to such a browser, since importing `websockets` takes time.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, cast

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from rove.chromium.protocol.connection import CdpError

if TYPE_CHECKING:
    from rove.chromium.protocol.connection import CdpConnection
    from rove.settings.debug_port import DebugPort


class WebSocketTransport(asyncio.Protocol):
    """A WebSocket with messages of any size, and no pings: a busy browser would miss them and be disconnected."""

    def __init__(self, port: DebugPort) -> None:
        self._port = port
        self._connection: CdpConnection | None = None
        self._protocol: ClientProtocol | None = None
        self._transport: asyncio.Transport | None = None
        self._handshake: asyncio.Future[None] | None = None
        self._pieces: list[bytes] = []

    async def open(self, connection: CdpConnection) -> None:
        """Connect and do the handshake; raise OSError if the port is closed, CdpError if no browser answers there."""
        self._connection = connection
        loop = asyncio.get_running_loop()
        self._handshake = loop.create_future()
        # Without an Origin header: Chromium takes a client that sends one for a page, and refuses it.
        self._protocol = ClientProtocol(parse_uri(f"ws://{self._port}{self._port.path}"), origin=None, max_size=None)
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
            self._handshake.set_exception(CdpError(str(failure)))

    def _handle_frame(self, frame: Frame, connection: CdpConnection) -> None:
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
