"""Why a command line was not run, or failed: words on standard error, or a line of JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rove.errors import InvalidArguments, RoveError
from rove.surfaces.cli.command_parser import Finished
from rove.toolsets.outcome_text import error_data

JSON = "--json"


def json_line(data: Any, encoding: str) -> str:
    """Return a line of JSON; in ASCII where the client's encoding lacks characters."""
    return json.dumps(data, ensure_ascii=encoding.lower() != "utf-8") + "\n"


def error_line(error: RoveError, encoding: str) -> str:
    """Return an error as a line of JSON."""
    return json_line({"ok": False, "error": error_data(error)}, encoding)


def finished_answer(finished: Finished, arguments: Sequence[str], encoding: str) -> tuple[str, str]:
    """Return what a command line that asks for help or is not valid is answered, on standard output and error."""
    if not finished.code or JSON not in arguments:
        return finished.output, finished.error
    hint = f"`rove {arguments[0]} --help` shows the arguments."
    reason = finished.reason or finished.error.removeprefix("rove: ").strip()
    return error_line(InvalidArguments(reason, hint=hint), encoding), ""


def failure_answer(error: RoveError, arguments: Sequence[str], encoding: str) -> tuple[str, str]:
    """Return what is told of an error that is not of an action, on standard output and error."""
    if JSON in arguments:
        return error_line(error, encoding), ""
    return "", f"rove: {error.message}\n      {error.hint}\n"
