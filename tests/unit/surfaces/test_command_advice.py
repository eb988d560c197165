"""Advice on the command line, which works when it is followed."""

from __future__ import annotations

import re
import shlex

import pytest

from rove.action import registry
from rove.errors import DeadlineExceeded, DialogOpen, InvalidArguments, RoveError
from rove.surfaces.arguments.action_parser import parse_command
from rove.surfaces.arguments.command_advice import advise, command_lines
from rove.surfaces.own_commands import SESSION_COMMANDS


@pytest.mark.parametrize("verb", sorted(registry()))
def test_the_command_of_every_action_can_be_run_as_it_is_written(verb: str) -> None:
    for line in re.findall("`rove (.*?)`", command_lines()[verb]):
        words = ['{"a": 1}' if word == "FIELDS" else word for word in shlex.split(line)]
        assert words[0] in SESSION_COMMANDS or parse_command(words)


def hint(error: RoveError, verb: str = "click") -> str:
    advise(error, verb)
    return error.hint


def test_hints_name_flags_and_commands() -> None:
    assert "`--timeout`" in hint(DeadlineExceeded("Late."))
    answered = hint(DialogOpen("A dialog is open."))
    assert answered == "Answer it with `rove dialog true` or `rove dialog false`, then run it again."
    assert hint(InvalidArguments("Wrong."), "wait").endswith("`rove wait --help` shows the arguments.")
