"""The parser of the command line, which declares arguments only for the command that is run."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from rove.settings.tree import options
from rove.surfaces.cli.action_arguments import command_words
from rove.surfaces.cli.command_names import OWN_COMMANDS, SESSION_COMMANDS
from rove.surfaces.cli.daemon.client import run as run_in_daemon
from rove.surfaces.cli.main import build_parser, run


def parsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Every command that can be run or explained, by its name."""
    found = {parser.prog: parser}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                found |= parsers(below)
    return found


COMMANDS = [name for name, parser in parsers(build_parser()).items() if parser.get_default("command")]


def test_there_are_thirty_five_commands() -> None:
    assert len(COMMANDS) == 35


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_that_is_run_declares_all_of_its_arguments(name: str) -> None:
    words = name.split()[1:]
    declared = parsers(build_parser([*words, "--json"]))
    assert declared[name].format_help() == parsers(build_parser())[name].format_help()
    assert {option.flag for option in options()} <= set(declared[name]._option_string_actions)


def test_other_commands_are_listed_without_arguments() -> None:
    declared = parsers(build_parser(["mcp"]))
    assert declared["rove"].format_usage() == build_parser().format_usage()
    assert set(declared["rove doctor"]._option_string_actions) == {"-h", "--help"}


def test_commands_that_are_no_actions_run_in_their_own_process() -> None:
    assert {name.split()[1] for name in COMMANDS} == OWN_COMMANDS


def test_an_unknown_flag_is_answered_with_the_usage_of_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--headles"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        "usage: rove serve [options]\nrove: unrecognized arguments: --headles; did you mean --headless?"
    )


def test_a_flag_before_the_command_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--session", "shop", "open"]) == 2
    assert "The command comes first, and --session after it." in capsys.readouterr().err


def test_help_begins_with_the_loop(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    shown = capsys.readouterr().out
    loop = [shown.index(f"  rove {command}") for command in ("open example.com", "snapshot", "click e12")]
    assert loop == sorted(loop) and loop[-1] < shown.index("actions:")
    for word in {*OWN_COMMANDS, *SESSION_COMMANDS, *command_words()}:
        assert f"  {word} " in shown or f" {word}," in shown or f" {word}\n" in shown, word


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_at_most_a_dozen_settings_and_a_few(name: str) -> None:
    parser = parsers(build_parser())[name]
    flags = {option.flag for option in options()}
    shown = [action for action in parser._actions if flags & {*action.option_strings}]
    assert sum(action.help != argparse.SUPPRESS for action in shown) <= 15


@pytest.mark.parametrize("words", [["click"], ["clik", "e1"], ["sessions", "--jsn"]])
def test_a_command_line_that_is_not_valid_is_told_as_json_without_a_daemon(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_in_daemon([*words, "--json"], {"ROVE_HOME": str(tmp_path)}) == 2
    told = json.loads(capsys.readouterr().out)
    assert not told["ok"] and told["error"]["code"] == "invalid_arguments"


def test_without_a_daemon_no_sessions_are_listed_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_in_daemon(["sessions", "--json"], {"ROVE_HOME": str(tmp_path)}) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize("words", [["--allow-host", "a:b"], ["--limits-tabs", "x"], ["--policy", "/no/file"]])
def test_settings_that_are_not_valid_on_the_command_line_are_misuse(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["policy", "explain", "click", "https://example.com", "--home", str(tmp_path), *words]) == 2


def test_a_config_file_that_is_not_valid_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.toml").write_text("limits.tabs = 'x'")
    assert run(["policy", "check", "--home", str(tmp_path)]) == 1
