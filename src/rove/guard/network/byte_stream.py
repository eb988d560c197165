"""One side of a connection: buffers what arrives or forwards it, in turns that are fair between sessions.

The loop calls every connection that has received bytes. If they were all handled at once, a session with a hundred busy
connections would delay the others by a hundred times the work of one. So the work of one pass of the loop is limited:
what is left over waits in a queue for each session, and the queues are served in turn.

It uses callbacks instead of coroutines, because every request of a page passes through here and they take half the
time. Slow work (connecting, tunnels) waits for those callbacks in coroutines.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import struct
import time
from collections import deque
from collections.abc import Callable
from typing import cast

from rove.guard.network.http_messages import BodyFraming, Malformed, UntilClosed
from rove.guard.network.refusal import Failure, Unreachable

# The work of one pass of the event loop.
TURN_SECONDS = 0.002
Work = Callable[[], None]
MAX_HEAD_BYTES = 256 * 1024  # Chromium's own limit
# How many bytes may be unread, or unsent, before the sender is paused.
_BUFFER_LIMIT = 512 * 1024
# The reasons to pause reading; it is resumed when none is left.
_FOR_RECEIVER, _FOR_TURN = 1, 2
# How long to wait for a client that is still sending to notice that the connection closes.
_CLOSE_TIMEOUT = 2.0
# SO_LINGER switched on with zero seconds: the system sends a reset (RST) when the socket is closed.
_LINGER_ZERO = struct.pack("ii", 1, 0)
STRICT_HEAD_END = re.compile(rb"\r\n\r\n")
LENIENT_HEAD_END = re.compile(rb"\r?\n\r?\n")
StreamError = Malformed | Unreachable
OnHead = Callable[[bytes | StreamError], None]
OnForwarded = Callable[[StreamError | None], None]


class Turns:
    """The queues of all sessions, and the time that the current pass has used."""

    def __init__(self) -> None:
        self._waiting: deque[SessionTurns] = deque()
        self._used = 0.0
        self._is_scheduled = False

    def for_session(self) -> SessionTurns:
        """Return the queue of one session."""
        return SessionTurns(self)

    @property
    def is_over(self) -> bool:
        """Whether the work of this pass is done, and further work has to wait."""
        return self._used >= TURN_SECONDS

    def charge(self, seconds: float) -> None:
        """Count the time of work that was done."""
        self._used += seconds
        self._schedule()

    def add(self, session: SessionTurns) -> None:
        """Serve a session whose queue was empty, after those that wait already."""
        self._waiting.append(session)
        self._schedule()

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._begin_turn)

    def _begin_turn(self) -> None:
        self._is_scheduled, self._used = False, 0.0
        while self._waiting and not self.is_over:
            self._serve(self._waiting.popleft())
        if self._waiting:
            self._schedule()

    def _serve(self, session: SessionTurns) -> None:
        began = time.perf_counter()
        work = session.queue.popleft()
        if session.queue:
            self._waiting.append(session)
        try:
            work()
        finally:
            self.charge(time.perf_counter() - began)


class SessionTurns:
    """The work of one session that waits for a later pass of the event loop."""

    def __init__(self, turns: Turns) -> None:
        self.queue: deque[Work] = deque()
        self._turns = turns

    @property
    def is_over(self) -> bool:
        return self._turns.is_over

    def charge(self, seconds: float) -> None:
        self._turns.charge(seconds)

    def wait(self, work: Work) -> None:
        """Do the work in a later pass."""
        self.queue.append(work)
        if len(self.queue) == 1:
            self._turns.add(self)


class ByteStream(asyncio.Protocol):
    """Reads, writes and forwards bytes. A sender is paused while the receiver's buffer is full."""

    def __init__(
        self, on_connected: Callable[[], None] | None = None, on_disconnected: Callable[[], None] | None = None
    ) -> None:
        self.at_eof = False  # no more bytes will arrive
        self.is_disconnected = True  # nothing can be sent: not connected yet, or no longer
        self.has_failed = False  # the connection ended with an error
        self.stays_half_open = False
        self.bytes_received = 0
        # Where to wait if the work of this pass of the event loop is done; None: bytes are handled as they arrive.
        self.turns: SessionTurns | None = None
        # Called with the number of bytes that have arrived and cannot be handled yet.
        self.on_unread: Callable[[int], None] | None = None
        self.unread_limit = _BUFFER_LIMIT
        self._on_connected = on_connected
        self._on_disconnected = on_disconnected
        self._buffer = bytearray()
        self._search_from = 0
        self._head_end = STRICT_HEAD_END
        self._on_head: OnHead | None = None
        self._is_delivering_heads = False
        self._forwarding: tuple[ByteStream, BodyFraming, OnForwarded] | None = None
        self._source: ByteStream | None = None  # the stream that forwards to this one, paused while this one is full
        self._is_full = False
        self._on_sent: Callable[[], None] | None = None
        self._arrived = b""  # what waits for a turn
        self._is_waiting_for_turn = False
        self._pauses = 0
        self._activity: asyncio.Future[None] | None = None
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.is_disconnected = False
        self._transport.set_write_buffer_limits(high=_BUFFER_LIMIT)
        if self._on_connected is not None:
            self._on_connected()

    def data_received(self, data: bytes) -> None:
        self.bytes_received += len(data)
        if self.turns is None:
            self._handle(data)
        elif self._is_waiting_for_turn or self.turns.is_over:
            self._wait_for_turn(self._arrived + data)
        else:
            began = time.perf_counter()
            self._handle(data)
            self.turns.charge(time.perf_counter() - began)

    def eof_received(self) -> bool:
        self._end_input()
        return self.stays_half_open

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_disconnected, self.has_failed = True, exc is not None
        if self._is_waiting_for_turn and not self._has_lost_receiver:
            self._take_turn()
        if self.has_failed and self._on_head is not None and (last := self._read_last()):
            self._handle(last)
        if self._source is not None:
            self._source._stop_forwarding(Unreachable(Failure.RESET, "the receiver disconnected"))
        self._end_input()
        if self._on_disconnected is not None:
            self._on_disconnected()

    def _read_last(self) -> bytes:
        """Return what arrived before a reset: the response of a server that does not read the rest of a request.

        asyncio does not read it if it notices the reset when it writes.
        """
        try:
            with socket.socket(fileno=os.dup(self._transport.get_extra_info("socket").fileno())) as copy:
                return copy.recv(_BUFFER_LIMIT)
        except OSError:
            return b""  # nothing arrived

    def pause_writing(self) -> None:
        self._is_full = True
        if self._source is not None:
            self._source.set_paused(True)

    def resume_writing(self) -> None:
        self._is_full = False
        if self._source is not None:
            self._source.set_paused(False)
        if self._on_sent is not None:
            on_sent, self._on_sent = self._on_sent, None
            self._transport.set_write_buffer_limits(high=_BUFFER_LIMIT)
            on_sent()

    def when_sent(self, on_sent: Callable[[], None]) -> None:
        """Call back once the receiver, which may read slowly, has been sent all that was written."""
        if self.is_disconnected or not self._transport.get_write_buffer_size():
            on_sent()
            return
        self.set_paused(True)
        self._on_sent = on_sent
        self._transport.set_write_buffer_limits(high=0)  # `resume_writing` is called when nothing is left

    def set_paused(self, is_paused: bool, reason: int = _FOR_RECEIVER) -> None:
        """Pause reading from the connection, or resume it."""
        self._pauses = self._pauses | reason if is_paused else self._pauses & ~reason
        if self.is_disconnected or self._transport.is_closing():
            return
        if self._pauses:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    @property
    def has_unread(self) -> bool:
        return bool(self._buffer or self._arrived)

    @property
    def unread_bytes(self) -> int:
        return len(self._buffer) + len(self._arrived)

    @property
    def addresses(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """The address and port of the other side, and of ours."""
        return self._transport.get_extra_info("peername")[:2], self._transport.get_extra_info("sockname")[:2]

    def write(self, data: bytes) -> None:
        if not self.is_disconnected:
            self._transport.write(data)

    def write_eof(self) -> None:
        """Close the sending side of the connection."""
        if not self.is_disconnected and not self._transport.is_closing():
            self._transport.write_eof()

    def close(self) -> None:
        """Close the connection after sending what is buffered."""
        self._transport.close()

    def abort(self) -> None:
        """Reset the connection, so that the other side cannot mistake this for a normal end."""
        if not self.is_disconnected:
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
            self._transport.abort()

    async def close_gracefully(self) -> None:
        """Read until the other side stops sending, then close.

        If a socket is closed with unread bytes, the system sends a reset, and the other side may lose the response.
        """
        self.stays_half_open = True
        if self._forwarding is not None:
            self._forwarding[0]._source = None
            self._forwarding = None
        self.write_eof()
        try:
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                while not self.at_eof:
                    self._buffer.clear()
                    await self._wait_for_input()
        except TimeoutError:
            pass  # the other side had its time; close anyway
        self.close()

    def next_head(self, end: re.Pattern[bytes], on_head: OnHead) -> None:
        """Call back with the head of the next message, or with the error that prevents it."""
        self._head_end, self._on_head, self._search_from = end, on_head, 0
        if not self._is_delivering_heads:
            self._deliver_heads()

    async def read_head(self, end: re.Pattern[bytes]) -> bytes:
        """Wait for the head of the next message. Raises Malformed or Unreachable."""
        found: asyncio.Future[bytes | StreamError] = asyncio.get_running_loop().create_future()
        self.next_head(end, lambda head: None if found.done() else found.set_result(head))
        head = await found
        if isinstance(head, bytes):
            return head
        raise head

    async def read_exactly(self, count: int) -> bytes:
        while len(self._buffer) < count:
            if self.at_eof:
                raise Unreachable(Failure.RESET, "the connection ended too early")
            await self._wait_for_input()
        return self._consume(count)

    def forward(self, to: ByteStream, body: BodyFraming, on_done: OnForwarded, prefix: bytes = b"") -> None:
        """Send the prefix, then a body as it arrives, and call back when the body is complete or has failed."""
        forwarding = self._forwarding = (to, body, on_done)
        to._source = self
        if body.is_done or not self._buffer:
            if prefix:
                to.write(prefix)
        else:
            buffered, self._buffer = bytes(self._buffer), bytearray()
            self._forward_data(buffered, prefix)
        if self._forwarding is not forwarding:
            return  # the body was complete, and the callback may have started to forward the next one
        if body.is_done:
            self._stop_forwarding(None)
        elif self.at_eof:
            self._stop_forwarding(self._truncated_body)
        else:
            self.set_paused(to._is_full)

    async def forward_all(self, to: ByteStream) -> None:
        """Forward everything until the connection ends. Raises Unreachable if it ends with an error."""
        done: asyncio.Future[StreamError | None] = asyncio.get_running_loop().create_future()
        self.forward(to, UntilClosed(), lambda error: None if done.done() else done.set_result(error))
        if (error := await done) is not None:
            raise error

    def _handle(self, data: bytes) -> None:
        if self._forwarding is not None:
            self._forward_data(data)
            return
        self._buffer += data
        if self._on_head is not None:
            self._deliver_heads()
        if len(self._buffer) > (self.unread_limit if self._on_head is None else MAX_HEAD_BYTES):
            self.set_paused(True)
        if self.on_unread is not None and self._buffer:
            self.on_unread(len(self._buffer))
        self._notify_reader()

    def _wait_for_turn(self, data: bytes) -> None:
        """Keep bytes for a later pass of the event loop, and read no more until then."""
        self._arrived = data
        if not self._is_waiting_for_turn and self.turns is not None:
            self._is_waiting_for_turn = True
            self.set_paused(True, _FOR_TURN)
            self.turns.wait(self._take_turn)

    def _take_turn(self) -> None:
        if not self._is_waiting_for_turn:
            return  # the connection has ended, and its last bytes were handled then
        data, self._arrived, self._is_waiting_for_turn = self._arrived, b"", False
        self._handle(data)
        if not self._is_waiting_for_turn:
            self.set_paused(False, _FOR_TURN)

    def _forward_data(self, data: bytes, prefix: bytes = b"") -> None:
        assert self._forwarding is not None
        to, body, _ = self._forwarding
        try:
            consumed = self._measure(body, data)
        except Malformed as error:
            self._stop_forwarding(error)
            return
        if consumed == len(data):
            to.write(prefix + body.as_sent(data) if prefix else body.as_sent(data))
        else:
            to.write(prefix + body.as_sent(data[:consumed]))
            self._keep_rest(body, data[consumed:])
        if body.is_done:
            self._stop_forwarding(None)

    def _measure(self, body: BodyFraming, data: bytes) -> int:
        """Return how many bytes belong to the body; if more work is left, at least those that were looked at."""
        consumed = body.consume(data)
        may_wait = self.turns is not None and not self.at_eof and not self.is_disconnected
        while consumed < len(data) and not body.is_done and not may_wait:
            consumed += body.consume(data[consumed:])
        return consumed

    def _keep_rest(self, body: BodyFraming, rest: bytes) -> None:
        if body.is_done:  # the rest belongs to the next message
            self._buffer += rest
        else:
            self._wait_for_turn(rest)

    @property
    def _has_lost_receiver(self) -> bool:
        return self._forwarding is not None and self._forwarding[0].is_disconnected

    def _stop_forwarding(self, error: StreamError | None) -> None:
        if self._forwarding is None:
            return
        to, body, on_done = self._forwarding
        self._forwarding = to._source = None
        if to._is_full:
            self.set_paused(False)  # it was paused for a receiver that it no longer sends to
        ends_well = body.ends_with_connection and not self.has_failed and isinstance(error, Unreachable)
        if ends_well:
            to.write(body.end)
        on_done(None if ends_well else error)

    def _deliver_heads(self) -> None:
        """Deliver heads in a loop: a callback may ask for the next head at once, and must not recurse into here."""
        self._is_delivering_heads = True
        try:
            while self._on_head is not None and (head := self._find_head()) is not None:
                on_head, self._on_head = self._on_head, None
                on_head(head)
        finally:
            self._is_delivering_heads = False
        if self._on_head is not None:
            self.set_paused(False)  # only now: what has arrived before may hold many heads

    def _find_head(self) -> bytes | StreamError | None:
        found = self._head_end.search(self._buffer, self._search_from)
        if found is not None:
            return self._consume(found.end())
        if len(self._buffer) > MAX_HEAD_BYTES:
            return Malformed("the head is too long")
        if self.at_eof:
            return Unreachable(self._missing_head_failure, "the connection ended before a complete head")
        self._search_from = max(0, len(self._buffer) - 3)
        return None

    def _consume(self, length: int) -> bytes:
        consumed = bytes(self._buffer[:length])
        del self._buffer[:length]
        self._search_from = 0
        return consumed

    def _end_input(self) -> None:
        if self.at_eof:
            return
        self.at_eof = True
        self._stop_forwarding(self._truncated_body)
        if self._on_head is not None and not self._is_delivering_heads:
            self._deliver_heads()
        self._notify_reader()

    @property
    def _truncated_body(self) -> Unreachable:
        return Unreachable(Failure.RESET if self.has_failed else Failure.SHORT, "the connection ended in a body")

    @property
    def _missing_head_failure(self) -> Failure:
        if self.has_failed:
            return Failure.RESET
        return Failure.SHORT if self._buffer else Failure.EMPTY

    async def _wait_for_input(self) -> None:
        """Wait until bytes arrive or the input ends."""
        self._activity = asyncio.get_running_loop().create_future()
        self.set_paused(False)
        try:
            await self._activity
        finally:
            self._activity = None

    def _notify_reader(self) -> None:
        if self._activity is not None and not self._activity.done():
            self._activity.set_result(None)
