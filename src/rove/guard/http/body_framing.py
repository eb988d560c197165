"""Finds the end of an HTTP body. The bytes themselves are forwarded unchanged, but for one kind of response."""

from __future__ import annotations

import re
from typing import Protocol

from rove.guard.http.http_errors import Malformed

_MAX_LINE_BYTES = 16 * 1024
# Chunks may hold one byte each, so the work of one call is limited: these take about a millisecond.
_MAX_CHUNKS_PER_CALL = 500
# Fifteen hexadecimal digits are enough for any real size. An extension is ignored, but must not contain a line end.
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(;[\t\x20-\x7e\x80-\xff]*)?")
# A trailer must not say where the body ends, which has ended (RFC 9110, 6.5.1).
_TRAILER = re.compile(
    rb"(?!(?i:content-length|transfer-encoding):)[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*"
)


class BodyFraming(Protocol):
    """Follows a body while it is forwarded, to find its end."""

    is_done: bool
    ends_with_connection: bool  # whether the end of the connection is the regular end of the body

    def consume(self, data: bytes) -> int:
        """Return how many of these bytes belong to the body. Raises Malformed.

        If that is fewer than all and the body is not done, call again with the rest.
        """
        ...

    def as_sent(self, data: bytes) -> bytes:
        """Return bytes of the body in the form in which they are forwarded."""
        ...

    @property
    def end(self) -> bytes:
        """What is sent after a body that is complete."""
        ...


class _Unchanged:
    """A body whose bytes are forwarded as they are."""

    end = b""

    def as_sent(self, data: bytes) -> bytes:
        return data


class FixedLength(_Unchanged):
    """A body of a given length. No body at all has length 0."""

    ends_with_connection = False

    def __init__(self, length: int) -> None:
        self._remaining = length
        self.is_done = length == 0

    def consume(self, data: bytes) -> int:
        consumed = min(len(data), self._remaining)
        self._remaining -= consumed
        self.is_done = self._remaining == 0
        return consumed


class UntilClosed(_Unchanged):
    """A body that ends with its connection."""

    is_done = False
    ends_with_connection = True

    def consume(self, data: bytes) -> int:
        return len(data)


class ClosedAsChunked(UntilClosed):
    """A response that ends with the server's connection, forwarded in chunks.

    So the browser can tell its end from that of a proxy which died in the middle of it.
    """

    end = b"0\r\n\r\n"

    def as_sent(self, data: bytes) -> bytes:
        return b"%x\r\n%b\r\n" % (len(data), data) if data else b""


class Chunked(_Unchanged):
    """A body in chunks, accepted only in the form that every server reads alike: CR LF line ends and plain sizes."""

    ends_with_connection = False
    _size = _SIZE

    def __init__(self) -> None:
        self._remaining = 0  # bytes of the current chunk, with the CR LF behind it
        self._line = b""
        self._in_trailer = False
        self._trailer_bytes = 0
        self.is_done = False

    def consume(self, data: bytes) -> int:
        position = 0
        for _ in range(2 * _MAX_CHUNKS_PER_CALL):  # the line with its size, and the chunk itself
            if position == len(data) or self.is_done:
                break
            position = self._consume_data(data, position) if self._remaining else self._consume_line(data, position)
        return position

    def _consume_data(self, data: bytes, start: int) -> int:
        end = min(start + self._remaining, len(data))
        self._remaining -= end - start
        # The last two bytes must be CR LF. They may arrive separately.
        for position in range(max(start, end + self._remaining - 2), end):
            expected = 0x0D if end + self._remaining - position == 2 else 0x0A
            if data[position] != expected:
                raise Malformed("a chunk does not end where its size says")
        return end

    def _consume_line(self, data: bytes, start: int) -> int:
        end = data.find(b"\n", start)
        self._line += data[start:] if end < 0 else data[start : end + 1]
        if len(self._line) > _MAX_LINE_BYTES:
            raise Malformed("a line between chunks is too long")
        if end < 0:
            if b"\r" in self._line[:-1]:  # refused before it is forwarded: to some servers a CR alone ends a line
                raise Malformed("a line between chunks contains a CR")
            return len(data)
        line, self._line = self._line, b""
        if not line.endswith(b"\r\n"):
            raise Malformed("a line between chunks ends without CR")
        self._parse_line(line[:-2])
        return end + 1

    def _parse_line(self, line: bytes) -> None:
        if self._in_trailer:
            self._parse_trailer(line)
            return
        size = self._size.fullmatch(line)
        if size is None:
            raise Malformed("a chunk has no size")
        length = int(size[1], 16)
        self._in_trailer = length == 0
        self._remaining = length + 2 if length else 0

    def _parse_trailer(self, line: bytes) -> None:
        self._trailer_bytes += len(line)
        if line and (not _TRAILER.fullmatch(line) or self._trailer_bytes > _MAX_LINE_BYTES):
            raise Malformed("a trailer is not a header")
        self.is_done = not line


class PlainChunked(Chunked):
    """The chunks of a request. Browsers send neither extensions nor trailers, and servers disagree on them."""

    _size = re.compile(rb"([0-9A-Fa-f]{1,15})")

    def _parse_trailer(self, line: bytes) -> None:
        if line:
            raise Malformed("a request has a trailer")
        self.is_done = True
