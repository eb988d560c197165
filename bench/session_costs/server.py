"""A `rove mcp` process whose sessions are measured, called by many agents at a time."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shutil
import sys
import tempfile
import time
import uuid
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

from bench import processes
from bench.client import PROTOCOL, Json

LONGEST_LINE = 1 << 28
LIMIT = 120.0
LIMITS = ("--limits-sessions", "64", "--limits-idle", "3600", "--deadlines-action", str(LIMIT))
COMMAND = ("-m", "rove", "mcp", "--allow-host", "127.0.0.1", "--with", "states", *LIMITS)


class CallFailed(Exception):
    """A call was answered with an error."""


class Server(AbstractAsyncContextManager["Server"]):
    """One server process in a home of its own, until the block ends."""

    def __init__(self, *flags: str) -> None:
        self.mark = uuid.uuid4().hex
        self._flags = flags
        # A short path: a profile's socket has to fit into 108 characters.
        self._folder = Path(tempfile.mkdtemp(prefix="rv"))
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Json]] = {}

    async def __aenter__(self) -> Server:
        environment = {**os.environ, "ROVE_HOME": str(self._folder / "home"), processes.MARK: self.mark}
        with (self._folder / "stderr.log").open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *COMMAND,
                *self._flags,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=environment,
                limit=LONGEST_LINE,
            )
        self._reading = asyncio.create_task(self._read())
        client = {"name": "bench", "version": "1"}
        await self._request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await processes.gone(self.mark, patience=20.0)
        await processes.end(self.mark)
        await self._process.wait()
        await self._reading
        shutil.rmtree(self._folder, ignore_errors=True)

    async def call(self, tool: str, **arguments: Any) -> float:
        """Call a tool and return the seconds until its answer has arrived. Raises CallFailed."""
        began = time.perf_counter()
        result = await self._request("tools/call", {"name": f"browser_{tool}", "arguments": arguments})
        taken = time.perf_counter() - began
        if result.get("isError"):
            raise CallFailed(f"{tool} of {arguments}: {str(result.get('content'))[:300]}")
        return taken

    def state_bytes(self, name: str) -> int:
        """Return the size of the file of a saved state."""
        return sum(path.stat().st_size for path in (self._folder / "home" / "states").rglob(f"*{name}*"))

    async def _request(self, method: str, params: Json) -> Json:
        identity = next(self._ids)
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._answers[identity] = answer
        self._send({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})
        async with asyncio.timeout(2 * LIMIT):
            return await answer

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            message = json.loads(line)
            answer = self._answers.pop(message.get("id"), None) if "method" not in message else None
            if answer is not None:
                answer.set_result(message.get("result") or {"isError": True, "content": message.get("error")})
        for answer in self._answers.values():
            answer.set_exception(CallFailed((self._folder / "stderr.log").read_text()[-500:]))

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
