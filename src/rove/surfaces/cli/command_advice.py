"""Advice in the words of the command line: commands that can be run as they are written, and flags."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from rove.action import AnyAction, registry
from rove.advice import Names, Verbatim, insert_names
from rove.errors import InvalidArguments, RoveError
from rove.fields import schema_of
from rove.surfaces.cli.action_arguments import command_name

# What is run in place of an action that has another command, or that needs more than its required arguments.
COMMANDS: Mapping[str, str] = {
    "batch": 'batch "click e12"',
    "close_session": "close",
    "open_session": "open URL --session NAME",
    "status": "sessions",
    "upload": "upload TARGET FILE",
    "wait": "wait --seconds 2",
}
# Both answers: which one is right is not rove's to say.
DIALOG = "`rove dialog true` or `rove dialog false`"
_OPTION = re.compile(r"`(session|tab|timeout|wait)`")


@cache
def command_lines() -> Names:
    """Return what the command line calls each action, for hints."""
    lines = {verb: f"`rove {COMMANDS.get(verb) or _line(cls)}`" for verb, cls in registry().items()}
    return {**lines, "dialog": DIALOG}


def _line(cls: type[AnyAction]) -> str:
    schema = schema_of(cls)
    required = [name.upper() for name in schema["properties"] if name in schema.get("required", [])]
    return " ".join([command_name(cls), *required])


def in_command_words(text: str) -> str:
    """Return words of rove, such as a hint, with flags in place of arguments: `--timeout` for `timeout`."""
    with_flags = _OPTION.sub(r"`--\1`", text)
    return with_flags.replace("Call again", "Run it again").replace("call again", "run it again")


def advise_upload(error: RoveError, paths: Sequence[str], folder: str, workspace: Path) -> None:
    """Say how a file of the folder in which a command was given gets to the workspace, if it is not there."""
    placed = {path: Path(workspace, path) for path in paths}
    missing = [path for path, file in placed.items() if not file.is_relative_to(workspace) or not file.exists()]
    named = (Path(folder, path) for path in missing)
    found = [str(path) for path in named if path.is_file()]
    if found:
        line = shlex.join(["cp", *found, f"{workspace}/"])
        error.hint = Verbatim(
            f"Only files of the workspace are uploaded. The person who runs rove can copy it: `{line}`."
        )


def advise(error: RoveError, verb: str) -> None:
    """Put the hint of an error into the words of the command line."""
    hint = in_command_words(insert_names(error.hint, command_lines()))
    if isinstance(error, InvalidArguments):
        hint += f" `rove {command_name(registry()[verb])} --help` shows the arguments."
    error.hint = Verbatim(hint)
