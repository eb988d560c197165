"""`rove serve`: one process that serves the gateway until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import signal
import socket
import sys
from collections.abc import Callable, Generator

import uvicorn

from rove.errors import InvalidSettings
from rove.settings.tree import Settings
from rove.surfaces.gateway.app import create_app
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.unauthenticated import HttpConnection, SocketConnection, Unauthenticated
from rove.tasks import Interrupted, race

log = logging.getLogger(__name__)
Announce = Callable[[Gateway], None]
# What uvicorn waits for requests that are still running, after the clients were told.
GRACE_SECONDS = 1
PING_SECONDS = 20.0
BACKLOG = 512


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
