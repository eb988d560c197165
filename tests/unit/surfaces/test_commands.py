"""The command line's parser, which declares the arguments of the commands that are named and of no other."""

from __future__ import annotations

import argparse

import pytest

from rove.settings.tree import options
from rove.surfaces.cli.commands import build_parser


def parsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Every command that can be run or explained, by its name."""
    found = {parser.prog: parser}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                found |= parsers(below)
    return found


COMMANDS = [name for name, parser in parsers(build_parser()).items() if parser.get_default("command")]


def test_every_command_is_there() -> None:
    assert len(COMMANDS) == 10


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_is_named_takes_what_it_takes_when_all_are_declared(name: str) -> None:
    words = name.split()[1:]
    declared = parsers(build_parser([*words, "--json"]))
    assert declared[name].format_help() == parsers(build_parser())[name].format_help()
    assert {option.flag for option in options()} <= set(declared[name]._option_string_actions)


def test_a_command_that_is_not_named_is_listed_and_declares_nothing() -> None:
    declared = parsers(build_parser(["mcp"]))
    assert declared["rove"].format_help() == build_parser().format_help()
    assert set(declared["rove doctor"]._option_string_actions) == {"-h", "--help"}
