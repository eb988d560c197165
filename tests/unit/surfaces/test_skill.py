"""The guide for coding agents: short, and every command in it is one."""

from __future__ import annotations

import re
import shlex

import pytest

from rove.surfaces.cli.action_arguments import parse_command
from rove.surfaces.cli.command_names import OWN_COMMANDS
from rove.surfaces.cli.tools import skill_text

FOUND = re.findall(r"^rove .*$|(?<=`)rove [^`]*(?=`)", skill_text(), re.MULTILINE)
COMMANDS = sorted({line.partition("  #")[0].strip() for line in FOUND})
ABOUT_SESSIONS = ("sessions", "close", "record")


def test_the_guide_is_short() -> None:
    assert len(skill_text()) / 3 < 800  # English has four characters to a token, commands have fewer


@pytest.mark.parametrize("line", [line for line in COMMANDS if "--help" not in line])
def test_every_command_of_the_guide_can_be_run(line: str) -> None:
    words = shlex.split(line)[1:]
    if words[0] not in OWN_COMMANDS and words[0] not in ABOUT_SESSIONS:
        parse_command(words)
