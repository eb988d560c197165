"""A started server with its browser, and the calls that tasks make to it."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import uuid
from pathlib import Path

from bench import processes
from bench.client import Client, Json, Reply
from bench.memory import Memory, measure
from bench.servers import ROVE, Call, Server
from bench.site import Site

# Starting is not subject to the limit on one call, which may be small.
START_LIMIT = 30.0


class Driver:
    """Drives one server process; a restarted server gets a new driver."""

    def __init__(self, server: Server, client: Client, site: Site, limit: float) -> None:
        self.server = server
        self.started = client.started
        self.handshake = 0.0
        # The last page that it was told to open, even if that call failed.
        self.path = ""
        self.tools: list[Json] = []
        self._client = client
        self._site = site
        self._limit = limit
        self._mark = ""
        self._folder = Path()

    @classmethod
    async def start(cls, server: Server, site: Site, limit: float) -> Driver:
        """Start the process in an empty folder, initialize it and read the tool list, as every client does."""
        mark = uuid.uuid4().hex
        folder = Path(tempfile.mkdtemp(prefix="bench-"))
        client = await Client.start(server.command, _environment(server, folder, mark), folder)
        driver = cls(server, client, site, limit)
        driver._mark, driver._folder = mark, folder
        try:
            await client.initialize(START_LIMIT)
            driver.handshake = time.perf_counter() - client.started
            driver.tools = await client.list_tools(START_LIMIT)
        except BaseException:
            await driver.stop()
            raise
        return driver

    async def stop(self) -> int:
        """Close as a client does, then kill what still runs and return how many processes that was."""
        await self._client.close()
        await processes.gone(self._mark, patience=2.0)
        left = await processes.end(self._mark)
        await self._client.reap()
        shutil.rmtree(self._folder, ignore_errors=True)
        return left

    async def kill(self) -> None:
        """Kill the server, which is still busy with a call that timed out."""
        await processes.end(self._mark)
        await self._client.reap()
        shutil.rmtree(self._folder, ignore_errors=True)

    def memory(self) -> Memory:
        return measure(self._mark)

    async def first_page(self) -> Reply:
        """Make the first navigation, which starts the browser of most servers."""
        call = self.server.tool_calls.navigate(self._site.url("/small"))
        return await self._client.call(call.tool, call.arguments, max(START_LIMIT, self._limit))

    async def navigate(self, path: str) -> Reply:
        self.path = path
        return await self._call(self.server.tool_calls.navigate(self._site.url(path)))

    async def click(self, ref: str) -> Reply:
        return await self._call(self.server.tool_calls.click(ref))

    async def click_with_page(self, ref: str) -> Reply:
        return await self._call(self.server.tool_calls.click_with_page(ref))

    async def click_and_see(self, ref: str) -> list[Reply]:
        """Click, and ask for a snapshot where the answer does not show the page or what changed."""
        calls = self.server.tool_calls
        reply = await self.click_with_page(ref)
        if self.server.key == ROVE or calls.click_with_page(ref) != calls.click(ref):
            return [reply]
        return [reply, await self.whole_snapshot()]

    async def fill(self, ref: str, value: str) -> Reply:
        return await self._call(self.server.tool_calls.fill(ref, value))

    async def evaluate(self, expression: str) -> Reply:
        return await self._call(self.server.tool_calls.evaluate(expression))

    async def snapshot(self) -> Reply:
        return await self._call(self.server.tool_calls.snapshot)

    async def whole_snapshot(self) -> Reply:
        return await self._call(self.server.tool_calls.whole_snapshot)

    async def screenshot(self) -> Reply:
        return await self._call(self.server.tool_calls.screenshot)

    async def _call(self, call: Call) -> Reply:
        return await self._client.call(call.tool, call.arguments, self._limit)


def _environment(server: Server, folder: Path, mark: str) -> dict[str, str]:
    """Return our environment, with variables that keep the server's files in a temporary folder."""
    kept = {"ROVE_HOME": str(folder / "rove"), "AGENT_BROWSER_SOCKET_DIR": str(folder)}
    return {**os.environ, **kept, **server.env, processes.MARK: mark}
