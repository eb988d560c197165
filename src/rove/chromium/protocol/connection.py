"""A client for the Chrome DevTools Protocol (CDP): one connection to a browser, and its CDP sessions.

This replaces Playwright's driver, which adds a process and a JSON round trip: measured without it, a first call takes
0.5 s less, every call a third of the time, and a server 140 MB less (docs/decisions).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Callable, Generator
from typing import Any, NamedTuple, Protocol

from rove.browser.failures import BrowserError
from rove.chromium.protocol.event_limits import MAX_EVENT_BYTES, EventLimiter, dropped_event, is_limited
from rove.validation.pattern import pattern

log = logging.getLogger(__name__)

CdpResult = dict[str, Any]
Handler = Callable[[CdpResult], object]
EVENT_PREFIX = b'{"method":"'
# Commands that the browser has not read yet; a working browser reads each of them at once.
MAX_UNSENT_BYTES = 32 * 2**20
# Seconds for which `Runtime.terminateExecution` may also stop a script of rove.
TERMINATION_SECONDS = 1.0


_RESPONSE_ID = pattern(rb'\{"id":(\d+),')
# A shorter response is parsed without looking up the limit of its command.
SMALL_RESPONSE_BYTES = 100_000


class CdpError(BrowserError):
    """The browser refused a command, or the connection to it is closed."""


class _PendingCommand(NamedTuple):
    """A command that has been sent and not answered yet."""

    session_id: str | None
    response: asyncio.Future[CdpResult]
    max_bytes: int | None


class Transport(Protocol):
    """Carries messages to a browser and back: a pipe to a browser that rove started, or a WebSocket to another."""

    async def open(self, connection: CdpConnection, /) -> None:
        """Start to pass messages to `connection`, and call its `connection_lost` at the end."""

    def write(self, message: bytes, /) -> None: ...
    def close(self) -> None: ...

    @property
    def unsent(self) -> int:
        """Number of bytes that the browser has not read yet."""
        ...


class CdpConnection:
    """Sends commands to one browser and passes its responses and events to the CDP sessions."""

    def __init__(self, transport: Transport, commands_sent: int = 0) -> None:
        """`commands_sent`: how many commands were sent over the transport before this connection took it over."""
        self._transport = transport
        self._last_id = commands_sent
        self._pending: dict[int, _PendingCommand] = {}
        self._cdp_sessions: dict[str, CdpSession] = {}
        self._end_callbacks: list[Callable[[], None]] = []
        self._subscribed = {b"Target.detachedFromTarget"}
        self._is_closed = False
        self.is_open = False
        self.last_received_at = 0.0
        self.root = CdpSession(self, None)

    async def open(self) -> None:
        """Open the transport; commands can be sent from then on."""
        self.is_open = True
        await self._transport.open(self)

    def cdp_session(self, session_id: str) -> CdpSession:
        """Return the CDP session to a target that the browser has attached us to."""
        if session_id not in self._cdp_sessions:
            self._cdp_sessions[session_id] = CdpSession(self, session_id)
        return self._cdp_sessions[session_id]

    def subscribe(self, event: str) -> None:
        """Parse events of this name; an event without a subscriber is dropped unparsed, to save time."""
        self._subscribed.add(event.encode())

    def on_end(self, callback: Callable[[], None]) -> None:
        """Call `callback` when the connection ends, whichever side closes it."""
        self._end_callbacks.append(callback)

    def close(self) -> None:
        """Close the transport and fail all pending commands."""
        if self._is_closed:
            return
        self._is_closed = True
        self._transport.close()
        self.connection_lost()

    async def send(
        self, session_id: str | None, method: str, params: dict[str, Any] | None, max_bytes: int | None = None
    ) -> CdpResult:
        """Send a command and return its result; see `CdpSession.send`."""
        if not self.is_open:
            raise CdpError(f"{method}: the browser is gone")
        if self._transport.unsent > MAX_UNSENT_BYTES:
            raise CdpError(f"{method}: the browser no longer reads commands")
        self._last_id += 1
        command_id = self._last_id
        message: CdpResult = {"id": command_id, "method": method, "params": params or {}}
        if session_id is not None:
            message["sessionId"] = session_id
        response: asyncio.Future[CdpResult] = asyncio.get_running_loop().create_future()
        self._pending[command_id] = _PendingCommand(session_id, response, max_bytes)
        self._transport.write(json.dumps(message).encode("utf-8"))
        try:
            return await response
        finally:
            self._pending.pop(command_id, None)

    def expect_response(self, command_id: int) -> asyncio.Future[CdpResult]:
        """Return a future for the response to a command that was sent before this connection was made."""
        response: asyncio.Future[CdpResult] = asyncio.get_running_loop().create_future()
        self._pending[command_id] = _PendingCommand(None, response, None)
        response.add_done_callback(lambda _: self._pending.pop(command_id, None))
        response.add_done_callback(_retrieve_exception)
        return response

    def message_received(self, data: bytes, size: int) -> None:
        """Handle one message; a failure is logged, so that the messages behind it are still handled.

        `size`: the length of the message before the transport cut it.
        """
        try:
            self._handle_message(data, size)
        except Exception:
            log.exception("cannot handle a message from the browser: %s", data[:200])

    def _handle_message(self, data: bytes, size: int) -> None:
        start = len(EVENT_PREFIX)
        if data.startswith(EVENT_PREFIX) and data[start : data.find(b'"', start)] not in self._subscribed:
            return
        if (is_limited(data) and self._drop_if_over_limit(data, size)) or self._refuse_if_large(data):
            return
        message: CdpResult = json.loads(data)
        if "id" in message:
            self._resolve(self._pending.get(message["id"]), message)
            return
        session_id = message.get("sessionId")
        cdp = self.root if session_id is None else self._cdp_sessions.get(session_id)
        if cdp is not None:
            cdp.emit(message["method"], message.get("params", {}))
        if message["method"] == "Target.detachedFromTarget":
            self._remove_cdp_session(message["params"]["sessionId"])

    def _drop_if_over_limit(self, data: bytes, size: int) -> bool:
        """Return whether an event exceeds the limits of its page; then it is not parsed, and `dropped` is emitted."""
        # A message ends in `"sessionId":"<32 digits>"}`.
        cdp = self._cdp_sessions.get(data[-34:-2].decode("ascii", "replace"))
        if cdp is None or cdp.event_limiter.admits(size):
            return size > MAX_EVENT_BYTES
        cdp.emit("dropped", dropped_event(data))
        return True

    def connection_lost(self) -> None:
        """Fail all pending commands and run the callbacks: the transport is closed."""
        if not self.is_open:
            return
        self.is_open = False
        self._fail([command.response for command in self._pending.values()], "the browser is gone")
        for callback in self._end_callbacks:
            callback()

    def _resolve(self, command: _PendingCommand | None, message: CdpResult) -> None:
        if command is None or command.response.done():
            return  # the caller no longer waits
        if "error" in message:
            command.response.set_exception(CdpError(message["error"].get("message", "refused")))
        else:
            command.response.set_result(message["result"])

    def _remove_cdp_session(self, session_id: str) -> None:
        cdp = self._cdp_sessions.pop(session_id, None)
        if cdp is not None:
            cdp.emit("closed", {})
        responses = [command.response for command in self._pending.values() if command.session_id == session_id]
        self._fail(responses, "the page is closed")

    def _refuse_if_large(self, data: bytes) -> bool:
        """Fail the command if its response exceeds `max_bytes`: parsing it would block the event loop."""
        if len(data) < SMALL_RESPONSE_BYTES or (match := _RESPONSE_ID.match(data)) is None:
            return False
        command = self._pending.get(int(match[1]))
        if command is None or command.max_bytes is None or len(data) <= command.max_bytes:
            return False
        self._fail([command.response], f"it takes more than {command.max_bytes / 1e6:g} MB")
        return True

    def _fail(self, responses: list[asyncio.Future[CdpResult]], reason: str) -> None:
        for response in responses:
            if not response.done():
                response.set_exception(CdpError(reason))


def _retrieve_exception(response: asyncio.Future[CdpResult]) -> None:
    """Mark a failure as seen: asyncio logs an error for a failed future that is never awaited."""
    if not response.cancelled():
        response.exception()


class CdpSession:
    """A CDP session: to the browser itself, to a page, or to a frame or worker in a process of its own."""

    def __init__(self, connection: CdpConnection, session_id: str | None) -> None:
        self._connection = connection
        self._session_id = session_id
        self._handlers: dict[str, list[Handler]] = {}
        self._closed = asyncio.Event()
        self.event_limiter = EventLimiter()
        # Whether it reports the JavaScript contexts of its target.
        self.reports_contexts = True
        self._terminated_at = -TERMINATION_SECONDS

    @property
    def is_terminating_scripts(self) -> bool:
        """Whether scripts of the page were terminated just now, which may have stopped one of rove too."""
        return time.monotonic() - self._terminated_at < TERMINATION_SECONDS

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set() or not self._connection.is_open

    async def wait_closed(self) -> None:
        """Wait until the browser has detached us from the target."""
        await self._closed.wait()

    async def send(self, method: str, params: dict[str, Any] | None = None, max_bytes: int | None = None) -> CdpResult:
        """Send a command and return its result; raise CdpError if it is refused or the target goes away meanwhile.

        With `max_bytes`, a larger response is refused too.
        """
        if self._closed.is_set():
            raise CdpError(f"{method}: the page is closed")
        if method == "Runtime.terminateExecution":
            self._terminated_at = time.monotonic()
        return await self._connection.send(self._session_id, method, params, max_bytes)

    async def detach(self) -> None:
        """Detach from a target that lives on; all that was set up through this CDP session ends with it."""
        if not self._closed.is_set():
            await self._connection.send(None, "Target.detachFromTarget", {"sessionId": self._session_id})

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` for every such event.

        Two events are rove's own: `closed` when the CDP session ends, `dropped` when an event exceeded the limits.
        """
        self._connection.subscribe(event)
        self._handlers.setdefault(event, []).append(handler)

    @contextlib.contextmanager
    def subscription(self, event: str, handler: Handler) -> Generator[None]:
        """Call `handler` for every such event within a `with` block."""
        self.on(event, handler)
        try:
            yield
        finally:
            self._handlers[event].remove(handler)

    def emit(self, event: str, params: CdpResult) -> None:
        """Call the handlers of an event."""
        if event == "closed":
            self._closed.set()
        for handler in tuple(self._handlers.get(event, ())):
            handler(params)
