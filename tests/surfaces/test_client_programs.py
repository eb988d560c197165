"""Real MCP clients, started with what `rove init` has written: each finds rove and connects to it.

They are large, so `make test-all` does not fetch them: `make .venv/clients/ready` does.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.surfaces.daemon.commands import Terminal

PROGRAMS = Path(__file__).parents[2] / ".venv/clients/node_modules/.bin"
PATIENCE = 120
# Codex connects to its servers when a program that embeds it asks for their state.
STATUS = [
    {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "test", "version": "1"}}},
    {"method": "initialized"},
    {"id": 2, "method": "mcpServerStatus/list", "params": {}},
]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAMS.is_dir(), reason="`make .venv/clients/ready` fetches the clients"),
]


def listed(program: str, home: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [str(PROGRAMS / program), "mcp", "list"], cwd=home, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    return done.stdout + done.stderr


def claude(home: Path, environment: dict[str, str]) -> bool:
    return "Connected" in listed("claude", home, environment)


def gemini(home: Path, environment: dict[str, str]) -> bool:
    (home / ".gemini/trustedFolders.json").write_text(json.dumps({str(home): "TRUST_FOLDER"}))
    return "Connected" in listed("gemini", home, environment)


def codex(home: Path, environment: dict[str, str]) -> bool:
    with subprocess.Popen(
        [str(PROGRAMS / "codex"), "app-server"], cwd=home, env=environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        assert server.stdin is not None and server.stdout is not None
        for message in STATUS:
            server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        answers = (json.loads(line) for line in server.stdout)
        answer = next(answer for answer in answers if answer.get("id") == 2)
        server.stdin.close()
    return "browser_click" in answer["result"]["data"][0]["tools"]


@pytest.mark.parametrize(("key", "connects"), [("claude-code", claude), ("gemini", gemini), ("codex", codex)])
def test_a_client_connects_to_what_init_has_added(
    tmp_path: Path, key: str, connects: Callable[[Path, dict[str, str]], bool]
) -> None:
    terminal, home = Terminal(tmp_path), {"HOME": str(tmp_path), "XDG_CONFIG_HOME": "", "CODEX_HOME": ""}
    assert terminal.run("init", key, "--yes", **home).returncode == 0
    variables = {name: value for name, value in terminal.environment(**home).items() if value}
    assert connects(tmp_path, variables)
