"""rove's tools for the Claude Agent SDK.

async with rove.open() as session:
    options = ClaudeAgentOptions(mcp_servers={"rove": rove.adapters.claude_agent_sdk.server(session)})
    async for message in query(prompt="What is on the front page of example.com?", options=options):
        print(message)
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from claude_agent_sdk import (
    McpSdkServerConfig,
    SdkMcpTool,
    create_sdk_mcp_server,
)

from rove.surfaces.library.session import Session
from rove.surfaces.library.tools import SessionTools
from rove.toolsets.tool import Answer, Tool
from rove.version import VERSION


def tools(session: Session) -> list[SdkMcpTool[Any]]:
    """Return the tools of a session, for `create_sdk_mcp_server`. An error is told to the model."""
    own = SessionTools(session)
    return [_sdk_tool(own, tool) for tool in own.values()]


def server(session: Session) -> McpSdkServerConfig:
    """Return the tools of a session as a server, for `ClaudeAgentOptions.mcp_servers`."""
    return create_sdk_mcp_server("rove", VERSION, tools(session))


def _sdk_tool(own: SessionTools, tool: Tool) -> SdkMcpTool[Any]:
    async def handle(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return _content(await own.call(tool.name, arguments))

    return SdkMcpTool(tool.name, tool.description, dict(tool.schema), handle)


def _content(answer: Answer) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": answer.text}]
    blocks += [
        {"type": "image", "data": base64.b64encode(each.data).decode("ascii"), "mimeType": each.mime}
        for each in answer.attachments
        if each.kind == "image"
    ]
    return {"content": blocks, "is_error": answer.is_error}
