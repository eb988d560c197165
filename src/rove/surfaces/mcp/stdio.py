"""MCP over standard input and output: one JSON message a line."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
from collections.abc import AsyncIterator

from rove.engine.sessions.sessions import Sessions
from rove.surfaces.mcp.protocol import McpConnection, Message
from rove.surfaces.toolsets import Toolset

log = logging.getLogger(__name__)

# A pipe takes this much at once without making us wait for its reader.
PIPE = 65536
# A client that closes its end may still read ours: `echo '...' | rove mcp` deserves its answer.
LAST_ANSWERS = 2.0
# Whoever sends a longer line is no client, and must not fill our memory.
LONGEST = 64 * 2**20


async def serve(sessions: Sessions, tools: Toolset) -> None:
    """Serve one client until it closes our standard input."""
    output = _Output(_claim_output())
    connection = McpConnection(sessions, tools, output.send)
    async for line in _lines():
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            body = {"code": -32700, "message": "not JSON"}
            await output.send({"jsonrpc": "2.0", "id": None, "error": body})
        else:
            connection.receive(message)
    await connection.finish(LAST_ANSWERS)
    await connection.close()


class _Output:
    """Whole messages, one after the other, without ever blocking the loop on a slow reader."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._turn = asyncio.Lock()

    async def send(self, message: Message) -> None:
        # ASCII only: an unpaired surrogate from a page must not break the line.
        data = json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
        async with self._turn:
            await asyncio.to_thread(self._write, data) if len(data) > PIPE // 2 else self._write(data)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except BrokenPipeError:
            log.debug("the client went away before it read its answer")


def _claim_output() -> int:
    """Keep standard output for the protocol: whatever else is printed goes to standard error."""
    own = os.dup(1)
    os.dup2(2, 1)
    return own


async def _lines() -> AsyncIterator[bytes]:
    """Lines of standard input, read in a thread: it may be a pipe, a file or a terminal."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()

    def read() -> None:
        # Not sys.stdin: a read of it that never ends aborts the interpreter on its way out.
        messages = os.fdopen(0, "rb", closefd=False)
        while (line := messages.readline(LONGEST)) and len(line) < LONGEST:
            loop.call_soon_threadsafe(queue.put_nowait, line)
        loop.call_soon_threadsafe(queue.put_nowait, None)

    threading.Thread(target=read, daemon=True, name="stdin").start()
    while (line := await queue.get()) is not None:
        if line.strip():
            yield line
