"""Starting the Ray driver process, and speaking with it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import Any

from rove.cluster.connection.frames import frame, messages
from rove.cluster.connection.head_probe import uses_tls, uses_token
from rove.cluster.connection.options import ClusterOptions, is_loopback
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
MODULE = "rove.cluster.connection.driver"
# With this, Ray uses the loopback address itself instead of another address of the machine.
USE_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
QUIET = {"RAY_DEDUP_LOGS": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
END_SECONDS = 20.0
LINES_KEPT = 20


class DriverProcess:
    """One connection to Ray, until it breaks."""

    def __init__(self, process: asyncio.subprocess.Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._process = process
        self._reader = reader
        self._writer = writer
        self._tasks = BackgroundTasks("the Ray driver process")
        # The last lines that it wrote to standard error.
        self.said: deque[str] = deque(maxlen=LINES_KEPT)
        self._tasks.start(self._keep_what_it_says())

    @classmethod
    async def start(cls, options: ClusterOptions, name: str, losses: Mapping[str, int]) -> DriverProcess:
        """`name`: of the rove process, for its actors. `losses`: how often each node was lost before."""
        configuration = json.dumps({**_configuration(options, name), "losses": dict(losses)})
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", MODULE, str(theirs.fileno()), configuration),
                pass_fds=[theirs.fileno()],
                env=_environment(options),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in the terminal reaches only the rove process
            )
        return cls(process, *await asyncio.open_connection(sock=ours))

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, *message: Any) -> None:
        """Send a message. One to a process that has ended is not sent: `messages` says so."""
        if not self._writer.is_closing():
            self._writer.write(frame(message))

    def messages(self) -> AsyncIterator[Any]:
        """Yield what the process sends, until it has ended."""
        return messages(self._reader)

    async def end(self) -> None:
        """Close the connection, which ends the process and its actors; kill it if that takes too long."""
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()
        try:
            async with asyncio.timeout(END_SECONDS):
                await self._process.wait()
        except TimeoutError:
            log.warning("the Ray driver process does not end: it is killed")
            self.kill()
            await self._process.wait()
        await self._tasks.close()

    def kill(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)  # not with its own method, which waits for the process too

    async def _keep_what_it_says(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            text = line.decode(errors="replace").rstrip()
            if text:  # an empty line would be no reason at all
                self.said.append(text)
            log.debug("Ray: %s", text)


def _configuration(options: ClusterOptions, name: str) -> dict[str, Any]:
    return {
        "address": f"{options.host}:{options.port}" if ":" not in options.host else f"[{options.host}]:{options.port}",
        "name": name,
        "lease_seconds": options.lease_seconds,
        "poll_seconds": options.poll_seconds,
        "start_seconds": options.start_seconds,
        "runtime_env": dict(options.runtime_env),
        "is_protected": is_protected(os.environ),
    }


def _environment(options: ClusterOptions) -> dict[str, str]:
    loopback = USE_LOOPBACK if is_loopback(options.host) else {}
    return {**os.environ, **QUIET, **loopback}


def is_protected(environment: Mapping[str, str]) -> bool:
    """Whether Ray, in a process with this environment, speaks TLS and shows a token."""
    return uses_tls(environment) and uses_token(environment)
