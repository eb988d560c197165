"""rove's entry in the configuration of MCP clients: comments, order and all else in it stay as they are."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rove.errors import InvalidSettings
from rove.surfaces.cli.mcp_clients import (
    Client,
    NotJson,
    client_findings,
    clients,
    command_in,
    connect,
    parsed,
    with_value,
)

COMMAND = ["/opt/rove", "mcp", "--headless"]
ENTRY = {"command": "/opt/rove"}
WITH_COMMENTS = '// mine\n{\n\t"theme": "dark", // at night\n\t"m": {\n\t\t"a": 1 // one\n\t\t/* end */\n\t},\n}\n'


def client(folder: Path, key: str) -> Client:
    return next(client for client in clients(folder, {}) if client.key == key)


def test_comments_and_trailing_commas_stay() -> None:
    changed = with_value(WITH_COMMENTS, ["m", "rove"], ENTRY)
    assert changed == WITH_COMMENTS.replace("1 // one", "1, // one").replace(
        "/* end */", '/* end */\n\t\t"rove": {\n\t\t\t"command": "/opt/rove"\n\t\t}'
    )
    assert with_value(changed, ["m", "rove"], ENTRY) == changed


@pytest.mark.parametrize("text", ["", " \n", "{}", "\ufeff{}", '{"m": {}}', '{ "x": "// no comment" }', "{ // c\n}"])
def test_an_entry_is_added_to_any_object(text: str) -> None:
    assert parsed(with_value(text, ["m", "rove"], ENTRY))["m"] == {"rove": ENTRY}


def test_line_ends_of_windows_stay() -> None:
    changed = with_value('{\r\n  "a": 1\r\n}\r\n', ["m", "rove"], ENTRY)
    assert re.search(r"(?<!\r)\n", changed) is None


@pytest.mark.parametrize("text", ["[]", "{", '{"a" 1}', '{"a": 1 "b": 2}', '{"m": []}', "{} x", "[" * 5000, "{'a': 1}"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(NotJson):
        with_value(text, ["m", "rove"], ENTRY)


trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.text(), trees), st.sampled_from([None, 1, "\t"]))
def test_all_else_stays(tree: dict[str, object], indent: int | str | None) -> None:
    tree = {key: value for key, value in tree.items() if key != "m"}
    changed = with_value(json.dumps(tree, indent=indent, ensure_ascii=False), ["m", "rove"], ENTRY)
    assert parsed(changed) == {**tree, "m": {"rove": ENTRY}}


@pytest.mark.parametrize("key", [client.key for client in clients(Path("/h"), {})])
def test_each_client_is_connected(tmp_path: Path, key: str) -> None:
    one = client(tmp_path, key)
    assert command_in(one) is None
    assert connect(one, COMMAND) is None
    assert command_in(one) == COMMAND
    assert one.file.stat().st_mode & 0o077 == 0
    backup = connect(one, ["/other", "mcp"])
    assert backup is not None and COMMAND[0] in backup.read_text()
    assert command_in(one) == ["/other", "mcp"]


def test_comments_of_toml_stay(tmp_path: Path) -> None:
    one = client(tmp_path, "codex")
    one.file.parent.mkdir()
    before = '# mine\nmodel = "x" # y\n\n[mcp_servers.foo]\ncommand = "x"\n\n[other]\na = 1\n'
    one.file.write_text(before)
    one.file.chmod(0o640)
    connect(one, COMMAND)
    text = one.file.read_text()
    assert all(line in text.splitlines() for line in before.splitlines())
    assert tomllib.loads(text)["mcp_servers"]["rove"] == {"command": COMMAND[0], "args": COMMAND[1:]}
    assert one.file.stat().st_mode & 0o777 == 0o640


def test_a_file_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    one = client(tmp_path, "cursor")
    one.file.parent.mkdir()
    one.file.write_text('{"mcpServers": ')
    with pytest.raises(InvalidSettings, match="line 1"):
        connect(one, COMMAND)
    assert one.file.read_text() == '{"mcpServers": '
    assert list(one.file.parent.iterdir()) == [one.file]


def test_a_link_stays_one(tmp_path: Path) -> None:
    one = client(tmp_path, "cursor")
    one.file.parent.mkdir()
    (tmp_path / "dotfiles.json").write_text("{}")
    one.file.symlink_to(tmp_path / "dotfiles.json")
    connect(one, COMMAND)
    assert one.file.is_symlink() and command_in(one) == COMMAND


def test_the_doctor_tells_of_each_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    for variable in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(variable, raising=False)
    assert [finding.state for finding in client_findings()] == ["good"]
    (tmp_path / ".cursor").mkdir()
    assert [finding.state for finding in client_findings()] == ["worth knowing"]
    connect(client(tmp_path, "cursor"), ["/nowhere/rove", "mcp"])
    assert [finding.state for finding in client_findings()] == ["broken"]
