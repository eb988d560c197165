"""The process that reads PDF files: one for each file, so that a hostile one can harm neither rove nor another file."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import struct
import sys
from collections.abc import AsyncGenerator
from typing import Any
from weakref import WeakKeyDictionary

from rove.errors import DocumentDamaged, LimitReached

READER = "rove.content.pdf"
# Seconds for one file, of which the reader itself uses at most the most part and then answers with what it has.
SECONDS = 12.0
MOST_AT_ONCE = 2
MOST_WAITING = 16
MOST_ANSWER_BYTES = 64 * 2**20
LENGTH = struct.Struct(">I")


class _Queue:
    """Lets a few files be read at once, and a bounded number wait."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(MOST_AT_ONCE)
        self._waiting = 0

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncGenerator[None]:
        """Hold a place, once one is free. Raises LimitReached if too many files wait."""
        if self._waiting >= MOST_WAITING:
            raise LimitReached("Too many PDF files are being read.", hint="Call again in a moment.")
        self._waiting += 1
        try:
            await self._places.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._places.release()


# One for each event loop, as a semaphore belongs to one.
_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue] = WeakKeyDictionary()


async def ask_reader(request: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Have a new process read a file; return its answer and the bytes after it. Raises DocumentDamaged."""
    queue = _queues.setdefault(asyncio.get_running_loop(), _Queue())
    async with queue.place(), _reader() as process:
        try:
            async with asyncio.timeout(SECONDS):
                return await _exchange(process, request, data)
        except TimeoutError:
            raise DocumentDamaged(
                f"The PDF could not be read in {SECONDS:g} seconds.",
                hint="Read fewer `pages`, or look for another copy.",
            ) from None
        except (asyncio.IncompleteReadError, ConnectionError, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise DocumentDamaged("The PDF cannot be read: its reader crashed, or needed too much memory.") from error


@contextlib.asynccontextmanager
async def _reader() -> AsyncGenerator[asyncio.subprocess.Process]:
    """Start a reader, and end it whatever happens. It ends by itself if this process does: then its input is closed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", READER),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd="/",
        # The keys and tokens of this process are kept from it.
        env={name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ},
    )
    try:
        yield process
    finally:
        # Not `process.kill()`: it may take the exit status that asyncio waits for, and asyncio then logs a warning.
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        await asyncio.shield(process.wait())


async def _exchange(
    process: asyncio.subprocess.Process, request: dict[str, Any], data: bytes
) -> tuple[dict[str, Any], bytes]:
    assert process.stdin is not None and process.stdout is not None
    header = json.dumps(request).encode()
    process.stdin.write(LENGTH.pack(len(header)) + header + LENGTH.pack(len(data)))
    process.stdin.write(data)
    await process.stdin.drain()
    answer = json.loads(await _part(process.stdout))
    if not isinstance(answer, dict):
        raise DocumentDamaged("The PDF cannot be read: its reader gave no sense.")
    return answer, await _part(process.stdout)


async def _part(stream: asyncio.StreamReader) -> bytes:
    (size,) = LENGTH.unpack(await stream.readexactly(LENGTH.size))
    if size > MOST_ANSWER_BYTES:
        raise DocumentDamaged("The PDF holds more than can be answered.", hint="Read fewer `pages`.")
    return await stream.readexactly(size)
