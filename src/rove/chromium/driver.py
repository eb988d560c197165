"""Playwright's driver process, started by our own hands.

Playwright would start it too, but only after its own import (0.12 s) and with our whole environment. Started
here, it boots while that import runs, keeps its compiled code between starts (together 0.25 s of a first
call), lives in the run folder and carries its mark, so that the keeper can find it.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rove.errors import BrowserUnavailable

if TYPE_CHECKING:
    from playwright.async_api import Playwright


class Driver:
    """The Node process that Playwright's Python side talks to."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._client: Any = None
        self._connecting: asyncio.Future[Playwright] | None = None

    @classmethod
    def spawn(cls, environment: dict[str, str], cache: Path) -> Driver:
        """Start the process at once, without importing Playwright."""
        node, program = _program()
        inherited = {key: value for key, value in os.environ.items() if key != "NODE_OPTIONS"}
        return cls(
            subprocess.Popen(
                [str(node), str(program), "run-driver"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={
                    **inherited,
                    **environment,
                    "PW_LANG_NAME": "python",
                    "PW_LANG_NAME_VERSION": f"{sys.version_info.major}.{sys.version_info.minor}",
                    "NODE_COMPILE_CACHE": str(cache),
                },
                start_new_session=True,
            )
        )

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
        transport._stopped_future = loop.create_future()
        transport._output = asyncio.StreamWriter(pipe, protocol, None, loop)
        transport._proc = _AdoptedProcess(self._process, reader, transport._output)

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    async def close(self) -> None:
        """Ask the process to end; whoever owns the run folder kills it if it does not."""
        if self._client is not None:
            await self._client.stop()
        elif self._process.stdin is not None:
            self._process.stdin.close()
            await asyncio.to_thread(self._process.wait)


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


def driver_folder() -> Path:
    """Where Playwright keeps its driver, found without importing Playwright."""
    spec = importlib.util.find_spec("playwright")
    if spec is None or not spec.submodule_search_locations:
        raise BrowserUnavailable("Playwright is not installed.", hint="Run `pip install rove` again.")
    return Path(spec.submodule_search_locations[0]) / "driver"


def _program() -> tuple[Path, Path]:
    folder = driver_folder()
    return Path(os.environ.get("PLAYWRIGHT_NODEJS_PATH") or folder / "node"), folder / "package" / "cli.js"
