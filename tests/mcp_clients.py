"""The SDK's client of `rove mcp` processes: how they are started, held open, and called."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from mcp.client.client import Client
from mcp_types import CallToolResult, TextContent
from tests.site import OWN_SITES

ROVE = str(Path(sys.executable).parent / "rove")
T = TypeVar("T")


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a server, because the SDK passes on few variables; it runs this checkout."""
    own = {"ROVE_HOME": str(home), "ROVE_ALLOW_HOST": ",".join(OWN_SITES)}
    return own | {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


@asynccontextmanager
async def held_open(connection: AbstractAsyncContextManager[T]) -> AsyncGenerator[T]:
    """Open and close a connection in a task of its own: a fixture is closed by another task, which anyio forbids."""
    ready: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()

    async def live() -> None:
        try:
            async with connection as made:
                ready.set_result(made)
                await over.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
            raise

    living = asyncio.ensure_future(live())
    try:
        yield await ready
    finally:
        over.set()
        await living


class ToolCaller:
    """Calls tools of one client and returns the text of their answers."""

    client: Client

    async def call(self, tool: str, **arguments: Any) -> CallToolResult:
        return await self.client.call_tool(tool, arguments)

    async def text(self, tool: str, **arguments: Any) -> str:
        """Return the text of an answer that must be no error."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    async def error(self, tool: str, **arguments: Any) -> str:
        """Return the text of an error."""
        result = await self.call(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)
