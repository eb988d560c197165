"""A transport over the pipe of a browser that rove has started (`--remote-debugging-pipe`).

A pipe rather than a port: every process on this machine could connect to a port, and a browser ends itself when its
pipe closes.
"""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING

from rove.chromium.protocol.event_limits import LIMITED_EVENTS, TAIL_BYTES
from rove.protocol.limits import MAX_EVENT_BYTES

if TYPE_CHECKING:
    from rove.chromium.protocol.connection import CdpConnection


class PipeTransport:
    """Two file descriptors, one for each direction; every message ends in a zero byte."""

    def __init__(self, read_fd: int, write_fd: int, received: bytes = b"") -> None:
        """`received`: bytes that were read from the pipe before this transport took it over."""
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._received = received
        self._output: asyncio.WriteTransport | None = None
        self._input: asyncio.ReadTransport | None = None

    async def open(self, connection: CdpConnection) -> None:
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

    def __init__(self, connection: CdpConnection) -> None:
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
