"""A small MCP client over stdio; a reply is timed when its line arrives, before it is parsed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROTOCOL = "2025-06-18"
# A snapshot of 60,000 rows is one line of tens of megabytes; asyncio's own limit is 64 KB.
LONGEST_LINE = 1 << 30

Json = dict[str, Any]


class NoAnswer(Exception):
    """The server did not answer within the limit; it may still be busy, so it cannot be used again."""


class ServerFailed(Exception):
    """The server ended, answered with an error, or said something that is not MCP."""


@dataclass(frozen=True)
class Reply:
    """The result of a tool call, when its line had arrived, and how long after the request."""

    arrived: float
    seconds: float
    wire_bytes: int
    result: Json

    @property
    def text(self) -> str:
        """The text blocks of the result, which a model reads."""
        blocks: list[Json] = self.result.get("content", [])
        return "\n".join(str(block["text"]) for block in blocks if block.get("type") == "text")

    @property
    def is_error(self) -> bool:
        """A tool's own failure comes as a result with a flag, not as a JSON-RPC error."""
        return bool(self.result.get("isError", False))


class Client:
    """One server process, spoken to one request at a time."""

    def __init__(self, process: asyncio.subprocess.Process, stderr: Path, started: float) -> None:
        self._process = process
        self._stderr = stderr
        self._next_id = 0
        self.started = started
        self.server: Json = {}

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        return self._process.returncode

    @classmethod
    async def start(cls, command: Sequence[str], env: Mapping[str, str], folder: Path) -> Client:
        """Start the process in `folder`; `started` is read just before, for cold-start times."""
        stderr = folder / "stderr.log"
        with stderr.open("wb") as log:
            started = time.perf_counter()
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=dict(env),
                cwd=folder,
                limit=LONGEST_LINE,
            )
        return cls(process, stderr, started)

    async def initialize(self, limit: float) -> None:
        """Initialize the connection, as every client does."""
        reply = await self.request(
            "initialize",
            {
                "protocolVersion": PROTOCOL,
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            },
            limit,
        )
        self.server = reply.result.get("serverInfo", {})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def list_tools(self, limit: float) -> list[Json]:
        """Return the tools of every page of the tool list."""
        tools: list[Json] = []
        params: Json = {}
        while True:
            result = (await self.request("tools/list", params, limit)).result
            tools += result["tools"]
            if not result.get("nextCursor"):
                return tools
            params = {"cursor": result["nextCursor"]}

    async def call(self, tool: str, arguments: Json, limit: float) -> Reply:
        """Call a tool; a failure that the tool reports is raised, so that it is never timed as a success."""
        reply = await self.request("tools/call", {"name": tool, "arguments": arguments}, limit)
        if reply.is_error:
            raise ServerFailed(f"error after {reply.seconds:.0f} s: {_plain(reply.text)} ({tool})")
        return reply

    async def request(self, method: str, params: Json, limit: float) -> Reply:
        """Send one request and read until its answer, within `limit` seconds."""
        self._next_id += 1
        sent = time.perf_counter()
        self._send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params})
        try:
            async with asyncio.timeout(limit):
                return await self._answer(self._next_id, sent)
        except TimeoutError:
            raise NoAnswer(f"no answer in {limit:g} s") from None

    async def close(self, patience: float = 5.0) -> None:
        """Close stdin, as clients do, and give the server time to close its browser."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._process.wait()

    async def reap(self) -> None:
        """Wait for the process after it was killed."""
        await self._process.wait()

    async def _answer(self, wanted: int, sent: float) -> Reply:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            arrived = time.perf_counter()
            message = self._parse(line)
            if message.get("id") == wanted and "method" not in message:
                return Reply(arrived, arrived - sent, len(line), self._result(message))
            self._answer_request(message)
        raise ServerFailed(f"the server ended: {self.stderr_tail()}")

    def _parse(self, line: bytes) -> Json:
        try:
            message: Json = json.loads(line)
        except ValueError:
            raise ServerFailed(f"not JSON on stdout: {line[:200]!r}") from None
        return message

    @staticmethod
    def _result(message: Json) -> Json:
        if "error" in message:
            raise ServerFailed(_plain(str(message["error"])))
        result: Json = message["result"]
        return result

    def _answer_request(self, message: Json) -> None:
        """Answer a request of the server, which would otherwise wait for it and look slow."""
        if "method" not in message or "id" not in message:
            return
        if message["method"] == "ping":
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": {}})
        else:
            error = {"code": -32601, "message": "not offered by this client"}
            self._send({"jsonrpc": "2.0", "id": message["id"], "error": error})

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    def stderr_tail(self) -> str:
        """Return the end of what the server wrote to stderr."""
        return self._stderr.read_text(errors="replace")[-600:].strip() or "nothing on stderr"


def _plain(text: str) -> str:
    """Return an error as one line, without the heading that some servers add."""
    return " ".join(text.replace("### Error", "").split())[:400]
