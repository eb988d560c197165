"""The `rove` command as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rove import __version__
from rove.settings.tree import options

ROVE = str(Path(sys.executable).parent / "rove")


def rove(*words: str, home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ROVE_")}
    return subprocess.run(
        [ROVE, *words],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**environment, "ROVE_HOME": str(home), **variables},
    )


def shown(output: str) -> dict[str, tuple[str, str]]:
    """Return the output of `rove config show` as {key: (value, source)}."""
    rows = (line.split(maxsplit=2) for line in output.splitlines())
    return {key: (value, source.strip()) for key, value, source in rows}


def test_help_names_every_command(tmp_path: Path) -> None:
    done = rove("--help", home=tmp_path)
    assert done.returncode == 0
    for command in ("mcp", "demo", "install", "doctor", "config", "policy", "journal"):
        assert f"  {command} " in done.stdout
    assert done.stderr == ""


def test_help_of_a_command_names_the_usual_settings_and_help_all_every_one(tmp_path: Path) -> None:
    brief = rove("mcp", "--help", home=tmp_path).stdout
    assert "--allow-host" in brief and "--limits-tabs" not in brief
    done = rove("mcp", "--help-all", home=tmp_path)
    assert done.returncode == 0
    assert [option.flag for option in options() if option.flag not in done.stdout] == []
    assert not (tmp_path / "run").exists()


def test_version(tmp_path: Path) -> None:
    assert rove("--version", home=tmp_path).stdout.strip() == f"rove {__version__}"


@pytest.mark.parametrize("words", [["fly"], ["mcp", "--fly"], ["journal", "show", "--last", "-1"]])
def test_unknown_arguments_exit_with_2(tmp_path: Path, words: list[str]) -> None:
    done = rove(*words, home=tmp_path)
    assert done.returncode == 2
    assert "usage: rove" in done.stderr or "`rove --help` lists all." in done.stderr


def test_config_show_names_the_source_of_each_value(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("headless = false\n[limits]\ntabs = 7\nsessions = 3\n")
    done = rove("config", "show", "--limits-tabs", "9", home=tmp_path, ROVE_LIMITS_SESSIONS="4")
    assert done.returncode == 0
    values = shown(done.stdout)
    assert list(values) == [option.key for option in options()]
    assert values["home"] == (str(tmp_path), "ROVE_HOME")
    assert values["headless"] == ("false", str(tmp_path / "config.toml"))
    assert values["limits.sessions"] == ("4", "ROVE_LIMITS_SESSIONS")
    assert values["limits.tabs"] == ("9", "--limits-tabs")
    assert values["limits.idle"][1] == "default"


OPENING = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}\n'
)


def serve_once(home: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Start a server, initialize the connection and close it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ROVE_")}
    return subprocess.run(
        [ROVE, "mcp"],
        input=OPENING,
        capture_output=True,
        timeout=100,
        check=False,
        env={**environment, "ROVE_HOME": str(home), **variables},
    )


def test_a_server_starts_with_an_unknown_variable_and_warns_of_it(home: Path) -> None:
    done = serve_once(home / "misspelt", ROVE_LIMIT_TABS="3")
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "rove"
    assert done.returncode == 0
    assert b"ROVE_LIMIT_TABS" in done.stderr
    assert b"ROVE_LIMITS_TABS" in done.stderr


def test_a_server_that_cannot_start_says_why_on_standard_error(home: Path) -> None:
    (home / "unsound").mkdir()
    (home / "unsound" / "policy.toml").write_text('[[rule]]\ndecide = "perhaps"\n')
    done = serve_once(home / "unsound")
    assert done.returncode == 1 and b"result" not in done.stdout
    assert str(home / "unsound" / "policy.toml").encode() in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_switch_can_be_turned_off_by_a_flag(tmp_path: Path) -> None:
    values = shown(rove("config", "show", "--no-headless", home=tmp_path).stdout)
    assert values["headless"] == ("false", "--headless")


@pytest.mark.parametrize(
    ("words", "variables"),
    [
        (["--limits-tabs", "many"], {}),
        ([], {"ROVE_LIMITS_TABS": "0"}),
    ],
)
def test_an_invalid_setting_has_a_plain_error(tmp_path: Path, words: list[str], variables: dict[str, str]) -> None:
    done = rove("config", "show", *words, home=tmp_path, **variables)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("rove: ")
    assert "Traceback" not in done.stderr


def test_a_settings_file_that_does_not_parse_stops_the_server_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("limits = [")
    done = rove("mcp", home=tmp_path)
    assert done.returncode == 1
    assert "config.toml" in done.stderr
    assert not (tmp_path / "run").exists() or list((tmp_path / "run").iterdir()) == []


def test_a_group_of_tools_that_does_not_exist_stops_the_server_and_leaves_nothing(tmp_path: Path) -> None:
    done = rove("mcp", "--with", "pdf,flying", home=tmp_path)
    assert done.returncode == 2
    assert "`flying`" in done.stderr
    assert "emulation" in done.stderr
    assert not (tmp_path / "run").exists() or list((tmp_path / "run").iterdir()) == []


def test_doctor_passes_on_this_machine(home: Path) -> None:
    done = rove("doctor", home=home / "doctor")
    assert done.returncode == 0, done.stdout
    for subject in ("python", "home", "workspace", "policy", "memory", "browser", "sandbox", "start"):
        assert f"  {subject}" in done.stdout
    assert "FAIL" not in done.stdout
    assert list((home / "doctor" / "run").iterdir()) == []


def test_doctor_says_what_is_broken_and_exits_with_1(home: Path) -> None:
    done = rove("doctor", home=home / "doctor", ROVE_BROWSER="/nowhere/chromium")
    assert done.returncode == 1
    assert "FAIL  browser" in done.stdout
    assert "/nowhere/chromium" in done.stdout
    assert "->" in done.stdout


def test_doctor_finds_a_broken_policy(home: Path) -> None:
    broken = home / "broken.toml"
    broken.write_text("rule = [")
    done = rove("doctor", "--policy", str(broken), home=home / "doctor")
    assert done.returncode == 1
    assert "FAIL  policy" in done.stdout


def test_install_names_the_browser_that_it_found(tmp_path: Path) -> None:
    done = rove("install", home=tmp_path)
    assert done.returncode == 0
    version, where = done.stdout.splitlines()[-2:]
    assert any(character.isdigit() for character in version)
    assert Path(where.rsplit(" (", 1)[0]).exists()


def test_install_refuses_a_browser_that_does_not_exist(tmp_path: Path) -> None:
    done = rove("install", "--browser", "/nowhere/chromium", home=tmp_path)
    assert done.returncode == 1
    assert "/nowhere/chromium" in done.stderr


def test_the_demo_shows_a_delta_and_a_picture_and_leaves_nothing_running(home: Path) -> None:
    own = home / "demo"
    done = rove("demo", home=own)
    assert done.returncode == 0, done.stderr
    for call in ("session.navigate", "session.fill", "session.select", "session.click", "session.screenshot"):
        assert call in done.stdout
    assert "what it changed" in done.stdout
    pictures = list((own / "workspace" / "screenshots").iterdir())
    assert [picture.read_bytes()[:4] for picture in pictures] == [b"\x89PNG"]
    assert list((own / "run").iterdir()) == []


def test_the_server_ends_when_its_input_does(home: Path) -> None:
    done = rove("mcp", home=home / "eof")
    assert (done.returncode, done.stdout) == (0, "")
    assert list((home / "eof" / "run").iterdir()) == []


POLICY = """\
[[rule]]
decide = "deny"
effect = "act"
origin = "https://*.bank.example"
reason = "Not with money."

