"""A client of a server with the toolset `composite`, in a process of its own."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp_types import CallToolResult, ImageContent, TextContent
from tests.mcp_clients import ROVE, held_open
from tests.site import OWN_SITES


class Browser:
    """Calls the one tool, and checks that both forms of each answer are the same."""

    def __init__(self, client: Client, home: Path) -> None:
        self.client = client
        self.workspace = home / "workspace"
        self.last: CallToolResult | None = None

    async def call(self, action: str | None, /, **arguments: Any) -> dict[str, Any]:
        """Return the result, whether it tells of success or not."""
        given = arguments if action is None else {"action": action, **arguments}
        self.last = await self.client.call_tool("browser", given)
        (text,) = [part.text for part in self.last.content if isinstance(part, TextContent)]
        told: dict[str, Any] = self.last.structured_content or {}
        assert json.loads(text) == told
        assert told["success"] is not bool(self.last.is_error)
        assert set(told) <= {"action", "success", "title", "url", "content", "screenshotPath", "error"}
        return told

    async def do(self, action: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the result of an action that succeeds."""
        told = await self.call(action, **arguments)
        assert told["success"], told
        assert told["action"] == action
        return told

    async def content(self, action: str, /, **arguments: Any) -> str:
        content: str = (await self.do(action, **arguments))["content"]
        return content

    async def error(self, action: str | None, /, **arguments: Any) -> str:
        """Return the error of an action that fails."""
        told = await self.call(action, **arguments)
        assert not told["success"], told
        error: str = told["error"]
        return error

    @property
    def images(self) -> list[ImageContent]:
        """The pictures of the last answer."""
        return [part for part in (self.last.content if self.last else ()) if isinstance(part, ImageContent)]


@asynccontextmanager
async def connected(home: Path, *flags: str, **settings: str) -> AsyncGenerator[Browser]:
    """Start a server and connect to it; both end with the block."""
    own = {"HOME": str(home), "ALLOW_HOST": ",".join(OWN_SITES), "LOGINS_KEY": "file", **settings}
    environment = {f"ROVE_{name}": value for name, value in own.items()}
    environment["PYTHONPATH"] = os.environ.get("PYTHONPATH", "")  # so that it runs this checkout
    parameters = StdioServerParameters(command=ROVE, args=["mcp", "--toolset", "composite", *flags], env=environment)
    async with Client(parameters, read_timeout_seconds=60) as client:
        yield Browser(client, home)


def lasting(home: Path) -> AbstractAsyncContextManager[Browser]:
    """Connect for as long as a fixture lasts."""
    return held_open(connected(home))
