"""`rove init` at a terminal, and without one: it changes a file only after a yes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.surfaces.daemon.commands import ROVE, Terminal
from tests.surfaces.daemon.pseudo_terminal import Person

BEFORE = '{\n  // mine\n  "mcpServers": {},\n}\n'
ENTRY = {"command": ROVE, "args": ["mcp", "--allow-host", "localhost:3000"]}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    config = tmp_path / ".cursor" / "mcp.json"
    config.parent.mkdir()
    config.write_text(BEFORE)
    return config


def variables(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/nowhere", "XDG_CONFIG_HOME": "", "CODEX_HOME": ""}


def test_it_asks_for_each_client(tmp_path: Path, config: Path) -> None:
    terminal, flags = Terminal(tmp_path), ("--allow-host", "localhost:3000")
    with Person(terminal, "init", **variables(tmp_path)) as person:
        person.wait_for("Cursor: add rove to ~/.cursor/mcp.json? [Y/n]")
        person.write("n\n")
        assert person.ended() == 0
    assert config.read_text() == BEFORE
    with Person(terminal, "init", *flags, **variables(tmp_path)) as person:
        person.wait_for("[Y/n]")
        person.write("\n")
        assert person.ended() == 0
    assert "// mine" in config.read_text() and json.dumps(ROVE) in config.read_text()
    assert [path.read_text() for path in config.parent.glob("*.bak")] == [BEFORE]
    assert "there already" in terminal.run("init", *flags, **variables(tmp_path)).stdout


def test_without_a_terminal_it_changes_nothing_by_itself(tmp_path: Path, config: Path) -> None:
    terminal = Terminal(tmp_path)
    assert "--yes" in terminal.run("init", **variables(tmp_path)).stdout
    assert config.read_text() == BEFORE
    assert terminal.run("init", "zed", "--yes", "--allow-host", "localhost:3000", **variables(tmp_path)).returncode == 0
    written = json.loads((tmp_path / ".config/zed/settings.json").read_text())
    assert written == {"context_servers": {"rove": ENTRY}}
    printed = terminal.run("init", "--print", "--allow-host", "localhost:3000", **variables(tmp_path)).stdout
    assert json.loads(printed) == {"mcpServers": {"rove": ENTRY}}
    both = terminal.run("init", "--print", "zed", "codex", "--policy", "p.toml", **variables(tmp_path)).stdout
    assert "context_servers" in both and "mcp_servers" in both and both.count(str(tmp_path / "p.toml")) == 2
    again = terminal.run("init", "zed", "--yes", "--allow-host", "a.test", **variables(tmp_path)).stdout
    assert "Zed: replaced in" in again
    bad = terminal.run("init", "zed", "--yes", "--allow-host", "http://[bad", **variables(tmp_path))
    assert bad.returncode == 2 and "[bad" not in (tmp_path / ".config/zed/settings.json").read_text()
    unknown = terminal.run("init", "curser", **variables(tmp_path))
    assert unknown.returncode == 2 and "Did you mean cursor?" in unknown.stderr
