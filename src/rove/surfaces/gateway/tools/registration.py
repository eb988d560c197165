"""The tools that the gateway has. To add one, write its file and name it here."""

from __future__ import annotations

from collections.abc import Iterator

from rove.settings.tree import Settings
from rove.surfaces.gateway.tools.bash import BashTool
from rove.surfaces.gateway.tools.browser import BrowserTool
from rove.surfaces.gateway.tools.catalogue import catalogue_tools
from rove.surfaces.gateway.tools.tool import AnyTool


def registered_tools(settings: Settings) -> Iterator[AnyTool]:
    """Yield every tool: those of the model, and the actions of the catalogue, which a person may call by hand."""
    if settings.browser_enabled:
        yield BrowserTool()
    yield from catalogue_tools(settings)
    yield from _other_tools(settings)


def model_tools(settings: Settings) -> list[str]:
    """Return the names of the tools that the model is given: one for batches of actions, or one for each action."""
    one_tool = [BrowserTool()] if settings.browser_enabled else []
    browsing: Iterator[AnyTool] = catalogue_tools(settings) if settings.serve.toolset == "all" else iter(one_tool)
    return [tool.name for tool in (*browsing, *_other_tools(settings))]


def _other_tools(settings: Settings) -> Iterator[AnyTool]:
    if settings.serve.bash:
        yield BashTool()
