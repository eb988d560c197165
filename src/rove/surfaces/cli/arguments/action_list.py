"""The commands of all actions, as `rove --help` lists them."""

from __future__ import annotations

import textwrap

from rove.action import CORE, AnyAction, registry
from rove.surfaces.cli.arguments.action_parser import command_name
from rove.toolsets.catalogue import one_line_of

# Commands about the daemon's sessions, which are no actions.
_ABOUT_SESSIONS = {
    "sessions": "List the open sessions and their tabs.",
    "close": "Close a session, by default the one called default; --all closes every one.",
    "stop": "Close all sessions, and end the daemon that runs actions.",
}


def actions_listed(width: int) -> str:
    """Return a line for each action: the usual ones first, then the others by their names alone."""
    usual = {command_name(cls): one_line_of(cls) for cls in _shown() if cls.group == CORE}
    others = ", ".join(sorted(command_name(cls) for cls in _shown() if cls.group != CORE))
    indent = max(map(len, usual)) + 4
    lines = [_line(name, text, indent, width) for name, text in {**usual, **_ABOUT_SESSIONS}.items()]
    more = textwrap.fill(others, width, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(["actions, each with a --help of its own:", *lines, "", "more actions:", more])


def command_words() -> list[str]:
    """Return the first words of all commands that the daemon runs."""
    return [*map(command_name, _shown()), *_ABOUT_SESSIONS]


def _line(name: str, text: str, indent: int, width: int) -> str:
    summary = text.partition(". ")[0].removesuffix(".") + "."
    return textwrap.fill(summary, width, initial_indent=f"  {name:<{indent - 2}}", subsequent_indent=" " * indent)


def _shown() -> list[type[AnyAction]]:
    """Return the actions that have a command: `close` and `sessions` stand for three of them."""
    return [cls for verb, cls in registry().items() if verb not in ("status", "close_session")]
