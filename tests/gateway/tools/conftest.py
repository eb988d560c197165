"""Fixtures: the tools of the gateway over the browser of the other tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.gateway.desk import Desk

from rove import Session
from rove.engine.sessions import Sessions
from rove.settings.tree import Serving
from rove.surfaces.gateway.tools.registration import registered_tools
from rove.surfaces.gateway.tools.tool import ToolResult, Tools

CallTool = Callable[..., Awaitable[ToolResult]]


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def tools(desk: Desk, sessions: Sessions) -> Tools:
    settings = replace(sessions.settings, serve=Serving(bash=True))
    return Tools(registered_tools(settings), desk, desk, sessions)


@pytest.fixture
def call(tools: Tools, session: Session) -> CallTool:
    """Call a tool in a new session: `await call("browser", actions=[...])`."""

    async def call(name: str, **arguments: Any) -> ToolResult:
        return await tools.call(name, arguments, session.name, "run-1")

    return call
