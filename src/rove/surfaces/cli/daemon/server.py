"""The daemon: accepts the commands of one user on a private socket, and ends when it is not needed."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import signal
import socket
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rove.errors import RoveError
from rove.surfaces.cli.daemon.answers import Reply
from rove.surfaces.cli.daemon.client import IDENTITY
from rove.surfaces.cli.daemon.commands import Commands
from rove.surfaces.cli.daemon.location import RUNNING, SOCKET, Inside
from rove.surfaces.cli.failures import failure_answer
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
# Seconds without a session and without a command after which the daemon ends.
IDLE_LIMIT = 300.0
# Seconds between two looks at whether the daemon is still reachable and needed.
CHECK_INTERVAL = 15.0
LARGEST_REQUEST = 64 * 1024 * 1024
_PEER = struct.Struct("3i")


class Daemon:
    """One daemon: its socket, its commands and its end."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._ending = asyncio.Event()
        self._commands = Commands(self._ending.set)
        self._tasks = BackgroundTasks("the daemon")
        self._socket_identity: tuple[int, int] | None = None

    async def serve(self, ready: int) -> None:
        """Serve until the daemon is stopped or idle. A byte is written to `ready` when commands are accepted."""
        lock = os.open(self._folder / RUNNING, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        loop = asyncio.get_running_loop()
        for ending in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(ending, self._ending.set)
        server = await asyncio.start_unix_server(self._serve_client, sock=self._bound(), limit=LARGEST_REQUEST)
        self._tasks.start(self._end_when_idle())
        os.write(ready, b"\n")
        os.close(ready)
        log.info("started as process %d", os.getpid())
        try:
            await self._ending.wait()
        finally:
            self._unlink_socket()
            server.close()
            await self._tasks.close()
            await self._commands.close()
            log.info("ended")

    def _bound(self) -> socket.socket:
        """Return the socket, in place of one that a killed daemon left; the lock shows that no other one runs."""
        listener = socket.socket(socket.AF_UNIX)
        with Inside(str(self._folder)):
            Path(SOCKET).unlink(missing_ok=True)
            listener.bind(SOCKET)
            Path(SOCKET).chmod(0o600)
            found = os.lstat(SOCKET)
        self._socket_identity = found.st_dev, found.st_ino
        listener.listen(128)
        return listener

    def _is_reachable(self) -> bool:
        try:
            found = os.lstat(self._folder / SOCKET)
        except FileNotFoundError:
            return False
        return (found.st_dev, found.st_ino) == self._socket_identity

    def _unlink_socket(self) -> None:
        if self._is_reachable():
            (self._folder / SOCKET).unlink()

    async def _end_when_idle(self) -> None:
        """End when there has been nothing to do for a while, or when no client can find the socket any more."""
        while not self._ending.is_set():
            if not self._is_reachable() or self._commands.idle_seconds >= IDLE_LIMIT:
                self._ending.set()
            await asyncio.sleep(CHECK_INTERVAL)

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reply = Reply(reader, writer)
        try:
            if _is_this_user(writer):
                await self._answer(reply)
        except (ConnectionError, asyncio.IncompleteReadError, ValueError):
            log.info("a client went away, or sent what is no request", exc_info=True)
        finally:
            writer.close()

    async def _answer(self, reply: Reply) -> None:
        request: Mapping[str, Any] = await reply.receive()
        if request.get("identity") != IDENTITY and request.get("arguments") != ["stop"]:
            self._unlink_socket()
            self._ending.set()
            return  # without having accepted it, so that the client gives it to the next daemon
        if self._ending.is_set():
            return
        reply.of(request)
        reply.send(accepted=True)
        # A client that is interrupted closes its connection; its command is cancelled then.
        command = asyncio.create_task(self._commands.run(request, reply))
        gone = asyncio.create_task(reply.closed())
        await asyncio.wait({command, gone}, return_when=asyncio.FIRST_COMPLETED)
        for task in (command, gone):
            task.cancel()
        code = (await asyncio.gather(command, gone, return_exceptions=True))[0]
        if isinstance(code, int):
            reply.send(exit=code)
        elif isinstance(code, Exception):
            log.error("a command failed", exc_info=code)
            fault = RoveError("This is a fault in rove itself.", hint="`rove logs` shows what happened.")
            output, told = failure_answer(fault, request["arguments"], reply.encoding)
            reply.send(output=output, error=told)
            reply.send(exit=1)
        await reply.flush()


def _is_this_user(writer: asyncio.StreamWriter) -> bool:
    """Whether the process at the other end belongs to this user; the folder's permissions say so too."""
    peer = writer.get_extra_info("socket")
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, uid, _ = _PEER.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    return bool(uid == os.getuid())
