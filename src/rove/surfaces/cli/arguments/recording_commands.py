"""Declares the commands of `rove recordings` and `rove export`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from rove.settings.tree import Resolved
from rove.surfaces.cli.arguments.help_texts import EXPORT, RECORDINGS

Runs = Callable[..., Any]
# As `rove.conversion.formats` has them, which is not imported for a page of help; a test compares them.
FORMAT_NAMES = ("python", "pytest", "playwright", "recorder", "trace", "har")


def recordings_parts(runs: Runs, recordings: argparse.ArgumentParser, commands: Any) -> None:
    """Declare `rove recordings`."""
    recordings.description = RECORDINGS
    commands.below(recordings).add_all(
        list=("List the recordings.", runs(_calling("list_recordings"))),
        show=("Show the steps of a recording.", runs(_calling("show_recording"), _name)),
        param=("Make texts of a recording parameters.", runs(_calling("add_parameters"), _parameters)),
        delete=("Delete a recording for good.", runs(_calling("delete_recording"), _name)),
    )


def export_part(runs: Runs, export: argparse.ArgumentParser, commands: Any) -> None:
    """Declare `rove export`."""
    export.epilog = EXPORT
    runs(_calling("export_recording"), _export)(export, commands)


def _export(command: argparse.ArgumentParser) -> None:
    _name(command)
    command.add_argument("--as", dest="form", required=True, choices=FORMAT_NAMES, help="what to make of it")
    help = "where to write it; - for standard output, to which code goes anyway"
    command.add_argument("--out", metavar="FILE", type=Path, help=help)


def _name(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help="of the recording")


def _parameters(command: argparse.ArgumentParser) -> None:
    _name(command)
    command.add_argument("values", nargs="+", metavar="NAME=VALUE", help="every VALUE becomes the parameter NAME")


def _calling(function: str) -> Callable[..., int]:
    """Return a command that calls a function of `surfaces/cli/recordings/commands.py`, which is imported only then."""

    def command(given: argparse.Namespace, resolved: Resolved, begun: object) -> int:
        module = import_module("rove.surfaces.cli.recordings.commands")
        code: int = getattr(module, function)(resolved.settings, given)
        return code

    return command
