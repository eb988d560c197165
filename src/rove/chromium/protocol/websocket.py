"""A WebSocketTransport to a browser that somebody else has started. Imported only by those who attach to one."""

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
    from rove.debugport import DebugPort


class WebSocketTransport(asyncio.Protocol):
    """One message a frame, of any size. We send no pings: a browser that is busy would miss them, and lose us."""

    def __init__(self, port: DebugPort) -> None:
        self._port = port
        self._connection: CdpConnection | None = None
        self._protocol: ClientProtocol | None = None
        self._transport: asyncio.Transport | None = None
        self._welcome: asyncio.Future[None] | None = None
        self._pieces: list[bytes] = []

    async def open(self, connection: CdpConnection) -> None:
        """Shake hands; raises CdpError if who listens there is no browser, or OSError if nobody does."""
        self._connection = connection
        loop = asyncio.get_running_loop()
        self._welcome = loop.create_future()
        # Without an Origin: a browser takes those for pages, and refuses them.
        self._protocol = ClientProtocol(parse_uri(f"ws://{self._port}{self._port.path}"), origin=None, max_size=None)
        await loop.create_connection(lambda: self, self._port.host, self._port.port)
        self._protocol.send_request(self._protocol.connect())
        self._flush()
        await self._welcome

    @property
    def unsent(self) -> int:
        return self._transport.get_write_buffer_size() if self._transport is not None else 0

    def write(self, message: bytes) -> None:
        assert self._protocol is not None, "not open yet"
        self._protocol.send_text(message)
        self._flush()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()  # what is still to be written, nobody will read

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        assert self._protocol is not None and self._connection is not None
        self._connection.heard_at = time.monotonic()
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            if self._is_welcomed:
                self._receive(cast(Frame, event), self._connection)
            else:
                self._greet(self._protocol.handshake_exc)
        self._flush()  # what the protocol itself has to answer

    def connection_lost(self, exc: Exception | None) -> None:
        self._greet(ConnectionResetError("it hung up"))
        if self._connection is not None:
            self._connection.end()

    @property
    def _is_welcomed(self) -> bool:
        return self._welcome is not None and self._welcome.done()

    def _greet(self, failure: Exception | None) -> None:
        if self._welcome is None or self._welcome.done():
            return
        if failure is None:
            self._welcome.set_result(None)
        else:
            self._welcome.set_exception(CdpError(str(failure)))

    def _receive(self, frame: Frame, connection: CdpConnection) -> None:
        if frame.opcode not in (Opcode.TEXT, Opcode.CONT):
            return  # the end, or the protocol's own small talk
        self._pieces.append(bytes(frame.data))
        if frame.fin:
            message, self._pieces = b"".join(self._pieces), []
            connection.take(message, len(message))

    def _flush(self) -> None:
        assert self._protocol is not None and self._transport is not None
        for data in self._protocol.data_to_send():
            if data:
                self._transport.write(data)
            else:
                self._transport.close()  # the protocol has nothing more to say
