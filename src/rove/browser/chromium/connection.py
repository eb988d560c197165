"""A client for the Chrome DevTools Protocol (CDP): one connection to a browser, its CDP sessions, and its pipe.

This replaces Playwright's driver, which adds a process and a JSON round trip: measured without it, a first call takes
0.5 s less, every call a third of the time, and a server 140 MB less (docs/decisions).

A pipe rather than a port: every process on this machine could connect to a port, and a browser ends itself when its
pipe closes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import time
import weakref
from collections.abc import Callable, Collection
from typing import Any

from rove.browser.chromium.flood import (
    LIMITED_EVENTS,
    TAIL_BYTES,
    TargetGroup,
    cost_of,
    data_length,
    dropped_event,
)
from rove.browser.failures import BrowserError
from rove.browser.shared.connection import (
    MAX_UNSENT_BYTES,
    SMALL_RESPONSE_BYTES,
    Connection,
    EventSource,
    Handler,
    PendingCommand,
    Transport,
)
from rove.browser.shared.flood import HELD_SECONDS, MAX_EVENT_BYTES, Verdict
from rove.patterns import pattern
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
# Called with the event that tells of a request for a document; returns whether it is refused.
RefuseEvent = Callable[[dict[str, Any]], bool]
DOCUMENTS = {"resourceType": "Document", "requestStage": "Request"}
CdpResult = dict[str, Any]
EVENT_PREFIX = b'{"method":"'
# Messages of a target end in `,"sessionId":"<32 digits>"}`.
_SESSION_FIELD = b',"sessionId":"'
_SESSION_ID = slice(-34, -2)
_BEFORE_SESSION_ID = slice(-34 - len(_SESSION_FIELD), -34)
# Seconds between two turns of a page whose messages wait.
TURN_SECONDS = 0.01
# How much of a document has arrived is told at most once in this many seconds.
DATA_SECONDS = 0.05
# Held console messages are handled before these, which change what is known of a message's author.
_AUTHORS_CHANGE = frozenset({b"Runtime.executionContextsCleared", b"Page.frameNavigated", b"Target.detachedFromTarget"})
# The longest wait for what a page has written too fast, when its console is read.
CATCH_UP_SECONDS = 2.0
# Seconds for which `Runtime.terminateExecution` may also stop a script of rove.
TERMINATION_SECONDS = 1.0

_RESPONSE_ID = pattern(rb'\{"id":(\d+),')


class BrowserDocuments:
    """Lets every request for a document wait, whichever page it is of, while there is someone who may refuse it.

    A full Chromium may send the first request of a tab that is opened with Control or the middle button before the
    CDP session of the tab can hold it.
    """

    def __init__(self, root: CdpSession) -> None:
        self._root = root
        self._refusing: list[RefuseEvent] = []
        self._is_listening = False
        self._tasks = BackgroundTasks("documents", expected=(BrowserError,))

    async def hold(self, refuses: RefuseEvent) -> None:
        """Ask `refuses` about every document, until `release`."""
        if not self._is_listening:
            self._is_listening = True
            self._root.on("Fetch.requestPaused", self._on_paused)
        self._refusing.append(refuses)
        # Sent each time, so that no caller goes on before the browser has answered.
        await self._root.send("Fetch.enable", {"patterns": [DOCUMENTS]})

    async def release(self, refuses: RefuseEvent) -> None:
        self._refusing.remove(refuses)
        if not self._refusing:
            await self._root.send("Fetch.disable")

    def _on_paused(self, event: dict[str, Any]) -> None:
        method, params = "Fetch.continueRequest", {"requestId": event["requestId"]}
        if self._is_refused(event):
            method, params = "Fetch.failRequest", {**params, "errorReason": "Aborted"}
        self._tasks.start(self._root.send(method, params))

    def _is_refused(self, event: dict[str, Any]) -> bool:
        try:
            return any(refuses(event) for refuses in tuple(self._refusing))
        except Exception:
            log.exception("whether a document is refused could not be decided, and it is not asked for")
            return True


class CdpError(BrowserError):
    """The browser refused a command, or the connection to it is closed."""


class CdpConnection(Connection):
    """Sends commands to one browser and passes its responses and events to the CDP sessions."""

    error_type = CdpError

    def __init__(self, transport: Transport, commands_sent: int = 0) -> None:
        """`commands_sent`: how many commands were sent over the transport before this connection took it over."""
        super().__init__(transport)
        self._last_id = commands_sent
        self._cdp_sessions: dict[str, CdpSession] = {}
        self._by_id: dict[bytes, CdpSession] = {}
        # The groups of the workers that the pages of a context share.
        self._shared_groups: weakref.WeakValueDictionary[str, TargetGroup] = weakref.WeakValueDictionary()
        # Called with a group that sends more than rove can read.
        self.on_flood: Callable[[TargetGroup], None] = lambda group: None
        self._subscribed = {b"Target.detachedFromTarget"}
        self.root = CdpSession(self, None)
        self.documents = BrowserDocuments(self.root)

    def cdp_session(self, session_id: str) -> CdpSession:
        """Return the CDP session to a target that the browser has attached us to."""
        if session_id not in self._cdp_sessions:
            self._cdp_sessions[session_id] = self._by_id[session_id.encode()] = CdpSession(self, session_id)
        return self._cdp_sessions[session_id]

    def subscribe(self, event: str) -> None:
        """Parse events of this name; an event without a subscriber is dropped unparsed, to save time."""
        self._subscribed.add(event.encode())

    def is_used_besides(self, groups: Collection[TargetGroup], since: float) -> bool:
        """Return whether a command was sent to a target outside of these groups."""
        targets = self._cdp_sessions.values()
        return any(cdp.commanded_at >= since and cdp.group not in groups for cdp in targets)

    async def send(
        self, session_id: str | None, method: str, params: dict[str, Any] | None, max_bytes: int | None = None
    ) -> CdpResult:
        """Send a command and return its result; see `CdpSession.send`."""
        if not self.is_open or self._transport.unsent > MAX_UNSENT_BYTES:
            raise self._refusal(method)
        self._last_id += 1
        command_id = self._last_id
        response: asyncio.Future[CdpResult] = asyncio.get_running_loop().create_future()
        self._pending[command_id] = PendingCommand(session_id, response, max_bytes)
        self._write(command_id, session_id, method, params or {})
        try:
            return await response
        finally:
            self._pending.pop(command_id, None)

    def _write(self, command_id: int, session_id: str | None, method: str, params: dict[str, Any]) -> None:
        message: CdpResult = {"id": command_id, "method": method, "params": params}
        if session_id is not None:
            message["sessionId"] = session_id
        self._transport.write(json.dumps(message).encode("utf-8"))

    def expect_response(self, command_id: int) -> asyncio.Future[CdpResult]:
        """Return a future for the response to a command that was sent before this connection was made."""
        response: asyncio.Future[CdpResult] = asyncio.get_running_loop().create_future()
        self._pending[command_id] = PendingCommand(None, response, None)
        response.add_done_callback(lambda _: self._pending.pop(command_id, None))
        response.add_done_callback(_retrieve_exception)
        return response

    def handle_message(self, data: bytes, size: int) -> None:
        cdp = self._by_id.get(data[_SESSION_ID])
        if not data.startswith(EVENT_PREFIX):
            self._handle_in_turn(data, cdp, cost=0)
            return
        start = len(EVENT_PREFIX)
        method = data[start : data.find(b'"', start)]
        self._note_message((cdp or self.root).group, size)
        if cdp is None:
            if method in self._subscribed and data[_BEFORE_SESSION_ID] != _SESSION_FIELD:
                self._dispatch(data)
        elif self._is_read(method, data, size, cdp):
            self._handle_in_turn(data, cdp, cost_of(data))

    def _note_message(self, group: TargetGroup, size: int) -> None:
        if group.note_message(self.last_received_at, size):
            self.on_flood(group)

    def _is_read(self, method: bytes, data: bytes, size: int, cdp: CdpSession) -> bool:
        """Return whether an event of a target is handled; if not, it is not parsed."""
        if method not in self._subscribed:
            return False
        verdict = cdp.group.admission.verdict(method, data, size)
        if method in _AUTHORS_CHANGE:
            self._read_held(cdp.group)
        if verdict is Verdict.HOLD:
            self._hold(method, data, cdp.group)
        elif verdict is Verdict.DROP:
            cdp.emit("dropped", dropped_event(data))
        elif method == b"Network.dataReceived" and verdict is Verdict.READ:
            cdp.add_data(dropped_event(data).get("requestId", ""), data_length(data))
        elif method == b"Fetch.requestPaused" and cdp.group.is_full:
            self._fail_request(cdp, dropped_event(data))
        else:
            return verdict is Verdict.READ
        return False

    def _hold(self, method: bytes, data: bytes, group: TargetGroup) -> None:
        """Keep a console message for the next second; the oldest of too many are dropped."""
        self._count_dropped(group.admission.hold(method, data))
        if not group.admission.held.is_scheduled:
            group.admission.held.is_scheduled = True
            asyncio.get_running_loop().call_later(HELD_SECONDS, self._read_held, group, True)

    def _read_held(self, group: TargetGroup, is_due: bool = False) -> None:
        """Let the console messages that are held have their turn."""
        if is_due:
            group.admission.held.is_scheduled = False
        if not group.admission.held or not self.is_open:
            return
        taken = group.admission.take_held()
        if group.is_full:
            self._count_dropped(taken)
            return
        for data in taken:
            group.wait(data)
        self._schedule(group)

    def _count_dropped(self, messages: list[bytes]) -> None:
        for data in messages:
            if (cdp := self._by_id.get(data[_SESSION_ID])) is not None:
                cdp.emit("dropped", dropped_event(data))

    async def catch_up(self, group: TargetGroup) -> None:
        """Wait until what a group has written so far has been handled, but not for long."""
        self._read_held(group)
        last = group.has_waited
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CATCH_UP_SECONDS):
                while group.was_taken < last and self.is_open:
                    group.turn_taken.clear()
                    await group.turn_taken.wait()

    def _fail_request(self, cdp: CdpSession, event: CdpResult) -> None:
        """Fail a request that waits for rove, without waiting for an answer: too many others wait."""
        cdp.emit("dropped", event)
        self._last_id += 1
        params = {"requestId": event["requestId"], "errorReason": "Failed"}
        self._write(self._last_id, cdp.session_id, "Fetch.failRequest", params)

    def _handle_in_turn(self, data: bytes, cdp: CdpSession | None, cost: int) -> None:
        """Handle a message at once, or behind those of its group that wait: their order is kept."""
        if cdp is None or cdp.group.may_handle(time.monotonic(), cost):
            self._dispatch(data)
        else:
            cdp.group.wait(data)
            self._schedule(cdp.group)

    def _schedule(self, group: TargetGroup) -> None:
        if not group.is_scheduled:
            group.is_scheduled = True
            asyncio.get_running_loop().call_later(TURN_SECONDS, self._take_turn, group)

    def _take_turn(self, group: TargetGroup) -> None:
        group.is_scheduled = False
        for data in group.take_turn(time.monotonic()):
            try:
                self._dispatch(data)
            except Exception:
                log.exception("cannot handle a message from the browser: %s", data[:200])
        group.turn_taken.set()
        if group.has_waiting and self.is_open:
            self._schedule(group)

    def _dispatch(self, data: bytes) -> None:
        """Parse a message, and pass it to the command or the CDP session that it is for."""
        if self._refuse_if_large(data):
            return
        message: CdpResult = json.loads(data)
        if "id" in message:
            self._resolve(self._pending.get(message["id"]), message)
            return
        session_id = message.get("sessionId")
        cdp = self.root if session_id is None else self._cdp_sessions.get(session_id)
        if message["method"] == "Target.attachedToTarget" and cdp is not None:
            self._join_group(cdp, message["params"])
        if cdp is not None:
            cdp.emit(message["method"], message.get("params", {}))
        if message["method"] == "Target.detachedFromTarget":
            self._remove_cdp_session(message["params"]["sessionId"])

    def _join_group(self, parent: CdpSession, params: CdpResult) -> None:
        """Count the events of a new target to those of the page that it belongs to."""
        cdp, target = self.cdp_session(params["sessionId"]), params["targetInfo"]
        if parent is not self.root:
            cdp.group = parent.group
        elif target["type"] == "page":
            cdp.group = TargetGroup(target["targetId"])
        else:
            cdp.group = self._shared_groups.setdefault(target.get("browserContextId", ""), TargetGroup())

    def _resolve(self, command: PendingCommand | None, message: CdpResult) -> None:
        if command is None or command.response.done():
            return  # the caller no longer waits
        if "error" in message:
            command.response.set_exception(CdpError(message["error"].get("message", "refused")))
        else:
            command.response.set_result(message["result"])

    def _remove_cdp_session(self, session_id: str) -> None:
        cdp = self._cdp_sessions.pop(session_id, None)
        self._by_id.pop(session_id.encode(), None)
        if cdp is not None:
            cdp.end()
        self._fail_commands_of(session_id)

    def _refuse_if_large(self, data: bytes) -> bool:
        """Return whether a response is too large for its command, which then fails."""
        if len(data) < SMALL_RESPONSE_BYTES or (match := _RESPONSE_ID.match(data)) is None:
            return False
        return self._is_too_large(int(match[1]), len(data))


def _retrieve_exception(response: asyncio.Future[CdpResult]) -> None:
    """Mark a failure as seen: asyncio logs an error for a failed future that is never awaited."""
    if not response.cancelled():
        response.exception()


class CdpSession(EventSource):
    """A CDP session: to the browser itself, to a page, or to a frame or worker in a process of its own."""

    def __init__(self, connection: CdpConnection, session_id: str | None) -> None:
        super().__init__()
        self._connection = connection
        self.session_id = session_id
        # The targets whose events are limited together with those of this one.
        self.group = TargetGroup()
        # When the last command was sent.
        self.commanded_at = 0.0
        self._data_length = 0
        self._data_told_at = 0.0
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

    async def send(self, method: str, params: dict[str, Any] | None = None, max_bytes: int | None = None) -> CdpResult:
        """Send a command and return its result; raise CdpError if it is refused or the target goes away meanwhile.

        With `max_bytes`, a larger response is refused too.
        """
        if self._closed.is_set():
            raise CdpError(f"{method}: the page is closed")
        self.commanded_at = time.monotonic()
        if method == "Runtime.terminateExecution":
            self._terminated_at = self.commanded_at
        return await self._connection.send(self.session_id, method, params, max_bytes)

    async def catch_up(self) -> None:
        """Wait until what the target, and those that are limited with it, have written has been handled."""
        await self._connection.catch_up(self.group)

    async def detach(self) -> None:
        """Detach from a target that lives on; all that was set up through this CDP session ends with it."""
        if not self._closed.is_set():
            await self._connection.send(None, "Target.detachFromTarget", {"sessionId": self.session_id})

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` for every such event."""
        self._connection.subscribe(event)
        super().on(event, handler)

    def add_data(self, request: str, length: int) -> None:
        """Tell how much of a document has arrived, now and then: it may arrive byte by byte."""
        self._data_length += length
        now = time.monotonic()
        if now - self._data_told_at >= DATA_SECONDS:
            self._data_told_at, length, self._data_length = now, self._data_length, 0
            self.emit("Network.dataReceived", {"requestId": request, "dataLength": length})


