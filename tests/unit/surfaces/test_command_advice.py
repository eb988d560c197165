"""Advice on the command line, which works when it is followed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from rove.action import registry
from rove.engine.observation import DOWNLOAD_ADVICE
from rove.errors import DeadlineExceeded, Denied, DialogOpen, InvalidArguments, RoveError
from rove.surfaces.cli.action_arguments import parse_command
from rove.surfaces.cli.command_advice import advise, advise_upload, command_lines, in_command_words
from rove.surfaces.cli.command_names import SESSION_COMMANDS
from rove.surfaces.cli.command_parser import Finished


@pytest.mark.parametrize("verb", sorted(registry()))
def test_the_command_of_every_action_can_be_run_as_it_is_written(verb: str) -> None:
    for line in re.findall("`rove (.*?)`", command_lines()[verb]):
        words = ['{"a": 1}' if word == "FIELDS" else word for word in shlex.split(line)]
        assert words[0] in SESSION_COMMANDS or parse_command(words)


def hint(error: RoveError, verb: str = "click") -> str:
    advise(error, verb)
    return error.hint


def test_hints_name_flags_and_commands() -> None:
    assert "`--timeout`" in hint(DeadlineExceeded("Late."))
    answered = hint(DialogOpen("A dialog is open."))
    assert answered == "Answer it with `rove dialog true` or `rove dialog false`, then run it again."
    assert in_command_words(DOWNLOAD_ADVICE).endswith("{downloads} with `--wait` waits for it.")
    assert hint(InvalidArguments("Wrong."), "wait").endswith("`rove wait --help` shows the arguments.")


def test_what_was_probably_meant_is_said_or_done() -> None:
    for words, meant in {
        ("click", "button", "Tick"): "'button \"Tick\"'",
        ("screenshot", "x.png"): "`rove screenshot --out x.png`",
    }.items():
        with pytest.raises(Finished) as refused:
            parse_command(words)
        assert meant in refused.value.error
    assert parse_command(["check", "e1", "false"]).arguments == {"target": "e1", "checked": "false"}
    assert parse_command(["check", "e1", "--no-checked"]).arguments == {"target": "e1", "checked": False}
    assert parse_command(["tabs", "new", "x.test"]).arguments == {"operation": "new", "url": "x.test"}
    assert parse_command(["tabs", "switch", "t2"]).arguments == {"operation": "switch", "tab": "t2"}
    assert parse_command(["upload", "e1", "a", "b"]).arguments == {"target": "e1", "paths": ["a", "b"]}


def test_a_file_outside_the_workspace_is_told_with_the_command_that_copies_it(tmp_path: Path) -> None:
    (tmp_path / "my file.txt").write_text("x")
    error = Denied("Outside.")
    advise_upload(error, ["my file.txt"], str(tmp_path), tmp_path / "workspace")
    assert f"cp '{tmp_path}/my file.txt' {tmp_path}/workspace/" in error.hint
