"""The tree of commands: a parser for each, which declares its arguments only if that command is run."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from rove.surfaces.arguments.command_parser import CommandParser
from rove.surfaces.arguments.setting_flags import HELP_ALL, OF_COMMANDS, add_settings
from rove.surfaces.arguments.usage import short_usage

# Columns where help is not written to a terminal.
DEFAULT_WIDTH = 80
# Declares what a command takes; given are the command's parser and the commands that it stands among.
Declare = Callable[[argparse.ArgumentParser, "CommandTree"], None]


def layout() -> Callable[..., argparse.HelpFormatter]:
    """Lay out help for this terminal, which argparse would measure again for each flag that is declared."""
    return partial(argparse.RawDescriptionHelpFormatter, width=terminal_width() - 2)


def terminal_width() -> int:
    """Return what `shutil.get_terminal_size` would, whose import takes a server 5 ms that it needs for nothing else."""
    try:
        return int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else DEFAULT_WIDTH
    except (ValueError, OSError):
        return DEFAULT_WIDTH


class CommandTree:
    """The commands below a parser."""

    def __init__(
        self, parent: argparse.ArgumentParser, words: Collection[str] | None, layout: Callable[..., Any]
    ) -> None:
        self._words = words
        self._layout = layout
        self.shows_all = words is not None and HELP_ALL in words
        # With a `prog`, as argparse would lay out a page of help to find it.
        self._parsers = parent.add_subparsers(
            title="commands", metavar="COMMAND", required=True, prog=parent.prog, parser_class=CommandParser
        )

    def add_all(self, **commands: tuple[str, Declare]) -> None:
        for name, (summary, declare) in commands.items():
            parser = self._parsers.add_parser(
                name, help=summary, description=summary, formatter_class=self._layout, allow_abbrev=False
            )
            if self._words is None or name in self._words:
                declare(parser, self)

    def below(self, parent: argparse.ArgumentParser) -> CommandTree:
        return CommandTree(parent, self._words, self._layout)


def runs(command: Callable[..., int], declare: Callable[[argparse.ArgumentParser], None] | None = None) -> Declare:
    """Return what declares a command that can be run: its own arguments, and all settings."""

    def declare_all(parser: argparse.ArgumentParser, commands: CommandTree) -> None:
        parser.set_defaults(command=command, parser=parser)
        if declare is not None:
            declare(parser)
        add_settings(parser, commands.shows_all, OF_COMMANDS.get(parser.prog.split()[1], ("home",)))
        parser.usage = parser.usage or short_usage(parser)

    return declare_all
