"""A connection to a browser, as far as it is the same for all protocols that send commands and get events."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from typing import Any, ClassVar, NamedTuple

from rove.browser.failures import BrowserError

log = logging.getLogger(__name__)
# Called with the parameters of an event.
Handler = Callable[[dict[str, Any]], object]
# Commands that the browser has not read yet; a working browser reads each of them at once.
MAX_UNSENT_BYTES = 32 * 2**20
# A shorter response is parsed without looking up the limit of its command.
SMALL_RESPONSE_BYTES = 100_000


class Transport(ABC):
    """Carries messages to a browser and back."""

    @abstractmethod
    async def open(self, connection: Connection) -> None:
        """Start to pass messages to `connection`, and call its `connection_lost` at the end."""

    @abstractmethod
    def write(self, message: bytes) -> None:
        """Send one message."""

    @abstractmethod
    def close(self) -> None:
        """End the connection; what was not read yet is dropped."""

    @property
    @abstractmethod
    def unsent(self) -> int:
        """Number of bytes that the browser has not read yet."""


class PendingCommand(NamedTuple):
    """A command that has been sent and not answered yet; `target`: what it fails with when that goes away."""

    target: str | None
    response: asyncio.Future[dict[str, Any]]
    max_bytes: int | None


class Connection(ABC):
    """Sends commands to one browser, and passes on what it sends."""

    # What a command that fails raises.
    error_type: ClassVar[type[BrowserError]]

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._last_id = 0
        self._pending: dict[int, PendingCommand] = {}
        self._end_callbacks: list[Callable[[], None]] = []
        self._is_closed = False
        self.is_open = False
        # How the browser was lost, where more is known than that it has died.
        self.loss: str | None = None
        # When the last bytes were received, by the monotonic clock.
        self.last_received_at = 0.0

    @abstractmethod
    def handle_message(self, data: bytes, size: int) -> None:
        """Handle one message. `size`: its length before the transport cut it."""

    def message_received(self, data: bytes, size: int) -> None:
        """Handle one message; a failure is logged, so that the messages behind it are still handled."""
        try:
            self.handle_message(data, size)
        except Exception:
            log.exception("cannot handle a message from the browser: %s", data[:200])

    def end_targets(self) -> None:  # noqa: B027 - most end by themselves
        """Note that all that was connected to is gone."""

    async def open(self) -> None:
        """Open the transport; commands can be sent from then on."""
        self.is_open = True
        await self._transport.open(self)

    def on_end(self, callback: Callable[[], None]) -> None:
        """Call `callback` when the connection ends, whichever side closes it."""
        self._end_callbacks.append(callback)

    def close(self) -> None:
        """Close the transport and fail all pending commands."""
        if not self._is_closed:
            self._is_closed = True
            self._transport.close()
            self.connection_lost()

    def connection_lost(self) -> None:
        """Fail all pending commands and run the callbacks: the transport is closed."""
        if not self.is_open:
            return
        self.is_open = False
        self._fail((command.response for command in self._pending.values()), "the browser is gone")
        self.end_targets()
        for callback in self._end_callbacks:
            callback()

    def _fail_commands_of(self, target: str) -> None:
        """Fail the commands that were sent to what is gone."""
        commands = [command.response for command in self._pending.values() if command.target == target]
        self._fail(commands, "the page is closed")

    def _fail(self, responses: Iterable[asyncio.Future[dict[str, Any]]], reason: str) -> None:
        for response in responses:
            if not response.done():
                response.set_exception(self.error_type(reason))

    def _refusal(self, method: str) -> BrowserError:
        """Return the error for a command that is not sent: the browser is gone, or reads none."""
        why = "no longer reads commands" if self.is_open else "is gone"
        return self.error_type(f"{method}: the browser {why}")

    def _is_too_large(self, command_id: int, size: int) -> bool:
        """Fail a command if its response exceeds `max_bytes`: parsing it would block the event loop."""
        command = self._pending.get(command_id)
        if command is None or command.max_bytes is None or size <= command.max_bytes:
            return False
        if not command.response.done():
            command.response.set_exception(self.too_large(f"it takes more than {command.max_bytes / 1e6:g} MB"))
        return True

    def too_large(self, message: str) -> BrowserError:
        """Return the error for a response that exceeds the limit of its command."""
        return self.error_type(message)


class EventSource:
    """Calls the handlers of its events. Two events are rove's own.

    `closed` is when it is gone, `dropped` when an event exceeded the limits.
    """

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = {}
        self._closed = asyncio.Event()

    async def wait_closed(self) -> None:
        """Wait until it is gone."""
        await self._closed.wait()

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` for every such event."""
        self._handlers.setdefault(event, []).append(handler)

    @contextlib.contextmanager
    def subscription(self, event: str, handler: Handler) -> Generator[None]:
        """Call `handler` for every such event within a `with` block."""
        self.on(event, handler)
        try:
            yield
        finally:
            self._handlers[event].remove(handler)

    def emit(self, event: str, params: dict[str, Any]) -> None:
        """Call the handlers of an event."""
        for handler in tuple(self._handlers.get(event, ())):
            handler(params)

    def end(self) -> None:
        """Note that it is gone."""
        if not self._closed.is_set():
            self._closed.set()
            self.emit("closed", {})
