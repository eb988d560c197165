"""Commands in bad surroundings: a full disk, a closed stream, no editor, a home that cannot be made. No tracebacks."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path

import pytest
from tests.surfaces.daemon.commands import ROVE, Terminal

slow = partial(pytest.param, marks=pytest.mark.slow)  # each case starts a process
FULL = "No space left on device"
CASES = [
    (f"{ROVE} --help | true; exit ${{PIPESTATUS[0]}}", {}, 141, ""),
    slow(f"{ROVE} click --help | true; exit ${{PIPESTATUS[0]}}", {}, 141, ""),
    (f"{ROVE} --help >/dev/full", {}, 1, FULL),
    slow(f"{ROVE} click --help >/dev/full", {}, 1, FULL),
    (f"{ROVE} sessions >&-", {}, 0, ""),
    slow(f"{ROVE} --help >&-", {}, 0, ""),
    slow(f"{ROVE} sessions <&-", {}, 0, ""),
    (f"{ROVE} snapshot --nope 2>&-", {}, 2, ""),
    (f"{ROVE} open example.com", {"ROVE_HOME": "/proc/x"}, 1, "ROVE_HOME"),
    slow(f"{ROVE} sessions", {"ROVE_HOME": "/dev/null"}, 1, "ROVE_HOME"),
    (f"{ROVE} config edit", {"EDITOR": "nosuchedit"}, 2, "nosuchedit cannot be started"),
    slow(f"{ROVE} config edit", {"EDITOR": "vi 'x"}, 2, "Set EDITOR"),
]


@pytest.mark.parametrize(("line", "variables", "code", "told"), CASES)
def test_a_command_says_what_is_wrong(
    tmp_path: Path, line: str, variables: dict[str, str], code: int, told: str
) -> None:
    environment = Terminal(tmp_path).environment(VISUAL="", **variables)
    ended = subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True, timeout=60)
    assert ended.returncode == code and told in ended.stderr and "Traceback" not in ended.stderr
