"""Declares the commands of `rove states` and `rove profiles`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from rove.settings.tree import Resolved
from rove.surfaces.cli.arguments.help_texts import STATES

# Declares a command that can be run: given are its function, and what declares its arguments.
Runs = Callable[..., Any]


def states_parts(runs: Runs, states: argparse.ArgumentParser, commands: Any) -> None:
    """Declare `rove states`."""
    states.description = STATES
    exported = "Write a state to a new file, NOT encrypted, as Playwright's storage_state."
    commands.below(states).add_all(
        **{
            "list": ("List the saved states.", runs(_calling("list_states"))),
            "show": ("Show what a state holds, never a value.", runs(_calling("show_state"), _name)),
            "delete": ("Delete a state for good.", runs(_calling("delete_state"), _name)),
            "import": ("Save a Playwright storage_state file as a state.", runs(_calling("import_state"), _file)),
            "export": (exported, runs(_calling("export_state"), _file)),
        }
    )


def profiles_parts(runs: Runs, profiles: argparse.ArgumentParser, commands: Any) -> None:
    """Declare `rove profiles`."""
    commands.below(profiles).add_all(
        list=("List the profiles, and which session uses each.", runs(_calling("list_profiles"))),
        delete=("Delete a profile for good.", runs(_calling("delete_profile"), _name)),
    )


def _name(command: argparse.ArgumentParser) -> None:
    command.add_argument("names", nargs=1, metavar="NAME", help="its name")


def _file(command: argparse.ArgumentParser) -> None:
    _name(command)
    command.add_argument("file", metavar="FILE", type=Path, help="a JSON file")


def _calling(function: str) -> Callable[..., int]:
    """Return a command that calls a function of `rove.surfaces.cli.states`, which is imported only then."""

    def command(given: argparse.Namespace, resolved: Resolved, begun: object) -> int:
        module = import_module("rove.surfaces.cli.states")
        arguments = [*getattr(given, "names", ()), *([given.file] if hasattr(given, "file") else ())]
        code: int = getattr(module, function)(resolved.settings, *arguments)
        return code

    return command
