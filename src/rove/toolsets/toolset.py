"""The tools that a model is shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rove.action import CORE, registry
from rove.advice import LACKING, nearest
from rove.errors import InvalidSettings
from rove.settings.toolset_file import DEFAULT_TOOLSET, read_toolset
from rove.settings.tree import Settings
from rove.toolsets.catalogue import INSTRUCTIONS, ActionTool, catalogue_actions
from rove.toolsets.tool import Access, Tool

if TYPE_CHECKING:
    from rove.toolsets.declaration import ToolDeclaration


class Toolset(Mapping[str, Tool]):
    """Tools by name, and what a model is told of them at the start.

    A tool is made when it is first used: to make all of them takes as long as a browser's start, and a first call
    needs one.
    """

    def __init__(
        self,
        makers: Mapping[str, Callable[[], Tool]],
        instructions: str = INSTRUCTIONS,
        follows_sessions: bool = False,
        access: Access = "all",
    ) -> None:
        """`follows_sessions`: whether some tools are there only while a client has a session open."""
        self._makers = makers
        self.access: Access = access
        self.follows_sessions = follows_sessions
        self._made: dict[str, Tool] = {}
        self.instructions = instructions

    def __getitem__(self, name: str) -> Tool:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def only(self, wanted: Collection[str], without: Collection[str]) -> Toolset:
        """Return the tools that are wanted, or all if none are named, without others. Raises InvalidSettings."""
        for name in (*wanted, *without):
            if name not in self._makers:
                near = nearest(name, self._makers)
                meant = f" Did you mean {near}?" if near else ""
                raise InvalidSettings(f"There is no tool `{name}`.{meant}", hint=f"There are: {', '.join(self)}.")
        shown = {name for name in self if (not wanted or name in wanted) and name not in without}
        makers = {name: make for name, make in self._makers.items() if name in shown}
        return Toolset(makers, self.instructions, self.follows_sessions, self.access)


def catalogue_toolset(also: Collection[str] = (), settings: Settings | None = None) -> Toolset:
    """Return the core actions, and those of other groups, as tools called `browser_<action>`."""
    shown = settings or Settings()
    return Toolset({name: partial(ActionTool, cls, shown) for name, cls in catalogue_actions(also).items()})


def toolset_from(settings: Settings) -> Toolset:
    """Return the tools that the settings give to agents. Raises InvalidSettings."""
    if not settings.browser_enabled:
        return Toolset({})
    name = settings.toolset or DEFAULT_TOOLSET
    whole = catalogue_toolset(settings.with_, settings) if name == DEFAULT_TOOLSET else _declared(name, settings)
    return whole.only(settings.tools, settings.without) if settings.tools or settings.without else whole


def _declared(name: str, settings: Settings) -> Toolset:
    """Return the toolset of a file, and the groups that the settings add to it."""
    # Imported here, as the default toolset needs none of it.
    from rove.toolsets.declaration import declaration_of
    from rove.toolsets.declared_tool import DeclaredTool

    declared = declaration_of(name, read_toolset(name, settings.home_folder))
    groups = (*declared.groups, *settings.with_)
    actions = catalogue_actions([group for group in groups if group != CORE]) if groups else {}
    if CORE not in declared.groups:
        actions = {tool: cls for tool, cls in actions.items() if cls.group != CORE}
    makers: dict[str, Callable[[], Tool]] = {tool: partial(ActionTool, cls, settings) for tool, cls in actions.items()}
    names = {**dict.fromkeys(registry(), LACKING), **{cls.verb: tool for tool, cls in actions.items()}}
    names |= {**_names_in(declared.tools), **declared.names}
    for tool in declared.tools:
        makers[tool.name] = partial(DeclaredTool, tool, settings, names)
    follows = any(tool.needs_session for tool in declared.tools)
    return Toolset(makers, declared.instructions or INSTRUCTIONS, follows, declared.access)


def _names_in(tools: Sequence[ToolDeclaration]) -> dict[str, str]:
    """Return what a toolset calls each action that it has, by the first tool that runs it."""
    names: dict[str, str] = {}
    for tool in tools:
        for key, case in tool.cases.items():
            names.setdefault(case.action, f"{tool.name} ({tool.select} {key})" if key else tool.name)
    return names
