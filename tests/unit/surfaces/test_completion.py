"""The words that shells complete."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rove.surfaces.cli.action_arguments import command_words
from rove.surfaces.cli.main import build_parser
from rove.surfaces.cli.shell_completion import SCRIPTS, words_after


def words(*given: str) -> list[str]:
    return words_after(given, build_parser(), command_words())


def test_commands_flags_and_choices_are_completed() -> None:
    assert {"open", "click", "watch", "close", "init", "mcp"} <= {*words()}
    assert {"--button", "--session", "--allow-host"} <= {*words("click")}
    assert words("click", "--button") == ["left", "middle", "right"]
    assert {"show", "set", "edit"} <= {*words("config")}
    assert "--all" in words("close")
    assert words("open", "--session") == [] == words("no-such-command")


ASKED = {
    "bash": 'COMP_WORDS=(rove clic); COMP_CWORD=1; _rove; echo "${COMPREPLY[@]}"',
    "fish": "complete -C 'rove clic'",
}


@pytest.mark.parametrize("shell", sorted(ASKED))
def test_the_script_works_in_its_shell(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    script = f"{SCRIPTS[shell]}\n{ASKED[shell]}"
    done = subprocess.run([shell, "-c", script], capture_output=True, text=True, env={**os.environ, "PATH": path})
    assert done.stdout.split()[0] == "click", done.stderr
