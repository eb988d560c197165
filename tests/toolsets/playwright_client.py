"""A client of `rove mcp --toolset playwright` that reads answers as the clients of Playwright MCP do."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.site import OWN_SITES

MOST_BYTES = 2**26


@dataclass(frozen=True)
class Reply:
    """An answer by its sections; `snapshot` is the content of the file that it links to."""

    text: str
    is_error: bool
    images: list[dict[str, Any]]
    folder: Path
    sections: dict[str, str] = field(default_factory=dict)

    def __getattr__(self, name: str) -> str | None:
        return self.sections.get({"modal": "Modal state", "tabs": "Open tabs"}.get(name, name.capitalize()))

    @property
    def code(self) -> str | None:
        code = self.sections.get("Ran Playwright code")
        return code and code.removeprefix("```js\n").removesuffix("\n```")

    @property
    def snapshot(self) -> str:
        section = self.sections.get("Snapshot", "")
        link = re.search(r"\[Snapshot\]\(([^)]+)\)", section)
        return (self.folder / link[1]).read_text() if link else ""

    @property
    def inline_snapshot(self) -> str:
        return re.sub(r"^```yaml\n?|\n?```$", "", self.sections.get("Snapshot", ""))


class PlaywrightClient:
    """One server process, which works in a folder of its own."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self._process = process
        self._number = 0
        self.folder = folder

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request; return its result, or the error."""
        self._number += 1
        await self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self._number and "method" not in message:
                result: dict[str, Any] = message.get("result", message)
                return result
        raise EOFError("the server has ended")

    async def notify(self, method: str) -> None:
        await self._send({"jsonrpc": "2.0", "method": method})

    async def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        await self._process.stdin.drain()

    async def call(self, tool: str, **arguments: Any) -> Reply:
        """Call a tool, without the prefix of its name."""
        answer = await self.request("tools/call", {"name": f"browser_{tool}", "arguments": arguments})
        assert "content" in answer, answer
        first, *images = answer["content"]
        return Reply(first["text"], answer.get("isError", False), images, self.folder, _sections(first["text"]))

    async def open(self, url: str) -> Reply:
        """Navigate in a new browser context, whose refs begin at e1."""
        await self.call("close")
        return await self.call("navigate", url=url)


def _sections(text: str) -> dict[str, str]:
    parts = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    return {title: content.strip() for title, _, content in (part.partition("\n") for part in parts)}


@asynccontextmanager
async def running(home: Path, folder: Path, *flags: str) -> AsyncGenerator[PlaywrightClient]:
    """Start a server in a folder; end it with the block."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "rove", "mcp", "--toolset", "playwright", "--home", str(home),
        "--allow-host", ",".join(OWN_SITES), *flags,
        cwd=folder, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=MOST_BYTES,
    )  # fmt: skip
    client = PlaywrightClient(process, folder)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    await client.request("initialize", hello)
    await client.notify("notifications/initialized")
    try:
        yield client
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