[[rule]]
decide = "ask"

[[rule]]
decide = "allow"
"""


def test_policy_check_describes_the_policy(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(POLICY)
    done = rove("policy", "check", home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 rules" in done.stdout
    assert '1. deny every action with the effect act at https://*.bank.example: "Not with money."' in done.stdout
    assert "what comes after rule 2 is never tried" in done.stdout


def test_policy_check_without_a_file_says_what_applies(tmp_path: Path) -> None:
    done = rove("policy", "check", home=tmp_path)
    assert done.returncode == 0
    assert "is not there" in done.stdout
    assert "ask send_file" in done.stdout


@pytest.mark.parametrize("named", [True, False])
def test_policy_check_says_what_is_wrong_and_where(tmp_path: Path, named: bool) -> None:
    path = tmp_path / ("other.toml" if named else "policy.toml")
    path.write_text('[[rule]]\ndecide = "deny"\nactoin = "click"\n')
    done = rove("policy", "check", *([str(path)] if named else []), home=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    for words in (str(path), "line 3", "`actoin`", "`action`?"):
        assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["click", "https://my.bank.example/pay"], ["deny: click", "rule 1", "line 1", "Not with money."]),
        (["click", "bank.example"], ["ask: click", "rule 2", "line 7"]),
        (["browser_upload", "https://example.com", "--session", "work"], ["ask: upload", "session work"]),
        (["upload", "https://example.com", "--approve", "none"], ["ask: upload", "--approve none"]),
        (["click"], ["ask: click", "rules that name an origin were left out"]),
        (["navigate", "file:///etc/passwd"], ["deny", "not on the web"]),
        (["navigate", "http://10.0.0.1"], ["deny", "private network", "the guard", "--allow-host 10.0.0.1:80"]),
        (["navigate", "http://10.0.0.1", "--allow-host", "10.0.0.1"], ["navigate (effect navigate)", "rule"]),
        (["batch"], ["allow: batch", "each of its steps"]),
    ],
)
def test_policy_explain_names_the_rule_that_decides(tmp_path: Path, words: list[str], said: list[str]) -> None:
    (tmp_path / "policy.toml").write_text(POLICY)
    done = rove("policy", "explain", *words, home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [word for word in said if word not in done.stdout] == [], done.stdout


def test_policy_explain_of_an_unknown_action_names_the_nearest(tmp_path: Path) -> None:
    done = rove("policy", "explain", "clik", home=tmp_path)
    assert done.returncode == 2
    assert "`click`?" in done.stderr


@pytest.mark.parametrize("flag", [True, False])
def test_a_policy_that_is_broken_stops_the_server_and_leaves_nothing(tmp_path: Path, flag: bool) -> None:
    path = tmp_path / ("other.toml" if flag else "policy.toml")
    path.write_text("rule = [")
    done = rove("mcp", *(["--policy", str(path)] if flag else []), home=tmp_path)
    assert done.returncode == (2 if flag else 1)
    assert str(path) in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists() or list((tmp_path / "run").iterdir()) == []
