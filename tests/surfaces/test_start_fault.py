"""`rove mcp` that cannot start says so to its client, and at a terminal what it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.surfaces.daemon.commands import Terminal
from tests.surfaces.daemon.pseudo_terminal import Person

ROVE = str(Path(sys.executable).parent / "rove")
REQUESTS = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": "two", "method": "tools/list"},
]


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (["--allow-hots", "x"], 2, "did you mean --allow-host?"),
        (["--policy", "/nowhere.toml"], 2, "/nowhere.toml cannot be read"),
        (["--allow-host", "http://localhost/app"], 2, "Write HOST or HOST:PORT"),
    ],
)
def test_a_fault_at_start_is_an_mcp_error(tmp_path: Path, flags: list[str], code: int, words: str) -> None:
    sent = "".join(json.dumps(request) + "\n" for request in REQUESTS)
    environment = {**os.environ, "ROVE_HOME": str(tmp_path)}
    done = subprocess.run([ROVE, "mcp", *flags], input=sent, capture_output=True, text=True, env=environment)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, "two"]
    assert all(words in answer["error"]["message"] and answer["error"]["data"]["hint"] for answer in answers)
    assert done.returncode == code and words in done.stderr


def test_at_a_terminal_it_says_how_to_connect_it(tmp_path: Path) -> None:
    with Person(Terminal(tmp_path), "mcp") as person:
        person.wait_for("rove init")
