"""The toolset `sessions` over HTTP: C1 for several clients of one server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from mcp.client.client import Client
from mcp_types import ToolListChangedNotification
from tests.surfaces.mcp_http.serving import TOKENS, connected, serving

from rove.engine.sessions import Sessions
from rove.settings.tree import Settings
from rove.surfaces.mcp.features import browser_server
from rove.surfaces.mcp.http_access import Places
from rove.surfaces.mcp.http_endpoint import Limits, McpEndpoint
from rove.toolsets.toolset import toolset_from

OPENER = "start_browser_session"


@pytest.fixture
async def endpoint(sessions: Sessions, settings: Settings) -> AsyncGenerator[str]:
    tools = toolset_from(replace(settings, toolset="sessions"))
    made = McpEndpoint(browser_server(sessions, tools, has_headers=True), TOKENS, Places((), ()), Limits())
    async with serving(made) as url:
        yield f"{url}/mcp"
        await made.close()


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.contract("C1")
async def test_c1_a_client_is_told_of_its_own_sessions_and_of_no_others(endpoint: str) -> None:
    told = asyncio.Queue[object]()

    async def note(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            await told.put(message)

    async with (
        connected(endpoint, "legacy", message_handler=note) as anna,
        connected(endpoint, "2026-07-28", "token-of-bea") as bea,
        bea.listen(tools_list_changed=True) as changes,
    ):
        await anna.call_tool(OPENER, {"name": "one"})
        await asyncio.wait_for(told.get(), 10)
        assert len(await names(anna)) > 1
        assert await names(bea) == [OPENER]
        await bea.call_tool(OPENER, {"name": "two"})
        await asyncio.wait_for(anext(changes), 10)
        assert len(await names(bea)) > 1
        assert (await anna.call_tool("close_browser_session", {"session": "two"})).is_error
        await anna.call_tool("close_browser_session", {"session": "one"})
        await asyncio.wait_for(told.get(), 10)
        assert await names(anna) == [OPENER]
        await bea.call_tool("close_browser_session", {"session": "two"})
    assert told.empty()
