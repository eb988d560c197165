"""One end of a connection. Bytes wait here for whoever reads them, or are poured straight into another link.

Callbacks where coroutines would be easier to read: what every request passes through takes half the time with them,
and a page has dozens. What takes long anyway (dialling, tunnels) waits for them in coroutines.
"""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from collections.abc import Callable
from typing import cast

from rove.guard.http.body_framing import BodyFraming, UntilClosed
from rove.guard.proxy.connection_errors import Failure, Malformed, Unreachable

LONGEST_HEAD = 256 * 1024  # as long as Chromium takes
# What may lie unread, or unsent, before the sender is made to wait.
_MOST_WAITING = 512 * 1024
# How long a client that is still sending may take to hear that it need not.
_CLOSE_TIMEOUT = 2.0
# On, for no seconds: what makes the system send a reset.
_CLOSE_AT_ONCE = struct.pack("ii", 1, 0)

STRICT_END = re.compile(rb"\r\n\r\n")
LENIENT_END = re.compile(rb"\r?\n\r?\n")

Broken = Malformed | Unreachable
OnHead = Callable[[bytes | Broken], None]
OnPoured = Callable[[Broken | None], None]


class ByteStream(asyncio.Protocol):
    """Reading, writing and pouring, with the sender slowed to the pace of the receiver."""

    def __init__(self, on_made: Callable[[], None] | None = None, on_lost: Callable[[], None] | None = None) -> None:
        self.is_ended = False  # nothing more will come
        self.is_lost = True  # nothing can be sent: not yet, or no more
        self.is_broken = False  # it did not end as it should
        self.keeps_half_open = False
        self.received = 0
        self._on_made = on_made
        self._on_lost = on_lost
        self._waiting = bytearray()
        self._searched = 0
        self._end = STRICT_END
        self._on_head: OnHead | None = None
        self._is_finding = False
        self._pouring: tuple[ByteStream, BodyFraming, OnPoured] | None = None
        self._feeder: ByteStream | None = None  # who pours into us, and waits while we are full
        self._is_full = False
        self._change: asyncio.Future[None] | None = None
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.is_lost = False
        self._transport.set_write_buffer_limits(high=_MOST_WAITING)
        if self._on_made is not None:
            self._on_made()

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        if self._pouring is not None:
            self._pour_on(data)
            return
        self._waiting += data
        if self._on_head is not None:
            self._find_heads()
        if len(self._waiting) > _MOST_WAITING:
            self._transport.pause_reading()
        self._tell()

    def eof_received(self) -> bool:
        self._ended()
        return self.keeps_half_open

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost, self.is_broken = True, exc is not None
        if self._feeder is not None:
            self._feeder._stop_pouring(Unreachable(Failure.RESET, "nobody takes it"))
        self._ended()
        if self._on_lost is not None:
            self._on_lost()

    def pause_writing(self) -> None:
        self._is_full = True
        if self._feeder is not None:
            self._feeder.hold(True)

    def resume_writing(self) -> None:
        self._is_full = False
        if self._feeder is not None:
            self._feeder.hold(False)

    def hold(self, held: bool) -> None:
        """Read no more for now, or go on."""
        if self.is_lost or self._transport.is_closing():
            return
        if held:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    @property
    def has_unread(self) -> bool:
        return bool(self._waiting)

    def write(self, data: bytes) -> None:
        if not self.is_lost:
            self._transport.write(data)

    def write_end(self) -> None:
        """Say that no more will be sent."""
        if not self.is_lost and not self._transport.is_closing():
            self._transport.write_eof()

    def close(self) -> None:
        """Send what is still to be sent, then end."""
        self._transport.close()

    def abort(self) -> None:
        """Break off, so that the other side cannot take it for an end."""
        if not self.is_lost:
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _CLOSE_AT_ONCE)
            self._transport.abort()

    async def close_gracefully(self) -> None:
        """Close so that what was sent arrives: with bytes unread, the system would take it back."""
        self.keeps_half_open = True
        if self._pouring is not None:
            self._pouring[0]._feeder = None
            self._pouring = None
        self.write_end()
        try:
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                while not self.is_ended:
                    self._waiting.clear()
                    await self._something()
        except TimeoutError:
            pass  # it has had its time
        self.close()

    def next_head(self, end: re.Pattern[bytes], then: OnHead) -> None:
        """Have the next message's head, or why there is none."""
        self._end, self._on_head, self._searched = end, then, 0
        if not self._is_finding:
            self.hold(False)
            self._find_heads()

    async def read_head(self, end: re.Pattern[bytes]) -> bytes:
        """The same, waited for; raises Malformed or Unreachable."""
        found: asyncio.Future[bytes | Broken] = asyncio.get_running_loop().create_future()
        self.next_head(end, lambda head: None if found.done() else found.set_result(head))
        head = await found
        if isinstance(head, bytes):
            return head
        raise head

    async def read_exactly(self, count: int) -> bytes:
        while len(self._waiting) < count:
            if self.is_ended:
                raise Unreachable(Failure.RESET, "broken off")
            await self._something()
        return self._cut(count)

    def pour(self, to: ByteStream, body: BodyFraming, then: OnPoured, ahead: bytes = b"") -> None:
        """Send a body on as it comes, and first what goes ahead of it; then say that it has ended, or broken off."""
        poured = self._pouring = (to, body, then)
        to._feeder = self
        if body.is_done or not self._waiting:
            if ahead:
                to.write(ahead)
        else:
            waiting, self._waiting = bytes(self._waiting), bytearray()
            self._pour_on(waiting, ahead)
        if self._pouring is not poured:
            return  # that was all of it, and whoever was told may have begun with the next
        if body.is_done:
            self._stop_pouring(None)
        elif self.is_ended:
            self._stop_pouring(self._broken_off)
        else:
            self.hold(to._is_full)

    async def pour_all(self, to: ByteStream) -> None:
        """All that comes until it ends, waited for; raises Unreachable if it breaks off."""
        done: asyncio.Future[Broken | None] = asyncio.get_running_loop().create_future()
        self.pour(to, UntilClosed(), lambda error: None if done.done() else done.set_result(error))
        if (error := await done) is not None:
            raise error

    def _pour_on(self, data: bytes, ahead: bytes = b"") -> None:
        assert self._pouring is not None
        to, body, _ = self._pouring
        try:
            taken = body.take(data)
        except Malformed as error:
            self._stop_pouring(error)
            return
        if taken == len(data):
            to.write(ahead + data if ahead else data)
        else:
            to.write(ahead + data[:taken])
            self._waiting += data[taken:]
        if body.is_done:
            self._stop_pouring(None)

    def _stop_pouring(self, error: Broken | None) -> None:
        if self._pouring is None:
            return
        to, body, then = self._pouring
        self._pouring = to._feeder = None
        if to._is_full:
            self.hold(False)  # it waited for room that it no longer needs
        ends_well = body.may_break_off and not self.is_broken and isinstance(error, Unreachable)
        then(None if ends_well else error)

    def _find_heads(self) -> None:
        """One after the other, as whoever gets one may at once want the next; not one inside the other."""
        self._is_finding = True
        try:
            while self._on_head is not None and (head := self._find_head()) is not None:
                then, self._on_head = self._on_head, None
                then(head)
        finally:
            self._is_finding = False

    def _find_head(self) -> bytes | Broken | None:
        found = self._end.search(self._waiting, self._searched)
        if found is not None:
            return self._cut(found.end())
        if len(self._waiting) > LONGEST_HEAD:
            return Malformed("the head is too long")
        if self.is_ended:
            return Unreachable(self._how_it_ended, "it ended without a head")
        self._searched = max(0, len(self._waiting) - 3)
        return None

    def _cut(self, length: int) -> bytes:
        taken = bytes(self._waiting[:length])
        del self._waiting[:length]
        self._searched = 0
        return taken

    def _ended(self) -> None:
        if self.is_ended:
            return
        self.is_ended = True
        self._stop_pouring(self._broken_off)
        if self._on_head is not None and not self._is_finding:
            self._find_heads()
        self._tell()

    @property
    def _broken_off(self) -> Unreachable:
        return Unreachable(Failure.RESET if self.is_broken else Failure.SHORT, "broken off in a body")

    @property
    def _how_it_ended(self) -> Failure:
        if self.is_broken:
            return Failure.RESET
        return Failure.SHORT if self._waiting else Failure.EMPTY

    async def _something(self) -> None:
        """Until bytes have come, or the end."""
        self._change = asyncio.get_running_loop().create_future()
        self.hold(False)
        try:
            await self._change
        finally:
            self._change = None

    def _tell(self) -> None:
        if self._change is not None and not self._change.done():
            self._change.set_result(None)
