"""The toolset `devtools` over HTTP: the session of a conversation begins and ends with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.mcp_clients import text_of
from tests.site import Site
from tests.surfaces.mcp_http.serving import TOKENS, connected, serving

from rove.engine.sessions import Sessions
from rove.settings.sections import Serving
from rove.surfaces.mcp.http_endpoint import browser_endpoint
from rove.toolsets.toolset import toolset_from


async def test_b_conversations_share_nothing_and_end_with_their_connections(
    sessions: Sessions, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B: the conversation keeps the browser, its end closes it, and no two share cookies or pages."""
    settings = replace(sessions.settings, toolset="devtools", serve=Serving(port=0, session_per_connection=True))
    monkeypatch.setattr(sessions, "settings", settings)
    tokens: Any = TOKENS
    made = browser_endpoint(sessions, toolset_from(settings), tokens)
    async with serving(made) as url:
        for _ in range(2):
            async with connected(f"{url}/mcp", "legacy") as client:
                before = await client.call_tool("browser_eval", {"expression": "location.href"})
                assert "about:blank" in text_of(before)
                await client.call_tool("browser_navigate", {"url": site.page("/", "<h1>Tea</h1>")})
                cookie = {"expression": "document.cookie += 'k=' + (document.cookie || 'new')"}
                assert "k=new" in text_of(await client.call_tool("browser_eval", cookie))
                assert "k=new" in text_of(await client.call_tool("browser_eval", {"expression": "document.cookie"}))
            assert not sessions.owned_by("anna").open
        await made.close()
