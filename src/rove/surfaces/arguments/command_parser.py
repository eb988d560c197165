"""A parser that raises instead of ending the process, which may be the daemon or a server."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from rove.validation.spelling import nearest

MISUSE = 2


class Finished(Exception):
    """There is nothing to run: help was asked for, or the command line is not valid, for a reason."""

    def __init__(self, code: int, output: str = "", error: str = "", reason: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.output = output
        self.error = error
        self.reason = reason


class CommandParser(argparse.ArgumentParser):
    """The parser of one command."""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Finished(status, error=message or "")

    def error(self, message: str) -> NoReturn:
        told = f"{self.format_usage()}rove: {message}\n      `{self.prog} --help` shows more.\n"
        raise Finished(MISUSE, error=told, reason=message)

    def print_help(self, file: Any = None) -> NoReturn:
        raise Finished(0, output=self.format_help())


def session_name(word: str) -> str:
    """Return the name of a session. An empty one, as of a variable that is not set, does not mean the default."""
    if not word.strip():
        raise argparse.ArgumentTypeError("the name of the session is empty")
    return word


def refuse(
    parser: argparse.ArgumentParser, unknown: Sequence[str], options: Sequence[str] = (), target: str | None = None
) -> NoReturn:
    """Say which words are too many, and what was probably meant.

    `options`: flags that take such a word. `target`: the element that was named, maybe by its role alone.
    """
    flag = unknown[0].partition("=")[0]
    flags = {known.lstrip("-"): known for known in parser._option_string_actions}
    near = nearest(flag.lstrip("-"), flags) if flag.startswith("-") else None
    meant = f"; did you mean {flags[near]}?" if near else ""
    if not flag.startswith("-") and options:
        meant = f"; what is not given by position needs its flag: {', '.join(options)}"
    if not flag.startswith("-") and target is not None and target.isalpha():
        meant = f"; a role and a name are one word: '{target} \"{unknown[0]}\"'"
    parser.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")
