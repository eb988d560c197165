"""The side of rove that sends pictures to an encoding process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

from rove.engine.videos.frame_stream import Encoded, Limits, packed
from rove.errors import Unsupported

PROGRAM = "rove.engine.videos"
# Seconds that the process has to end its file. After that it is killed, and the file is what it has written.
CLOSE_SECONDS = 15.0
INSTALL_HINT = (
    "Ask the user to run: pip install 'rove[video]' (PyAV, which brings its own encoder), and start rove again."
)


def require_encoder() -> None:
    """Raise Unsupported, with what to install, if videos cannot be encoded here."""
    if find_spec("av") is None:
        raise Unsupported("Videos need the package PyAV, which is not installed.", hint=INSTALL_HINT)


class Encoder:
    """Encodes one video into a file that is open, in a process that ends when this object does."""

    def __init__(self, path: Path, descriptor: int, limits: Limits) -> None:
        """Take over the descriptor of a new file."""
        self.path = path
        self._descriptor: int | None = descriptor
        self._limits = limits
        self._process: asyncio.subprocess.Process | None = None
        self._result: Encoded | None = None

    @property
    def is_running(self) -> bool:
        """Whether it still takes pictures: it has not failed, nor reached a limit."""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start the process. Raises Unsupported if there is no encoder."""
        require_encoder()
        descriptor, self._descriptor = self._descriptor, None
        assert descriptor is not None, "started before"
        limits = str(self._limits.seconds), str(self._limits.size), str(self._limits.width)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", PROGRAM, str(descriptor), *limits),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                pass_fds=(descriptor,),
                cwd="/",
                # Ctrl-C at a terminal is for rove alone, which then ends the input.
                start_new_session=True,
                # The keys and tokens of this process are kept from it.
                env={name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ},
            )
        finally:
            os.close(descriptor)

    async def add(self, at: float, picture: bytes = b"") -> None:
        """Show a JPEG from a moment on, in seconds; without one, note that the last picture is still shown."""
        if self._process is None or self._process.stdin is None:
            return
        with contextlib.suppress(ConnectionError):  # it has ended, which `is_running` tells
            self._process.stdin.write(packed(at, picture))
            await self._process.stdin.drain()

    async def close(self) -> Encoded | None:
        """End the video and return what the file holds; None if the process died, and the file is what it wrote."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        if self._process is None or self._result is not None:
            return self._result
        process, self._process = self._process, None
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                assert process.stdin is not None and process.stdout is not None
                with contextlib.suppress(ConnectionError):
                    process.stdin.close()
                    await process.stdin.wait_closed()
                line = await process.stdout.readline()
                self._result = Encoded.from_line(line) if line else None
        except TimeoutError:
            self._result = None
        finally:
            await _ended(process)
        return self._result

    def release(self) -> None:
        """Let the process end by itself, where there is no time to wait for it."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Kill the process if it has not ended by itself after what it wrote last."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(1):
            await process.wait()
    # Not `process.kill()`: it may take the exit status that asyncio waits for, and asyncio then logs a warning.
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    await asyncio.shield(process.wait())
