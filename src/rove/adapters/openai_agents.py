"""rove's tools for the OpenAI Agents SDK.

async with rove.open() as session:
    agent = Agent("Browser", tools=rove.adapters.openai_agents.tools(session))
    await Runner.run(agent, "What is on the front page of example.com?")
"""

from __future__ import annotations

import base64
from typing import Any

from agents import FunctionTool, ToolOutputImage, ToolOutputText
from agents.tool import Tool as AgentTool
from agents.tool_context import ToolContext

from rove.surfaces.library.session import Session
from rove.surfaces.library.tools import SessionTools
from rove.toolsets.tool import Answer, Tool


def tools(session: Session) -> list[AgentTool]:
    """Return the tools of a session. An error is told to the model and does not end the run."""
    own = SessionTools(session)
    return [_function_tool(own, tool) for tool in own.values()]


def _function_tool(own: SessionTools, tool: Tool) -> FunctionTool:
    async def invoke(context: ToolContext[Any], arguments: str) -> Any:
        return _output(await own.call(tool.name, arguments))

    # Strict schemas demand a value for every argument, which models then make up.
    return FunctionTool(tool.name, tool.description, dict(tool.schema), invoke, strict_json_schema=False)


def _output(answer: Answer) -> Any:
    pictures = [each for each in answer.attachments if each.kind == "image"]
    if not pictures:
        return answer.text
    urls = [f"data:{each.mime};base64,{base64.b64encode(each.data).decode('ascii')}" for each in pictures]
    return [ToolOutputText(text=answer.text), *(ToolOutputImage(image_url=url) for url in urls)]
