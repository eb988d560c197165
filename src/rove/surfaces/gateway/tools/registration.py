"""The tools that the gateway has. To add one, write its file and name it here."""

from __future__ import annotations

from collections.abc import Iterator

from rove.settings.toolset_file import CHAT_TOOLSET
from rove.settings.tree import Settings
from rove.surfaces.gateway.tools.bash import BashTool
from rove.surfaces.gateway.tools.browser import BrowserTool
from rove.surfaces.gateway.tools.catalogue import tools_of
from rove.surfaces.gateway.tools.tool import AnyTool
from rove.toolsets.catalogue import EVERYTHING
from rove.toolsets.toolset import Toolset, catalogue_toolset, toolset_from


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
