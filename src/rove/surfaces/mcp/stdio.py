"""MCP over standard input and output: one JSON message per line.

Input is read and output is written by a thread each, because either may be a pipe, a file, a terminal or a socket, and
asyncio cannot wait for all of these. A client that does not read its answers blocks the writing thread alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import select
import threading
from collections.abc import AsyncIterator, Callable
from queue import SimpleQueue

from rove.engine.sessions import Sessions
from rove.surfaces.mcp.features import browser_server
from rove.surfaces.mcp.messages import PARSE_ERROR, Message, ProtocolError, Send, error_message, to_json
from rove.surfaces.mcp.protocol import McpConnection
from rove.toolsets.toolset import Toolset

log = logging.getLogger(__name__)

# Seconds for running calls to finish after the client has closed our input. It may still read our output, as the shell
# does for `echo '...' | rove mcp`.
FINISH_TIMEOUT = 2.0
# Seconds to write the remaining messages at the end. Clients kill a server that takes much longer.
FLUSH_TIMEOUT = 1.0
# The input ends at a longer line: no MCP client sends one, and it must not fill the memory.
MAX_LINE_BYTES = 64 * 2**20
# Lines that are read before the event loop has taken them.
MAX_LINES_AHEAD = 64
# When the client leaves more bytes of messages unread, rove stops serving it, because they are kept in memory.
MAX_UNREAD_BYTES = 64 * 2**20


async def serve(sessions: Sessions, tools: Toolset) -> None:
    """Serve one client until it closes our standard input, or leaves too much of our output unread."""
    source = Input(0)
    output = Output(_claim_output(), on_overflow=source.end)
    server = browser_server(sessions, tools)
    connection = McpConnection(server, stream=output.send)
    try:
        async for line in source.lines():
            await receive_line(line, connection, output.send)
        await connection.finish(FINISH_TIMEOUT)
    finally:
        await connection.close()
        await server.close()
        await output.close(FLUSH_TIMEOUT)


async def receive_line(line: bytes, connection: McpConnection, send: Send) -> None:
    """Handle one line of input, and pass the messages for the client to `send`."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        await send(error_message(None, ProtocolError(PARSE_ERROR, "not JSON")))
    else:
        connection.receive(message, send)


class Output:
    """Writes messages in order, from a thread. Sending never waits for the client."""

    def __init__(self, file: int, on_overflow: Callable[[], None]) -> None:
        self._file = file
        self._on_overflow = on_overflow
        self._loop = asyncio.get_running_loop()
        self._messages: SimpleQueue[bytes | None] = SimpleQueue()
        # Each counter is changed by one thread alone: the first by the event loop, the second by the writing thread.
        self._sent = 0
        self._written = 0
        self._has_overflowed = False
        self._is_flushed = asyncio.Event()
        threading.Thread(target=self._write_messages, daemon=True, name="stdout").start()

    @property
    def unread(self) -> int:
        """The number of bytes that the client has not read yet."""
        return self._sent - self._written

    async def send(self, message: Message) -> None:
        data = _to_line(message)
        if self._has_overflowed or self.unread > MAX_UNREAD_BYTES:
            self._overflow()
            return
        self._sent += len(data)
        self._messages.put(data)

    async def close(self, timeout: float) -> None:
        """Wait until all messages are written, at most `timeout` seconds; the rest is left unwritten."""
        self._messages.put(None)
        try:
            await asyncio.wait_for(self._is_flushed.wait(), timeout)
        except TimeoutError:
            log.warning("the client left %d bytes of its answers unread", self.unread)

    def _overflow(self) -> None:
        if not self._has_overflowed:
            self._has_overflowed = True
            log.error("the client has left more than %d MB unread; rove stops serving it", MAX_UNREAD_BYTES // 2**20)
            self._on_overflow()

    def _write_messages(self) -> None:
        has_reader = True
        while (data := self._messages.get()) is not None:
            has_reader = has_reader and _write(self._file, data)
            self._written += len(data)
        with contextlib.suppress(RuntimeError):  # the event loop has ended: the client read the last answers too late
            self._loop.call_soon_threadsafe(self._is_flushed.set)


def _to_line(message: Message) -> bytes:
    return to_json(message) + b"\n"


def _write(file: int, data: bytes) -> bool:
    """Write all bytes, without a time limit, and return whether the client still reads."""
    view = memoryview(data)
    try:
        while view:
            view = view[_write_some(file, view) :]
    except BrokenPipeError:
        log.debug("the client closed its end before it had read all answers")
        return False
    except OSError as error:
        log.error("answers cannot be written to the client: %s", error.strerror)
        return False
    return True


def _write_some(file: int, data: memoryview) -> int:
    while True:
        try:
            return os.write(file, data)
        except BlockingIOError:  # the client has made its end non-blocking, and with it ours
            waiting = select.poll()
            waiting.register(file, select.POLLOUT)
            waiting.poll()


class Input:
    """Lines of a file, read by a thread that reads at most `MAX_LINES_AHEAD` lines ahead."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._free = threading.Semaphore(MAX_LINES_AHEAD)

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield each line that is not blank, until the input ends or `end` is called."""
        threading.Thread(target=self._read, daemon=True, name="stdin").start()
        while (line := await self._lines.get()) is not None:
            self._free.release()
            if line.strip():
                yield line

    def end(self) -> None:
        """End `lines`, as if the input had ended here."""
        self._lines.put_nowait(None)

    def _read(self) -> None:
        # Not sys.stdin: Python aborts at its exit while a thread still reads from that.
        file = os.fdopen(self._file, "rb", closefd=False)
        with contextlib.suppress(RuntimeError):  # the event loop has ended before the input
            while (line := file.readline(MAX_LINE_BYTES)) and len(line) < MAX_LINE_BYTES:
                self._free.acquire()
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
            self._loop.call_soon_threadsafe(self.end)


def _claim_output() -> int:
    """Return a copy of standard output for the protocol, and send all other output to standard error."""
    output = os.dup(1)
    os.dup2(2, 1)
    return output
