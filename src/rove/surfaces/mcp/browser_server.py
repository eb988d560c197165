"""The server that gives a browser to its clients: tools and resources."""

from __future__ import annotations

from rove.engine.served.served_sessions import ServedSessions
from rove.surfaces.mcp.approvers import Inbox
from rove.surfaces.mcp.calls import Calls
from rove.surfaces.mcp.features.resources import ResourcesFeature
from rove.surfaces.mcp.features.subscriptions import SubscriptionsFeature
from rove.surfaces.mcp.features.tools import ToolsFeature
from rove.surfaces.mcp.server import McpServer
from rove.toolsets.toolset import Toolset


def browser_server(
    sessions: ServedSessions, tools: Toolset, inbox: Inbox | None = None, *, has_headers: bool = False
) -> McpServer:
    """Return the server of a process. `inbox`: where people at the gateway answer; `has_headers`: as for HTTP."""
    offered = ToolsFeature(tools, Calls(sessions, inbox), has_headers=has_headers)
    subscribe = sessions.changes.subscribe if tools.follows_sessions else None
    return McpServer(
        offered,
        ResourcesFeature(sessions),
        SubscriptionsFeature(subscribe),
        instructions=tools.instructions,
        input_schema=offered.input_schema,
        subscribe=subscribe,
    )
