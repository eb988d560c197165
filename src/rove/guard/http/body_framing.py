"""Where an HTTP body ends. Bytes are passed on as they came; only their count is kept."""

from __future__ import annotations

import re
from typing import Protocol

from rove.guard.proxy.connection_errors import Malformed

_LONGEST_LINE = 16 * 1024
# Sixteen digits would be more bytes than there are; an extension is read by nobody, but must not hide a line's end.
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(;[\t\x20-\x7e\x80-\xff]*)?")
_TRAILER = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*")


class BodyFraming(Protocol):
    """Counts through a body as it passes."""

    is_done: bool
    may_break_off: bool  # whether the end of the connection is an end

    def take(self, data: bytes) -> int:
        """How many of these bytes are still the body's; raises Malformed."""
        ...


class FixedLength:
    """A body of a given length; none at all is one of length 0."""

    may_break_off = False

    def __init__(self, length: int) -> None:
        self._left = length
        self.is_done = length == 0

    def take(self, data: bytes) -> int:
        taken = min(len(data), self._left)
        self._left -= taken
        self.is_done = self._left == 0
        return taken


class UntilClosed:
    """A body that ends with its connection."""

    is_done = False
    may_break_off = True

    def take(self, data: bytes) -> int:
        return len(data)


class Chunked:
    """A body in chunks. What is let through reads the same to everyone: lines end in CR LF, sizes are plain."""

    may_break_off = False

    def __init__(self) -> None:
        self._left = 0  # of a chunk's data and the line's end behind it
        self._line = b""
        self._in_trailer = False
        self._trailed = 0
        self.is_done = False

    def take(self, data: bytes) -> int:
        at = 0
        while at < len(data) and not self.is_done:
            at = self._data(data, at) if self._left else self._control(data, at)
        return at

    def _data(self, data: bytes, at: int) -> int:
        end = min(at + self._left, len(data))
        self._left -= end - at
        # The last two bytes are the line's end; either may come alone.
        for position in range(max(at, end + self._left - 2), end):
            expected = 0x0D if end + self._left - position == 2 else 0x0A
            if data[position] != expected:
                raise Malformed("a chunk does not end where its size says")
        return end

    def _control(self, data: bytes, at: int) -> int:
        end = data.find(b"\n", at)
        piece = data[at:] if end < 0 else data[at : end + 1]
        self._line += piece
        if len(self._line) > _LONGEST_LINE:
            raise Malformed("a line between chunks is too long")
        if end < 0:
            return len(data)
        line, self._line = self._line, b""
        if not line.endswith(b"\r\n"):
            raise Malformed("a line between chunks ends without CR")
        self._read(line[:-2])
        return end + 1

    def _read(self, line: bytes) -> None:
        if self._in_trailer:
            self._trailed += len(line)
            if line and (not _TRAILER.fullmatch(line) or self._trailed > _LONGEST_LINE):
                raise Malformed("a trailer is not a header")
            self.is_done = not line
            return
        size = _SIZE.fullmatch(line)
        if size is None:
            raise Malformed("a chunk has no size")
        length = int(size[1], 16)
        self._in_trailer = length == 0
        self._left = length + 2 if length else 0
