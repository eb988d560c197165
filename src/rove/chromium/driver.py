"""Playwright's driver process, handed over to Playwright's own client."""

from __future__ import annotations

import asyncio
import importlib
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import Playwright


class Driver:
    """The Node process that Playwright's Python side talks to."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._client: Any = None
        self._connecting: asyncio.Future[Playwright] | None = None
        self._end_callbacks: list[Callable[[], None]] = []

    def connected(self) -> asyncio.Future[Playwright]:
        """Playwright on top of this process; connecting begins at the first call, however many there are."""
        if self._connecting is None:
            self._connecting = asyncio.ensure_future(self._connect())
        return self._connecting

    async def _connect(self) -> Playwright:
        # In a thread, as the import takes 0.1 s in which a server should already be answering.
        await asyncio.to_thread(importlib.import_module, "playwright.async_api")
        from playwright._impl.out_of_process import PlaywrightClient
        from playwright.async_api._generated import Playwright

        client = PlaywrightClient()
        # The client's first task runs after this line, so it finds our process in place of starting its own.
        client._transport.connect = lambda: self._adopt(client._transport)  # type: ignore[method-assign]
        self._client = client
        return Playwright(await client._playwright)  # pyright: ignore[reportPrivateUsage]

    async def _adopt(self, transport: Any) -> None:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), self._process.stdout)
        pipe, protocol = await loop.connect_write_pipe(
            lambda: asyncio.streams.FlowControlMixin(loop), self._process.stdin
        )
        transport.on_error_future.add_done_callback(self._on_end)
        transport._stopped_future = loop.create_future()
        transport._output = asyncio.StreamWriter(pipe, protocol, None, loop)
        transport._proc = _AdoptedProcess(self._process, reader, transport._output)

    def on_end(self, callback: Callable[[], None]) -> None:
        """Be told when the process has ended without being asked to."""
        self._end_callbacks.append(callback)

    def _on_end(self, broken: asyncio.Future[Any]) -> None:
        if not broken.cancelled():
            broken.exception()  # seen, so that nobody is told of it a second time
        for callback in self._end_callbacks:
            callback()

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    async def close(self) -> None:
        """Ask the process to end; whoever owns the run folder kills it if it does not."""
        if self._connecting is not None:
            await asyncio.wait({self._connecting})
        if self._client is not None:
            await self._client.stop()


class _AdoptedProcess:
    """The part of asyncio's Process that Playwright's transport uses."""

    def __init__(
        self, process: subprocess.Popen[bytes], stdout: asyncio.StreamReader, stdin: asyncio.StreamWriter
    ) -> None:
        self._process = process
        self.stdout = stdout
        self.stdin = stdin

    async def communicate(self) -> None:
        await asyncio.to_thread(self._process.wait)
