"""HTTP requests to a driver on this machine.

Not with httpx, which takes longer to import than all that starting a browser needs, and whose features (redirects,
proxies, cookies, TLS) no driver uses.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from rove.webkit.protocol.failures import DriverLost

# More than a screenshot of the largest page that rove takes.
MAX_ANSWER_BYTES = 200 * 2**20
MAX_HEAD_LINES = 100


class HttpClient:
    """Sends requests to one port of the loopback; each goes over a connection that no other request uses then."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[_Connection] = []
        self._is_closed = False

    async def send(self, method: str, path: str, body: bytes, on_written: Callable[[], object] = bool) -> bytes:
        """Return the body of the answer. Raises DriverLost if the driver does not answer with HTTP.

        `on_written` is called when the request has been handed to the system.
        """
        connection = await self._connection()
        try:
            await connection.write(method, path, body)
            on_written()
            answer = await connection.read()
        except (OSError, EOFError, ValueError) as error:
            connection.close()
            raise DriverLost("connection lost", type(error).__name__) from error
        except BaseException:
            connection.close()  # the answer would be taken for that of the next request
            raise
        if self._is_closed or not connection.stays_open:
            connection.close()
        else:
            self._idle.append(connection)
        return answer

    async def _connection(self) -> _Connection:
        if self._is_closed:
            raise DriverLost("connection closed")
        while self._idle:
            connection = self._idle.pop()
            if connection.is_usable:
                return connection
            connection.close()
        try:
            return _Connection(*await asyncio.open_connection("127.0.0.1", self._port, limit=2**20))
        except OSError as error:
            raise DriverLost("connection refused", error.strerror or "") from error

    def close(self) -> None:
        """Close the connections that are not in use; those in use are closed after their answer."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()


class _Connection:
    """One connection, on which a request follows the answer to the one before it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.stays_open = True

    @property
    def is_usable(self) -> bool:
        return not self._reader.at_eof() and not self._writer.is_closing()

    async def write(self, method: str, path: str, body: bytes) -> None:
        """Send a request."""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json; charset=utf-8\r\n"
        self._writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await self._writer.drain()

    async def read(self) -> bytes:
        """Return the body of the answer."""
        if not (await self._reader.readline()).startswith(b"HTTP/1."):
            raise EOFError
        headers = await self._headers()
        self.stays_open = headers.get(b"connection", b"").lower() != b"close"
        if headers.get(b"transfer-encoding", b"").lower() == b"chunked":
            return await self._chunks()
        return await self._reader.readexactly(_checked(int(headers[b"content-length"])))

    async def _headers(self) -> dict[bytes, bytes]:
        headers = dict[bytes, bytes]()
        for _ in range(MAX_HEAD_LINES):
            line = (await self._reader.readline()).strip()
            if not line:
                return headers
            name, _, value = line.partition(b":")
            headers[name.lower()] = value.strip()
        raise ValueError("too many headers")

    async def _chunks(self) -> bytes:
        received = bytearray()
        while size := int(await self._reader.readline(), 16):
            received += await self._reader.readexactly(_checked(len(received) + size) - len(received))
            await self._reader.readline()
        await self._headers()
        return bytes(received)

    def close(self) -> None:
        with contextlib.suppress(RuntimeError):  # the event loop is closed
            self._writer.close()


def _checked(size: int) -> int:
    if not 0 <= size <= MAX_ANSWER_BYTES:
        raise ValueError("the answer is too large")
    return size
