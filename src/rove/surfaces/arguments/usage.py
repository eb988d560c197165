"""What a parser says of itself: its usage in short, and the commands below it."""

from __future__ import annotations

import argparse


def short_usage(parser: argparse.ArgumentParser) -> str:
    """Return the usage of a command without its many options."""
    given = (action for action in parser._actions if not action.option_strings)
    return " ".join([parser.prog, *map(_word, given), "[options]"])


def _word(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    if action.choices is not None and action.metavar is None:
        name = "{" + ",".join(map(str, action.choices)) + "}"
    words = {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} [{name} ...]"}
    return words.get(str(action.nargs), name)


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands below a command, by their names."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action.choices, dict):
            found |= action.choices
    return found
