"""One end of a connection. Bytes wait here for a coroutine that reads them, or go straight on to another link."""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from collections.abc import Callable
from typing import cast

from rove.guard.failure import Failure, Malformed, Unreachable
from rove.guard.framing import Body, UntilClosed

LONGEST_HEAD = 256 * 1024  # as long as Chromium takes
# What may lie unread, or unsent, before the sender is made to wait.
_MOST_WAITING = 512 * 1024
# A tunnel of which one side is done lives on while the other still sends; this long without a byte ends it.
_LONGEST_PAUSE = 30.0
# How long a client that is still sending may take to hear that it need not.
_FAREWELL = 2.0

# On, for no seconds: what makes the system send a reset.
_NO_FAREWELL = struct.pack("ii", 1, 0)

STRICT_END = re.compile(rb"\r\n\r\n")
LENIENT_END = re.compile(rb"\r?\n\r?\n")


class Link(asyncio.Protocol):
    """Reading, writing and forwarding, with the sender slowed to the pace of the receiver."""

    def __init__(self, on_made: Callable[[], None] | None = None, on_end: Callable[[], None] | None = None) -> None:
        self._on_made = on_made
        self._on_end = on_end
        self.is_ended = False  # nothing more will come
        self.is_lost = False  # and nothing more can be sent
        self.is_broken = False  # it did not end as it should
        self.keeps_half_open = False
        self.received = 0
        self._waiting = bytearray()
        self._reader: asyncio.Future[None] | None = None
        self._taker: Callable[[bytes], None] | None = None
        self._feeder: Link | None = None  # who waits while we are full
        self._is_full = False
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=_MOST_WAITING)
        if self._on_made is not None:
            self._on_made()

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        if self._taker is not None:
            self._taker(data)
            return
        self._waiting += data
        if len(self._waiting) > _MOST_WAITING:
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        self._end()
        return self.keeps_half_open

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost, self.is_broken = True, exc is not None
        self.resume_writing()
        if self._feeder is not None:
            self._feeder._wake()  # what it still has, nobody takes
        self._end()

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
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_FAREWELL)
            self._transport.abort()

    async def take_leave(self) -> None:
        """Close so that what was sent arrives: with bytes unread, the system would take it back."""
        self.keeps_half_open = True
        self._waiting.clear()
        self._taker = lambda _: None
        self.hold(False)
        self.write_end()
        try:
            async with asyncio.timeout(_FAREWELL):
                while not self.is_ended:
                    await self._more()
        except TimeoutError:
            pass  # it has had its time
        self.close()

    async def read_head(self, end: re.Pattern[bytes]) -> bytes | None:
        """The head of the next message; None if none will come. Raises Malformed or Unreachable."""
        searched = 0
        while (found := end.search(self._waiting, searched)) is None:
            if len(self._waiting) > LONGEST_HEAD:
                raise Malformed("the head is too long")
            if self.is_ended:
                if self._waiting:
                    raise Unreachable(Failure.RESET, "broken off in a head")
                return None
            searched = max(0, len(self._waiting) - 3)
            await self._more()
        return self._cut(found.end())

    async def read_exactly(self, count: int) -> bytes:
        while len(self._waiting) < count:
            if self.is_ended:
                raise Unreachable(Failure.RESET, "broken off")
            await self._more()
        return self._cut(count)

    async def forward(self, to: Link, body: Body, ahead: bytes = b"") -> None:
        """Send a body on as it comes, and first what goes ahead of it. Raises Malformed or Unreachable."""
        waiting = bytes(self._waiting) if self._waiting and not body.is_done else b""
        taken = body.take(waiting) if waiting else 0
        del self._waiting[:taken]
        if ahead or taken:
            to.write(ahead + waiting[:taken])
        if not body.is_done and not self.is_ended:
            await self._forward_rest(to, body)
        if not body.is_done and (self.is_broken or not body.may_break_off):
            raise Unreachable(Failure.RESET, "broken off in a body")

    async def _forward_rest(self, to: Link, body: Body) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def take(data: bytes) -> None:
            try:
                taken = body.take(data)
            except Malformed as error:
                self._taker = None
                if not done.done():
                    done.set_exception(error)
                return
            to.write(data if taken == len(data) else data[:taken])
            if body.is_done:
                self._taker = None
                self._waiting += data[taken:]
                self._wake()

        self._taker, self._reader, to._feeder = take, done, self
        self.hold(to._is_full)
        try:
            await done
        finally:
            self._taker = self._reader = to._feeder = None

    async def _more(self) -> None:
        """Until something has happened."""
        self._reader = asyncio.get_running_loop().create_future()
        self.hold(False)
        try:
            await self._reader
        finally:
            self._reader = None

    def _cut(self, length: int) -> bytes:
        taken = bytes(self._waiting[:length])
        del self._waiting[:length]
        return taken

    def _end(self) -> None:
        is_news, self.is_ended = not self.is_ended, True
        self._wake()
        if is_news and self._on_end is not None:
            self._on_end()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)


async def splice(one: Link, other: Link) -> None:
    """Both ways at once until both sides are done; when one has nothing more to say, the other is told."""
    one.keeps_half_open = other.keeps_half_open = True
    ways = {asyncio.ensure_future(_one_way(one, other)): one, asyncio.ensure_future(_one_way(other, one)): other}
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        while left := [(way, link) for way, link in ways.items() if not way.done()]:
            before = left[0][1].received
            await asyncio.wait([way for way, _ in left], timeout=_LONGEST_PAUSE, return_when=asyncio.FIRST_COMPLETED)
            if left[0][1].received == before and not left[0][0].done():
                return
    finally:
        for way in ways:
            way.cancel()


async def _one_way(source: Link, to: Link) -> None:
    try:
        await source.forward(to, UntilClosed())
        to.write_end()
    except Unreachable:
        to.abort()  # it broke off here, so it breaks off there
