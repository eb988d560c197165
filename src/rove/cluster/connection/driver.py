"""The Ray driver process: holds the connection to Ray for a rove process, which survives it.

Ray ends a process that is connected to it when its node or the head is gone. Started with the number of a socket, it
reads requests from the rove process and ends with it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from rove.cluster.connection.actors import NodeActors
from rove.cluster.connection.frames import frame, messages
from rove.cluster.connection.member import reason_of
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
NAMESPACE = "rove"
# Items of a stream on their way before the reader has taken one.
CREDITS = 16
CLOSE_SECONDS = 15.0


class Driver:
    """Passes calls on to the actors of nodes, and tells the rove process which nodes come and go."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, configuration: dict[str, Any]
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._actors = NodeActors(configuration, self._send)
        self._tasks = BackgroundTasks("the Ray driver process")
        self._running: dict[int, asyncio.Task[None]] = {}
        self._credits: dict[int, asyncio.Semaphore] = {}

    async def run(self) -> None:
        """Serve until the rove process has closed its end."""
        watching = self._tasks.start(self._actors.watch())
        watching.add_done_callback(lambda task: self._writer.close())
        handlers: dict[str, Callable[..., None]] = {
            "call": self._call,
            "stream": self._stream,
            "more": self._allow_more,
            "cancel": self._cancel,
        }
        async for kind, *arguments in messages(self._reader):
            handlers[kind](*arguments)
        await self._tasks.close()
        await asyncio.wait_for(self._actors.end(), CLOSE_SECONDS)

    def _send(self, *message: Any) -> None:
        self._writer.write(frame(message))

    def _start(self, number: int, work: Coroutine[Any, Any, None]) -> None:
        task = self._running[number] = self._tasks.start(work)
        task.add_done_callback(lambda _: self._forget(number))

    def _forget(self, number: int) -> None:
        self._running.pop(number, None)
        self._credits.pop(number, None)

    def _call(self, number: int, node: str, method: str, payload: bytes) -> None:
        self._start(number, self._run_call(number, node, method, payload))

    def _stream(self, number: int, node: str, method: str, payload: bytes) -> None:
        self._credits[number] = asyncio.Semaphore(CREDITS)
        self._start(number, self._run_stream(number, node, method, payload))

    def _allow_more(self, number: int) -> None:
        if number in self._credits:
            self._credits[number].release()

    def _cancel(self, number: int) -> None:
        if number in self._running:
            self._running[number].cancel()

    async def _run_call(self, number: int, node: str, method: str, payload: bytes) -> None:
        from ray.exceptions import RayError

        try:
            self._send("answer", number, await self._actors.call(node, method, payload))
        except (RayError, LookupError) as error:
            self._send("lost", number, reason_of(error))

    async def _run_stream(self, number: int, node: str, method: str, payload: bytes) -> None:
        from ray.exceptions import RayError

        try:
            items = self._actors.stream(node, method, payload)
            await self._credits[number].acquire()
            async for item in items:
                self._send("item", number, item)
                await self._credits[number].acquire()
            self._send("end", number)
        except (RayError, LookupError) as error:
            self._send("lost", number, reason_of(error))


def connect(configuration: dict[str, Any]) -> None:
    """Connect this process to Ray. Raises AuthenticationError at once for a token that the head does not take."""
    import ray

    check_token(configuration["address"])
    ray.init(
        address=configuration["address"],
        namespace=NAMESPACE,
        # Of the whole connection, as Ray sends local files only for that.
        runtime_env=configuration["runtime_env"] or None,
        log_to_driver=False,
        logging_level=logging.ERROR,
        configure_logging=False,
    )


def check_token(address: str) -> None:
    """Raise AuthenticationError if the head does not take the token of this process.

    `ray.init` tries for twenty seconds, and then says no more than that it could not connect.
    """
    from ray._raylet import GcsClient  # type: ignore[attr-defined]  # a compiled module
    from ray.exceptions import RpcError

    try:
        GcsClient(address=address)
    except RpcError as error:
        log.info("the head does not answer yet: %s", reason_of(error))


async def serve(connection: socket.socket, configuration: dict[str, Any]) -> None:
    reader, writer = await asyncio.open_connection(sock=connection)
    await Driver(reader, writer, configuration).run()


def main() -> None:
    """Run the process: arguments are the number of the socket and the configuration as JSON."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    connection = socket.socket(fileno=int(sys.argv[1]))
    configuration: dict[str, Any] = json.loads(sys.argv[2])
    from ray.exceptions import AuthenticationError

    try:
        connect(configuration)
    except AuthenticationError:
        connection.sendall(frame(("refused", "its token is another than the one that is set here, or none is set")))
        os._exit(1)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        connection.sendall(frame(("failed", reason_of(error))))
        os._exit(1)
    connection.setblocking(False)
    try:
        asyncio.run(serve(connection, configuration))
    finally:
        os._exit(0)  # without Ray's own end, which may wait for a head that has gone


if __name__ == "__main__":
    main()