class PipeTransport(Transport):
    """Two file descriptors, one for each direction; every message ends in a zero byte."""

    def __init__(self, read_fd: int, write_fd: int, received: bytes = b"") -> None:
        """`received`: bytes that were read from the pipe before this transport took it over."""
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._received = received
        self._output: asyncio.WriteTransport | None = None
        self._input: asyncio.ReadTransport | None = None

    async def open(self, connection: Connection) -> None:
        loop = asyncio.get_running_loop()
        self._output, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(self._write_fd, "wb", 0))
        splitter = _MessageSplitter(connection)
        splitter.data_received(self._received)
        self._input, _ = await loop.connect_read_pipe(lambda: splitter, os.fdopen(self._read_fd, "rb", 0))

    @property
    def unsent(self) -> int:
        return self._output.get_write_buffer_size() if self._output is not None else 0

    def write(self, message: bytes) -> None:
        assert self._output is not None, "not open yet"
        self._output.write(message + b"\0")

    def close(self) -> None:
        if self._output is None:
            os.close(self._write_fd)
        elif not self._output.is_closing():
            self._output.abort()  # the browser reads no more, so unsent commands are dropped
        if self._input is None:
            os.close(self._read_fd)
        else:
            self._input.close()


class _MessageSplitter(asyncio.Protocol):
    """Splits the stream at the zero bytes that end each message."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pieces: list[bytes] = []
        self._size = 0

    def data_received(self, data: bytes) -> None:
        self._connection.last_received_at = time.monotonic()
        *last_pieces, rest = data.split(b"\0")
        for piece in last_pieces:
            self._append(piece)
            message, size = b"".join(self._pieces), self._size
            self._pieces, self._size = [], 0
            self._connection.message_received(message, size)
        if rest:
            self._append(rest)

    def _append(self, piece: bytes) -> None:
        self._size += len(piece)
        if len(self._pieces) == 1 and len(self._pieces[0]) < TAIL_BYTES:
            piece = self._pieces.pop() + piece  # the first piece must be long enough to show the method
        self._pieces.append(piece)
        if self._size > MAX_EVENT_BYTES and self._pieces[0].startswith(LIMITED_EVENTS):
            # The beginning names the event and the end its CDP session; the rest would only fill memory.
            self._pieces = [self._pieces[0], b"".join(self._pieces[1:])[-TAIL_BYTES:]]

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.connection_lost()
