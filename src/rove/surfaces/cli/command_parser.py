"""Parsers of command lines: they raise instead of ending the process. Flags of settings, commands about sessions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import cache
from typing import Any, NoReturn

from rove.advice import nearest
from rove.surfaces.cli.command_names import SESSION_COMMANDS

MISUSE = 2
CLOSE = """\
examples:
  rove close                the session called default
  rove close shop           another one
  rove close --all          every session; `rove stop` ends the daemon too
"""
APPROVE = """\
What the policy leaves to a person waits for an answer. A command at a terminal asks there. Where an agent runs it, a
person answers with this command, or while they watch: `rove watch`. No answer in time is a no.
"""
WATCH = """\
examples:
  rove watch                what agents do with commands, as they do it; asks what a person must approve
  rove watch shop           one session
  rove watch --web          on a web page, with live pictures: take over, hand back, approve; needs the extra `serve`

What agents do through `rove mcp` and `rove serve`, which are processes of their own:
  rove journal tail -f      in this terminal
  rove serve                prints the link of its web page, where a person watches, approves and takes over
"""
RECORD = """\
examples:
  rove record order                     from now on, in the session called default
  rove record order --param name=Ada    what is typed as Ada becomes a parameter: `rove replay order --set name=Bob`
  rove record stop                      save it; `rove replay order` runs it again, `rove export order --as pytest`
  rove record order --from-journal shop --steps 3-9     from what was done before; `rove journal show shop` numbers it
  rove record order --import flow.json                  from the Recorder of Chrome's developer tools
"""


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


def parse_session_command(arguments: Sequence[str], columns: int) -> argparse.Namespace:
    """Read a command line about sessions. Raises Finished."""
    word, *rest = arguments
    return session_parser(word, columns).parse_args(rest)


@cache
def session_parser(word: str, columns: int) -> argparse.ArgumentParser:
    """Return the parser of a command about sessions."""
    parser = CommandParser(
        prog=f"rove {word}", description=SESSION_COMMANDS[word], allow_abbrev=False,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=columns - 2),
    )  # fmt: skip
    parser.add_argument("--home", metavar="HOME", help="folder of rove's files [~/.rove]")
    if word == "sessions":
        parser.add_argument("--json", action="store_true", help="one line of JSON, for programs")
    elif word == "close":
        parser.epilog = CLOSE
        parser.add_argument("names", nargs="*", type=session_name, metavar="SESSION", help="which [default]")
        parser.add_argument("--all", action="store_true", help="every session")
    elif word == "approve":
        parser.epilog = APPROVE
    elif word == "record":
        parser.epilog = RECORD
        _add_recording(parser)
    elif word == "watch":
        parser.epilog = WATCH
        parser.add_argument("session", nargs="?", type=session_name, metavar="SESSION", help="which; all if not given")
        parser.add_argument("--web", action="store_true", help="open the web page")
    return parser


def _add_recording(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="of the recording; `stop` ends it; tells which if none")
    parser.add_argument("--session", type=session_name, metavar="SESSION", help="which [default]")
    help = "make what is typed as VALUE a parameter; may be repeated"
    parser.add_argument("--param", action="append", default=[], metavar="NAME=VALUE", help=help)
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--from-journal", metavar="SESSION", help="of what was done in a session before")
    source.add_argument("--import", dest="file", metavar="FILE", help="of a user flow of Chrome's Recorder, as JSON")
    parser.add_argument("--steps", metavar="FROM-TO", help="with --from-journal: which of its entries, such as 3-9")
    parser.add_argument("--json", action="store_true", help="one line of JSON, for programs")
