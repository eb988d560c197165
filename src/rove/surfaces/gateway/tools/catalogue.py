"""The tools of a toolset, as tools of the gateway."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rove.advice import insert_names
from rove.errors import RoveError
from rove.surfaces.gateway.tools.tool import ToolContext, ToolResult
from rove.toolsets.tool import Call, ToolRequest
from rove.toolsets.toolset import Toolset
from rove.validation.record import dataclass


@dataclass(frozen=True)
class ToolsetCall:
    """A call of a tool: what the client asked for, and the action that it means."""

    request: ToolRequest
    call: Call


class ToolsetTool:
    """One tool of a toolset. The policy decides whether a person is asked, as it does on every other surface."""

    asks = False

    def __init__(self, name: str, toolset: Toolset) -> None:
        self.name = name
        self._toolset = toolset

    @property
    def description(self) -> str:
        return self._toolset[self.name].description

    @property
    def schema(self) -> Mapping[str, Any]:
        return self._toolset[self.name].schema

    def read(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolsetCall:
        tool = self._toolset[self.name]
        request = replace(tool.request(arguments), settings=context.settings)
        return ToolsetCall(request, tool.call(arguments))

    def summary(self, request: ToolsetCall) -> str:
        return request.call.action.describe()

    def details(self, request: ToolsetCall) -> dict[str, Any]:
        action = request.call.action
        return {"actions": [{"type": action.verb, **action.arguments}]}

    async def run(self, request: ToolsetCall, context: ToolContext) -> ToolResult:
        tool, call = self._toolset[self.name], request.call
        context.report(f"{self.summary(request)}...")
        try:
            outcome = await context.find_session(call.session).run(
                call.action,
                tab=call.tab,
                timeout=call.timeout,
                report=lambda message, done, total: context.report(message),
                quiet=call.quiet,
                channel=context.approver,
                names=tool.names,
                view=call.view,
            )
        except RoveError as error:
            error.hint = insert_names(error.hint, tool.names)
            return ToolResult.of_answer(tool.error_answer(request.request, error))
        return ToolResult.of_answer(await tool.answer(request.request, outcome))


def tools_of(toolset: Toolset) -> Iterator[ToolsetTool]:
    """Yield the tools of a toolset. Their schemas are made when they are first read."""
    return (ToolsetTool(name, toolset) for name in toolset)
