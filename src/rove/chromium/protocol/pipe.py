"""The browser's own pipe.

A pipe rather than a port, since any process of this machine could speak to a port, and since the browser ends itself
when its pipe closes.
"""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING

from rove.chromium.protocol.event_limits import LIMITED_EVENTS, LONGEST, TAIL

if TYPE_CHECKING:
    from rove.chromium.protocol.connection import CdpConnection


class PipeTransport:
    """Two descriptors, one for each way; messages end in a zero byte."""

    def __init__(self, reading: int, writing: int, heard: bytes = b"") -> None:
        """`heard`: what somebody before us has read from it."""
        self._reading = reading
        self._writing = writing
        self._subscribed = heard
        self._output: asyncio.WriteTransport | None = None
        self._input: asyncio.ReadTransport | None = None

    async def open(self, connection: CdpConnection) -> None:
        loop = asyncio.get_running_loop()
        self._output, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(self._writing, "wb", 0))
        messages = _Messages(connection)
        messages.data_received(self._subscribed)
        self._input, _ = await loop.connect_read_pipe(lambda: messages, os.fdopen(self._reading, "rb", 0))

    @property
    def unsent(self) -> int:
        return self._output.get_write_buffer_size() if self._output is not None else 0

    def write(self, message: bytes) -> None:
        assert self._output is not None, "not open yet"
        self._output.write(message + b"\0")

    def close(self) -> None:
        if self._output is None:
            os.close(self._writing)
        elif not self._output.is_closing():
            self._output.abort()  # what is still to be written, nobody will read
        if self._input is None:
            os.close(self._reading)
        else:
            self._input.close()


class _Messages(asyncio.Protocol):
    """Cuts the stream at the zero bytes that end each message."""

    def __init__(self, connection: CdpConnection) -> None:
        self._connection = connection
        self._pieces: list[bytes] = []
        self._size = 0

    def data_received(self, data: bytes) -> None:
        self._connection.heard_at = time.monotonic()
        *whole, rest = data.split(b"\0")
        for piece in whole:
            self._keep(piece)
            message, size = b"".join(self._pieces), self._size
            self._pieces, self._size = [], 0
            self._connection.take(message, size)
        if rest:
            self._keep(rest)

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if len(self._pieces) == 1 and len(self._pieces[0]) < TAIL:
            piece = self._pieces.pop() + piece  # the first piece is to tell what kind of message it is
        self._pieces.append(piece)
        if self._size > LONGEST and self._pieces[0].startswith(LIMITED_EVENTS):
            # How it begins and how it ends is enough to know who said it.
            self._pieces = [self._pieces[0], b"".join(self._pieces[1:])[-TAIL:]]

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.end()
