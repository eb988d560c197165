"""`rove serve`: one process that serves WebSocket, page, MCP, health and metrics until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import mimetypes
import signal
import socket
import sys
from collections.abc import Callable, Generator
from functools import cache
from pathlib import Path
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import Frame

from rove.errors import InvalidSettings
from rove.settings.tree import Settings
from rove.surfaces.gateway.connection import Connection
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.metrics import CONTENT_TYPE
from rove.surfaces.gateway.tokens import Scope as TokenScope
from rove.surfaces.mcp.http_access import AUTHENTICATED, Places, places_of
from rove.tasks import Interrupted, race
from rove.version import VERSION

log = logging.getLogger(__name__)
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
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
WEB = Path(__file__).parent / "web"
Announce = Callable[[Gateway], None]
# What uvicorn waits for requests that are still running, after the clients were told.
GRACE_SECONDS = 1
PING_SECONDS = 20.0
BACKLOG = 512


class SafeHeaders:
    """Adds the headers for browsers to every answer, also to refusals and errors."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class AccessCheck:
    """Refuses requests whose Host or Origin is not the server's own, against DNS rebinding and other sites' pages."""

    def __init__(self, app: ASGIApp, places: Places) -> None:
        self._app = app
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._places.refusal(Headers(scope=scope))
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            # For a WebSocket, uvicorn sends this as the answer to the handshake.
            await PlainTextResponse(refusal, 403)(scope, receive, send)


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


mimetypes.add_type("text/javascript", ".js")


def create_app(gateway: Gateway) -> ASGIApp:
    """Return the application of a gateway."""
    access = Middleware(AccessCheck, places=places_of(gateway.settings))
    routes = [
        WebSocketRoute("/", _socket),
        WebSocketRoute("/ws", _socket),
        Route("/healthz", _health),
        Route("/metrics", _metrics),
        Route("/mcp", gateway.mcp),
        Route("/{path:path}", _page),
    ]
    app = Starlette(routes=routes, middleware=[access])
    app.state.gateway = gateway
    return SafeHeaders(app)


async def _socket(socket: WebSocket) -> None:
    await Connection(socket.app.state.gateway, socket).serve()


async def _health(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": VERSION})


async def _metrics(request: Request) -> Response:
    gateway: Gateway = request.app.state.gateway
    token = gateway.tokens.find(bearer_token(request.headers.get("authorization", "")))
    if token is None or not token.allows(TokenScope.VIEW_ALL):
        return PlainTextResponse(
            "A bearer token with the scope `view:all` is needed.\n", 401, {"WWW-Authenticate": "Bearer"}
        )
    return Response(gateway.metrics.text(), media_type=CONTENT_TYPE)


def bearer_token(header: str) -> str:
    """Return the token in an Authorization header; empty if there is none."""
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


async def _page(request: Request) -> Response:
    """Serve a file of the page. Every other path is unknown: nothing outside that folder can be named."""
    path = request.path_params["path"] or "index.html"
    file = _files().get(path)
    return FileResponse(file) if file else PlainTextResponse("Not found\n", 404)


@cache
def _files() -> dict[str, Path]:
    return {path.relative_to(WEB).as_posix(): path for path in WEB.rglob("*") if path.is_file()}


async def serve(gateway: Gateway, announce: Announce) -> None:
    """Serve until the process is told to end; `announce` is called when clients can connect."""
    listener = open_port(gateway)
    server = Server(config(gateway))
    stopping = asyncio.Event()
    with _stopped_by_signals(stopping):
        async with gateway:
            serving = asyncio.create_task(server.serve([listener]))
            try:
                announce(gateway)
                await race(stopping.wait(), asyncio.wait({serving}))
            except Interrupted:
                log.error("the server ended by itself")
            finally:
                await gateway.close_clients()
                server.should_exit = True
                await serving


class Server(uvicorn.Server):
    """uvicorn without its own signal handlers, as the gateway tells its clients first, and with limits of its own."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.server_state = Unauthenticated()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def config(gateway: Gateway) -> uvicorn.Config:
    return uvicorn.Config(
        create_app(gateway),
        http=HttpConnection,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ws=SocketConnection,
        ws_max_size=gateway.settings.serve.message_kilobytes * 1024,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        ws_per_message_deflate=False,
    )


@contextlib.contextmanager
def _stopped_by_signals(stopping: asyncio.Event) -> Generator[None]:
    loop = asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    for ending in signals:
        loop.add_signal_handler(ending, stopping.set)
    try:
        yield
    finally:
        for ending in signals:
            loop.remove_signal_handler(ending)


def open_port(gateway: Gateway) -> socket.socket:
    """Listen on the gateway's port, which its own sessions cannot reach."""
    listener = listen(gateway.settings)
    gateway.url = url_of(gateway.settings, listener)
    gateway.sessions.protect_port(*listener.getsockname()[:2])
    return listener


def listen(settings: Settings) -> socket.socket:
    host, port = settings.serve.host, settings.serve.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)  # from here on, a client that connects early only waits
    except OSError as error:
        listener.close()
        raise InvalidSettings(
            f"{host}:{port} cannot be listened on: {error.strerror}.",
            hint="Is another `rove serve` running? Choose another port with --serve-port, or 0 for a free one.",
        ) from error
    return listener


def url_of(settings: Settings, listener: socket.socket) -> str:
    host = settings.serve.host
    shown = {"0.0.0.0": "localhost", "::": "localhost", "127.0.0.1": "localhost"}.get(host, host)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{listener.getsockname()[1]}"


class JsonLog(logging.Formatter):
    """One JSON object a line, for programs that collect logs."""

    def format(self, record: logging.LogRecord) -> str:
        facts = {
            "time": self.formatTime(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        facts |= {name: told for name in ("node", "session") if (told := getattr(record, name, ""))}
        if record.exc_info:
            facts["error"] = self.formatException(record.exc_info)
        return json.dumps(facts, ensure_ascii=False)


def log_for_programs() -> None:
    """Write logs as JSON lines where no person reads them."""
    if sys.stderr.isatty():
        return
    for handler in logging.getLogger().handlers:
        handler.setFormatter(JsonLog())
