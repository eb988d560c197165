"""The usage line of a command: what is given by position. Its help lists the options."""

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
