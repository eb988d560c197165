"""The page of the command line: what each command takes, without the settings that all of them take."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from rove.action import CORE, registry
from rove.surfaces.cli.action_arguments import action_parser, command_name, other_actions, usual_actions
from rove.surfaces.cli.command_names import SESSION_COMMANDS
from rove.surfaces.cli.command_parser import session_parser, subcommands
from rove.surfaces.cli.main import build_parser

COLUMNS = 100
INTRODUCTION = """\
Every action is a command: `rove open URL`, `rove click e12`, `rove fill e7 "Ada"`. What an action requires is given by
position, the rest as options; [actions.md](actions.md) has all of them, `rove COMMAND --help` shows those of one.
Actions run in a daemon that starts with the first of them, and ends when it has not been needed for five minutes; it
keeps the browser open between commands, and shares it between terminals.

All commands take the settings as flags ([settings.md](settings.md)); `--help` shows those that matter, `--help-all` the
rest. Actions take besides:

| option | |
|---|---|
| `--session NAME` | which session; `rove open` opens it. Cookies and storage are its own |
| `--tab ID` | which tab; the one in front if not given |
| `--timeout SECONDS` | how long it may take |
| `--quiet` | do not tell what changed on the page |
| `--json` | answer with one line of JSON |
| `--out FILE` | write the picture or file that it answers with there, not to the workspace |

| exit code | |
|---|---|
| 0 | done |
| 1 | failed |
| 2 | misuse: a wrong argument, flag or setting |
| 3 | denied by the policy, the guard or a person |
| 4 | timed out |

What the policy leaves to a person is asked at the terminal of the command. Where an agent runs it, the command waits,
and a person answers with `rove approve` or `rove watch` in a terminal of their own; no answer in time is a no.
"""


def cli_lines() -> Iterator[str]:
    """Yield the lines of the page."""
    # So that neither this terminal nor a newer argparse, which paints, has a say in what is written.
    os.environ.update(COLUMNS=str(COLUMNS + 2), PYTHON_COLORS="0", NO_COLOR="1")
    yield from INTRODUCTION.splitlines()
    yield from ("", "## Actions", "", "| command | |", "|---|---|")
    by_command = {command_name(cls): cls for cls in registry().values()}
    for name, summary in usual_actions().items():
        yield f"| `{action_parser(by_command[name].verb, COLUMNS, False).usage}` | {summary} |"
    others = [f"`{name}`" for name in other_actions() if by_command[name].group != CORE]
    yield from ("", f"Other actions: {', '.join(others)}.", "", "## Sessions")
    for word in SESSION_COMMANDS:
        yield from _section(session_parser(word, COLUMNS + 2))
    yield from ("", "## Other commands")
    for parser in _commands(build_parser()):
        yield from _section(parser)


def _section(parser: argparse.ArgumentParser) -> Iterator[str]:
    parser._action_groups = [group for group in parser._action_groups if group.title != "settings"]
    yield from ("", f"### {parser.prog}", "", "```text", *parser.format_help().rstrip().splitlines(), "```")


def _commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield the parsers of the commands that can be run."""
    for command in subcommands(parser).values():
        if command.get_default("command"):
            yield command
        yield from _commands(command)
