"""Where rove keeps its files, known before anything else is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

DEFAULT = "~/.rove"


def home_from(given: str | Path | None, environment: Mapping[str, str]) -> Path:
    """The folder that was given, or `$ROVE_HOME`, or `~/.rove`."""
    return Path(given or environment.get("ROVE_HOME") or DEFAULT).expanduser().absolute()


def given(flag: str, arguments: Sequence[str]) -> str | None:
    """The value of a flag among command-line words, as argparse would read it."""
    found = None
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == flag:
            found = following
        elif word.startswith(f"{flag}="):
            found = word.removeprefix(f"{flag}=")
    return found
