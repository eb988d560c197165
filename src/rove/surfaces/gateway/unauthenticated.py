"""Connections whose client has not shown a token yet: how many there are, how long they last, what they may send."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import Frame

from rove.surfaces.gateway.access import HEADERS
from rove.surfaces.mcp.http.access import AUTHENTICATED

MAX_CONNECTIONS = 128
# Seconds for a request without a token to arrive and to be answered.
EXCHANGE_SECONDS = 10.0
# Bytes of further requests that a client may send before it is answered.
MAX_AHEAD_BYTES = 65_536
# Bytes of the first message of a WebSocket with its frames: a token needs less than a hundred.
FIRST_MESSAGE_BYTES = 4096
# Seconds for a client to acknowledge that its WebSocket is closed, before it is ended anyway.
CLOSING_SECONDS = 2.0
# Frames of one message. An empty one costs memory too, and no limit of bytes counts it.
MAX_FRAMES = 10_000
TOO_BIG = 1009


class Unauthenticated(ServerState):
    """What uvicorn knows of a server, and the connections without a token.

    Beyond a number, the connection that has waited longest is ended: a client that has a token shows it at once.
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiting: dict[HttpConnection | SocketConnection, None] = {}

    def add(self, connection: HttpConnection | SocketConnection) -> None:
        """Count a connection; one that is counted keeps its place in the order."""
        self._waiting.setdefault(connection)
        while len(self._waiting) > MAX_CONNECTIONS:
            oldest = next(iter(self._waiting))
            del self._waiting[oldest]
            # Unlike `close`, this does not wait until the client has read what was sent before.
            oldest.transport.abort()

    def remove(self, connection: HttpConnection | SocketConnection) -> None:
        self._waiting.pop(connection, None)


class HttpConnection(H11Protocol):
    """An HTTP connection that ends if a request without a token takes too long, which uvicorn does not limit."""

    def __init__(
        self,
        config: Config,
        server_state: Unauthenticated,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, {**app_state, AUTHENTICATED: self._lift_limits}, _loop)
        self._unauthenticated = server_state
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # uvicorn goes on to read while it answers, and keeps all of it.
        if self.conn.their_state is h11.DONE and len(self.conn.trailing_data[0]) > MAX_AHEAD_BYTES:
            self.transport.abort()

    def on_response_complete(self) -> None:
        self._expect_request()  # first, as the next request may have arrived already, and is served by the next line
        super().on_response_complete()

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._lift_limits()  # those of a WebSocket apply
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lift_limits()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        headers = [*HEADERS.items(), ("Content-Type", "text/plain; charset=utf-8"), ("Connection", "close")]
        for event in (h11.Response(status_code=400, headers=headers), h11.Data(msg.encode()), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _expect_request(self) -> None:
        self._cancel_deadline()
        self._unauthenticated.add(self)
        self._deadline = self.loop.call_later(EXCHANGE_SECONDS, self.transport.abort)

    def _lift_limits(self) -> None:
        """Let the request that is served take its time."""
        self._cancel_deadline()
        self._unauthenticated.remove(self)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()


class SocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket that may send one small message until its client has shown a token."""

    def __init__(
        self,
        config: Config,
        server_state: Unauthenticated,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, {**app_state, AUTHENTICATED: self._lift_limits}, _loop)
        self._unauthenticated = server_state
        self._is_authenticated = False
        self._received = 0
        self._has_message = False
        self._usual_close_timeout, self.close_timeout = self.close_timeout, CLOSING_SECONDS

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._unauthenticated.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._unauthenticated.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        is_head = not self.handshake_initiated
        super().data_received(data)
        if self._is_authenticated or is_head:
            return
        self._received += len(data)
        # What arrives together with the first message is a client that does not wait for the answer to it.
        if self._received > FIRST_MESSAGE_BYTES and not self.read_paused:
            self._end_as_too_big()

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) < MAX_FRAMES:
            super().handle_cont(event)
        else:
            self._end_as_too_big()

    def send_receive_event_to_app(self) -> None:
        is_first, self._has_message = not self._has_message, True
        if is_first and not self._is_authenticated and sum(map(len, self.frames)) > FIRST_MESSAGE_BYTES:
            self._end_as_too_big()
        else:
            super().send_receive_event_to_app()

    def _end_as_too_big(self) -> None:
        if self.close_sent or not self.handshake_complete:
            self.transport.abort()
        else:
            self.conn.fail(
                TOO_BIG, f"a message may have {MAX_FRAMES} frames, the first one {FIRST_MESSAGE_BYTES} bytes"
            )
            self.handle_parser_exception()

    def _lift_limits(self) -> None:
        self._is_authenticated = True
        self.close_timeout = self._usual_close_timeout
        self._unauthenticated.remove(self)
