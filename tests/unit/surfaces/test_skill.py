"""The guide for coding agents: short, and every command in it is one."""

from __future__ import annotations

import re
import shlex

import pytest

from rove.__main__ import OWN_COMMANDS
from rove.surfaces.cli.arguments.action_parser import parse_command
from rove.surfaces.cli.first_use.skill import skill_text
from rove.toolsets.tokens import estimated_tokens

COMMANDS = sorted({line.partition("  #")[0].strip() for line in re.findall(r"^rove .*$|(?<=`)rove [^`]*(?=`)", skill_text(), re.M)})
ABOUT_SESSIONS = ("sessions", "close")


@pytest.mark.parametrize("line", [line for line in COMMANDS if "--help" not in line])
def test_every_command_of_the_guide_can_be_run(line: str) -> None:
    words = shlex.split(line)[1:]
    if words[0] not in OWN_COMMANDS and words[0] not in ABOUT_SESSIONS:
        parse_command(words)
