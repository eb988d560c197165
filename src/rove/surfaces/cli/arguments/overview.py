"""What `rove --help` says: the loop of every task, and all commands by what they are for."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from rove.surfaces.arguments.command_parser import CommandParser
from rove.surfaces.arguments.usage import subcommands
from rove.surfaces.cli.arguments.help_texts import DESCRIPTION
from rove.surfaces.own_commands import SESSION_COMMANDS

# The commands that are no actions, by what they are for.
GROUPS = {
    "sessions": ("sessions", "close", "stop", "approve", "watch", "logs"),
    "record and replay": ("record", "replay", "recordings", "export"),
    "connect and serve": ("init", "mcp", "serve", "cluster", "skill", "completion"),
    "set up": ("install", "doctor", "config", "policy", "states", "profiles", "tools"),
    "more": ("demo", "map", "journal"),
}
_INDENT = 16


class OverviewParser(CommandParser):
    """The parser of `rove` itself, whose help begins with the loop and groups the commands."""

    def format_help(self) -> str:
        from rove.surfaces.arguments.action_list import action_summaries, other_actions, usual_actions

        width = self._get_formatter()._width
        summaries = {**action_summaries(), **SESSION_COMMANDS, **self._summaries()}
        lines = ["usage: rove COMMAND [options]; `rove COMMAND --help` shows the options of one", "", DESCRIPTION]
        lines += ["actions:", *_listed(usual_actions(), width), ""]
        lines += ["other actions:", *_wrapped(", ".join(other_actions()), width), ""]
        for title, names in GROUPS.items():
            lines += [f"{title}:", *_listed({name: summaries[name] for name in names}, width), ""]
        return "\n".join(lines)

    def _summaries(self) -> Mapping[str, str]:
        return {name: command.description or "" for name, command in subcommands(self).items()}


def _listed(commands: Mapping[str, str], width: int) -> Iterator[str]:
    for name, summary in commands.items():
        yield textwrap.fill(summary, width, initial_indent=f"  {name:<{_INDENT - 2}}", subsequent_indent=" " * _INDENT)


def _wrapped(text: str, width: int) -> Iterator[str]:
    yield textwrap.fill(text, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
