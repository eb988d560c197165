"""A client of a server with the toolset `devtools`, in a process of its own."""

from __future__ import annotations

import base64
import json
import re
import shlex
import subprocess
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp_types import CallToolResult, ImageContent
from tests.mcp_clients import ROVE, ToolCaller, environment, held_open

PATIENCE = 10.0


class Tools(ToolCaller):
    """One conversation."""

    def __init__(self, client: Client, workspace: Path) -> None:
        self.client = client
        self.workspace = workspace

    async def error(self, tool: str, **arguments: Any) -> str:
        """Return the text of an error, without the marks of what a page wrote."""
        return re.sub(r"</?untrusted.*>\n", "", await super().error(tool, **arguments))

    async def value(self, expression: str, **arguments: Any) -> Any:
        text = await self.text("browser_eval", expression=expression, **arguments)
        match = re.fullmatch(r"<javascript_result>(.*)</javascript_result>", text)
        assert match, text
        return json.loads(match[1])

    async def entries(self, count: int, limit: int = 100) -> list[dict[str, Any]]:
        """Return the console entries, once there are that many; large ones are read as the answer says."""
        until = time.monotonic() + PATIENCE
        while True:
            found: list[dict[str, Any]] = self.read(await self.text("browser_recent_console_logs", limit=limit))
            if len(found) >= count:
                return found
            assert time.monotonic() < until, f"waited for {count} entries in vain: {found}"

    def read(self, text: str) -> Any:
        """Return the JSON of an answer, or of the file that the command in it prints."""
        command = re.search(r"Read it with: (.*)", text)
        if command is None:
            return json.loads(text.splitlines()[0])  # the next line says what was dropped
        words = shlex.split(command[1])
        assert words[0] == "cat" and Path(words[1]).is_relative_to(self.workspace)
        return json.loads(subprocess.run(words, capture_output=True, check=True).stdout)


def image_in(result: CallToolResult) -> tuple[str, bytes]:
    (image,) = [part for part in result.content if isinstance(part, ImageContent)]
    return image.mime_type, base64.b64decode(image.data)


@asynccontextmanager
async def conversation(home: Path) -> AsyncGenerator[Tools]:
    """Start a server and connect to it; both end with the block."""
    parameters = StdioServerParameters(command=ROVE, args=["mcp", "--toolset", "devtools"], env=environment(home))
    async with held_open(Client(parameters, read_timeout_seconds=60)) as client:
        yield Tools(client, home / "workspace")
