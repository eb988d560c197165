"""The commands of all actions, for help and completion."""

from __future__ import annotations

from collections.abc import Mapping

from rove.action import CORE, AnyAction, registry
from rove.surfaces.arguments.action_parser import command_name
from rove.surfaces.arguments.argument_help import summary_of
from rove.surfaces.own_commands import OWN_COMMANDS, SESSION_COMMANDS


def usual_actions() -> Mapping[str, str]:
    """Return the commands of the usual actions, each with the first sentence about it."""
    return {command_name(cls): _first_sentence(cls) for cls in _shown() if cls.group == CORE}


def action_summaries() -> Mapping[str, str]:
    """Return the commands of all actions, each with the first sentence about it."""
    return {command_name(cls): _first_sentence(cls) for cls in _shown()}


def other_actions() -> list[str]:
    """Return the commands of all other actions."""
    return sorted(command_name(cls) for cls in _shown() if cls.group != CORE)


def command_words() -> list[str]:
    """Return the first words of all commands that the daemon runs."""
    return [*map(command_name, _shown()), *SESSION_COMMANDS]


def _first_sentence(cls: type[AnyAction]) -> str:
    return summary_of(cls).partition(". ")[0].removesuffix(".") + "."


def _shown() -> list[type[AnyAction]]:
    """Return the actions that have a command. `rove close`, `sessions` and `states` stand for three of them."""
    hidden = {"status", "close_session"}
    return [cls for verb, cls in registry().items() if verb not in hidden and command_name(cls) not in OWN_COMMANDS]
