"""The tools that the gateway has: those of a toolset, and its own. To add one, write its file and name it here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rove.advice import insert_names
from rove.errors import RoveError
from rove.records import dataclass
from rove.settings.toolset_file import CHAT_TOOLSET
from rove.settings.tree import Settings
from rove.surfaces.gateway.tools.bash import BashTool
from rove.surfaces.gateway.tools.browser import BrowserTool
from rove.surfaces.gateway.tools.tool import AnyTool, ToolContext, ToolResult
from rove.toolsets.catalogue import EVERYTHING
from rove.toolsets.tool import Call, ToolRequest
from rove.toolsets.toolset import Toolset, catalogue_toolset, toolset_from


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


def registered_tools(settings: Settings) -> Iterator[AnyTool]:
    """Yield every tool: those of the model, and the actions of the catalogue, which a person may call by hand."""
    yield from {tool.name: tool for tool in (*_by_hand(settings), *_for_model(settings))}.values()


def model_tools(settings: Settings) -> list[str]:
    """Return the names of the tools that the model is given."""
    return [tool.name for tool in _for_model(settings)]


def _for_model(settings: Settings) -> Iterator[AnyTool]:
    if (settings.toolset or CHAT_TOOLSET) != CHAT_TOOLSET:
        yield from tools_of(toolset_from(settings))
    elif settings.browser_enabled:
        yield BrowserTool(settings)
    if settings.serve.bash:
        yield BashTool()


def _by_hand(settings: Settings) -> Iterator[AnyTool]:
    # All of them, as what a person is shown costs no tokens.
    shown = catalogue_toolset([EVERYTHING], settings) if settings.browser_enabled else Toolset({})
    return iter(tools_of(shown))
