"""Where rove keeps its files, known before anything else is loaded."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEFAULT = "~/.rove"


def home_from(given: str | os.PathLike[str] | None, environment: Mapping[str, str]) -> str:
    """The folder that was given, or `$ROVE_HOME`, or `~/.rove`."""
    return os.path.abspath(os.path.expanduser(given or environment.get("ROVE_HOME") or DEFAULT))


def given(flag: str, arguments: Sequence[str]) -> str | None:
    """The value of a flag among command-line words, as argparse would read it."""
    found = None
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == flag:
            found = following
        elif word.startswith(f"{flag}="):
            found = word.removeprefix(f"{flag}=")
    return found
