"""The tools of the gateway as a toolset of pydantic-ai, for one run of the chat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic_ai import BinaryContent, RunContext, ToolDefinition, ToolReturn
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from rove.surfaces.gateway.agent.reply import Reply
from rove.surfaces.gateway.tools.tool import AnyTool, ToolResult, Tools

# How often in a row a model may call one tool with what is not even JSON.
MOST_RETRIES = 5
# The tool itself says what is wrong with its arguments, in words that name the field.
ANY_OBJECT = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))


class ChatToolset(AbstractToolset[None]):
    """Calls tools through `Tools`, so each call is asked about, told to every client and recorded."""

    def __init__(self, tools: Tools, names: Sequence[str], session: str, run: str, reply: Reply) -> None:
        self._tools = tools
        self._names = names
        self._session = session
        self._run = run
        self._reply = reply

    @property
    def id(self) -> str:
        return "gateway"

    async def get_tools(self, ctx: RunContext[None]) -> dict[str, ToolsetTool[None]]:
        return {name: self._declared(self._tools.find(name)) for name in self._names}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[None], tool: ToolsetTool[None]
    ) -> Any:
        self._reply.flush()  # so that clients see the text that led to the call before the call
        result = await self._tools.call(name, tool_args, self._session, self._run)
        self._reply.attach(result.attachments)
        return _content_of(result)

    def _declared(self, tool: AnyTool) -> ToolsetTool[None]:
        definition = ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=dict(tool.schema),
            strict=False,
            sequential=True,  # what one call does to a page is seen by the next
        )
        return ToolsetTool(toolset=self, tool_def=definition, max_retries=MOST_RETRIES, args_validator=ANY_OBJECT)


def _content_of(result: ToolResult) -> Any:
    """Return a result as the model is sent it. An error that has no pictures is marked as one."""
    pictures = [
        BinaryContent(attachment.data, media_type=attachment.mime_type)
        for attachment in result.attachments
        if attachment.type == "image"
    ]
    if result.is_error and not pictures:
        raise ToolFailed(result.text)
    return ToolReturn(result.text, content=pictures) if pictures else result.text
