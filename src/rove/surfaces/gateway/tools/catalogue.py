"""The actions of the catalogue, each as a tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rove.advice import insert_names
from rove.errors import RoveError
from rove.render.outcomes import as_text
from rove.settings.tree import Settings
from rove.surfaces.gateway.tools.tool import ToolAttachment, ToolContext, ToolResult
from rove.surfaces.toolsets import Call, Toolset, toolset_from


class CatalogueTool:
    """One action. The policy decides whether a person is asked, as it does on every other surface."""

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

    def read(self, arguments: Mapping[str, Any], context: ToolContext) -> Call:
        return self._toolset[self.name].call(arguments)

    def summary(self, request: Call) -> str:
        return request.action.describe()

    def details(self, request: Call) -> dict[str, Any]:
        return {"actions": [{"type": request.action.verb, **request.action.arguments}]}

    async def run(self, request: Call, context: ToolContext) -> ToolResult:
        names = self._toolset[self.name].names
        context.report(f"{self.summary(request)}...")
        try:
            outcome = await context.find_session(request.session).run(
                request.action,
                tab=request.tab,
                timeout=request.timeout,
                report=lambda message, done, total: context.report(message),
                quiet=request.quiet,
                channel=context.approver,
                names=names,
            )
        except RoveError as error:
            error.hint = insert_names(error.hint, names)
            raise
        stopped = outcome.result.error
        return ToolResult(
            as_text(outcome),
            tuple(ToolAttachment.of(attachment) for attachment in outcome.attachments),
            is_error=stopped is not None,
            code=stopped.code if stopped else None,
            conceals=stopped.conceals if stopped else False,
        )


def catalogue_tools(settings: Settings) -> Iterator[CatalogueTool]:
    """Yield the actions that the settings show to models. Their schemas are made when they are first read."""
    toolset = toolset_from(settings)
    return (CatalogueTool(name, toolset) for name in toolset)
