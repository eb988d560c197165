"""The folder of rove's files. It is needed before anything else is imported, so this imports nothing slow."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEFAULT = "~/.rove"


def home_from(given: str | os.PathLike[str] | None, environment: Mapping[str, str]) -> str:
    """Return the folder that is given, or `$ROVE_HOME`, or `~/.rove`."""
    return os.path.abspath(os.path.expanduser(given or environment.get("ROVE_HOME") or DEFAULT))


def given(flag: str, arguments: Sequence[str]) -> str | None:
    """Return the value of a flag on the command line, as argparse would read it."""
    found = None
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == flag:
            found = following
        elif word.startswith(f"{flag}="):
            found = word.removeprefix(f"{flag}=")
    return found
