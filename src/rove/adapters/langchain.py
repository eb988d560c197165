"""rove's tools for LangChain and LangGraph.

async with rove.open() as session:
    agent = create_agent(model, tools=rove.adapters.langchain.tools(session))
    await agent.ainvoke({"messages": [("user", "What is on the front page of example.com?")]})
"""

from __future__ import annotations

import base64
from typing import Any

from langchain_core.tools import (
    BaseTool,
    StructuredTool,
    ToolException,
)

from rove.surfaces.library.session import Session
from rove.surfaces.library.tools import SessionTools
from rove.toolsets.tool import Answer, Tool


def tools(session: Session) -> list[BaseTool]:
    """Return the tools of a session. An error is told to the model; the artifact of a call is its `rove.Answer`."""
    own = SessionTools(session)
    return [_structured_tool(own, tool) for tool in own.values()]


def _structured_tool(own: SessionTools, tool: Tool) -> StructuredTool:
    async def call(**arguments: Any) -> tuple[Any, Answer]:
        answer = await own.call(tool.name, arguments)
        if answer.is_error:
            raise ToolException(answer.text)
        return _content(answer), answer

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=dict(tool.schema),
        coroutine=call,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def _content(answer: Answer) -> Any:
    pictures = [each for each in answer.attachments if each.kind == "image"]
    if not pictures:
        return answer.text
    blocks = [
        {"type": "image", "base64": base64.b64encode(each.data).decode("ascii"), "mime_type": each.mime}
        for each in pictures
    ]
    return [{"type": "text", "text": answer.text}, *blocks]
