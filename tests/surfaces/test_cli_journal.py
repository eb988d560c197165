"""`rove journal` as a real process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.surfaces.test_cli import ROVE, rove

from rove.action import AnyAction
from rove.actions.forms import Fill
from rove.actions.input import Click
from rove.engine.journal import Journal
from rove.errors import ElementGone
from rove.storage.ledger import LedgerFiles
from rove.storage.ledger_verification import verify
from rove.storage.ledger_writer import Ledger


def click(home: Path, target: str, session: str = "mine", error: str | None = None) -> None:
    """Record one action."""
    with contextlib.suppress(ElementGone):
        asyncio.run(record(Journal(home / "sessions", session), Click(target), "allowed", error))


async def record(journal: Journal, action: AnyAction, decision: str, error: str | None = None) -> None:
    async with journal.entry(action) as entry:
        entry.decision = decision
        if error is not None:
            raise ElementGone(error)


@pytest.fixture
def journal_home(tmp_path: Path) -> Path:
    """A home with the journals of two sessions."""
    click(tmp_path, "e1")
    click(tmp_path, "e2", "other")
    click(tmp_path, "e3", error="e3 is gone.")
    return tmp_path


def journal(journal_home: Path) -> Path:
    return journal_home / "sessions" / "mine.jsonl"


@pytest.mark.parametrize("command", ["show", "verify", "tail"])
def test_help_has_examples(tmp_path: Path, command: str) -> None:
    done = rove("journal", command, "--help", home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"examples:\n  rove journal {command}" in done.stdout


def test_journal_show_imports_no_browser_code(journal_home: Path) -> None:
    done = rove("journal", "show", home=journal_home, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    assert "rove.storage" in done.stderr
    assert "rove.browser.chromium" not in done.stderr


# show


def test_show_lists_actions_in_order_of_time(journal_home: Path) -> None:
    done = rove("journal", "show", home=journal_home)
    assert (done.returncode, done.stderr) == (0, "")
    header, *rows = done.stdout.splitlines()
    assert header.split() == ["time", "session", "no.", "action", "decision", "outcome", "ms"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  mine +1 +click e1 +allowed +done +\d+", rows[0])
    assert [row.split()[2:6] for row in rows[:3]] == [
        ["mine", "1", "click", "e1"], ["other", "1", "click", "e2"], ["mine", "2", "click", "e3"]
    ]  # fmt: skip
    assert "element_gone" in rows[2]
    assert rows[3].strip() == "e3 is gone."


def test_show_can_be_limited(journal_home: Path) -> None:
    def targets(*words: str) -> list[str]:
        done = rove("journal", "show", "--json", *words, home=journal_home)
        return [json.loads(line)["arguments"]["target"] for line in done.stdout.splitlines()]

    assert targets() == ["e1", "e2", "e3"]
    assert targets("mine") == ["e1", "e3"]
    assert targets("--failed") == ["e3"]
    assert targets("--last", "2") == ["e2", "e3"]
    assert targets("--last", "0") == ["e1", "e2", "e3"]


def test_show_as_json_is_the_line_that_was_written(journal_home: Path) -> None:
    done = rove("journal", "show", "mine", "--json", home=journal_home)
    assert done.stdout == journal(journal_home).read_text()


def test_control_characters_of_a_page_do_not_reach_the_terminal(tmp_path: Path) -> None:
    nasty = "\x1b]0;owned\x07\x1b[2Jx\u202ey\u2028\x9b31mforged"
    asyncio.run(record(Journal(tmp_path / "sessions", "mine"), Fill("e1", nasty), "\x1b[31mallowed"))
    click(tmp_path, nasty, error=nasty)
    for words in (["show"], ["show", "--json"], ["tail"]):
        done = rove("journal", *words, home=tmp_path)
        assert done.returncode == 0
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]", done.stdout)
        assert "forged" in done.stdout


def test_show_marks_a_line_that_is_not_an_entry(journal_home: Path) -> None:
    journal(journal_home).write_text(journal(journal_home).read_text() + '{"action": "forged"}\n')
    done = rove("journal", "show", home=journal_home)
    assert "forged" not in done.stdout
    assert "rove journal verify" in done.stderr


def test_a_session_without_a_journal_has_a_plain_error(journal_home: Path) -> None:
    for command in ("show", "verify", "tail"):
        done = rove("journal", command, "unknown", home=journal_home)
        assert (done.returncode, done.stdout) == (1, "")
        assert "mine, other" in done.stderr


@pytest.mark.parametrize("command", ["show", "verify", "tail"])
def test_without_any_journal_the_commands_succeed(tmp_path: Path, command: str) -> None:
    done = rove("journal", command, home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "sessions").exists()


def test_show_ends_without_an_error_message_when_its_output_is_closed(tmp_path: Path) -> None:
    ledger = Ledger(LedgerFiles(tmp_path / "sessions", "mine"), 1 << 30)
    for _ in range(3000):
        ledger.append({"session": "mine", "action": "x" * 100})
    process = subprocess.Popen(
        [ROVE, "journal", "show", "--json", "--last", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "ROVE_HOME": str(tmp_path)},
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


# verify


def test_verify_names_intact_journals_and_their_head(journal_home: Path) -> None:
    done = rove("journal", "verify", home=journal_home)
    assert (done.returncode, done.stderr) == (0, "")
    head = verify(LedgerFiles(journal_home / "sessions", "mine")).last.hash
    assert "mine: whole, 2 entries in mine.jsonl" in done.stdout
    assert f"entry 2, {head}" in done.stdout
    assert "other: whole, 1 entry in other.jsonl" in done.stdout


def test_verify_names_the_first_broken_line_and_exits_with_1(journal_home: Path) -> None:
    journal(journal_home).write_text(journal(journal_home).read_text().replace('"e3"', '"e4"'))
    done = rove("journal", "verify", home=journal_home)
    assert done.returncode == 1
    assert "mine: BROKEN at mine.jsonl, line 2: " in done.stdout
    assert "other: whole" in done.stdout
    assert rove("journal", "verify", "other", home=journal_home).returncode == 0
    assert rove("journal", "verify", "mine", home=journal_home).returncode == 1


def test_verify_takes_a_file(journal_home: Path) -> None:
    copy = journal_home / "copy.jsonl"
    copy.write_bytes(journal(journal_home).read_bytes())
    assert rove("journal", "verify", str(copy), home=journal_home).returncode == 0
    copy.write_bytes(journal(journal_home).read_bytes().replace(b"e1", b"e9"))
    assert rove("journal", "verify", str(copy), "other", home=journal_home).returncode == 1


def test_verify_of_a_file_that_cannot_be_read_fails(journal_home: Path) -> None:
    (journal_home / "link.jsonl").symlink_to(journal(journal_home))
    for name in (journal_home / "nowhere.jsonl", journal_home / "link.jsonl", journal_home / "sessions"):
        done = rove("journal", "verify", str(name), home=journal_home)
        assert (done.returncode, done.stdout) == (1, "")
        assert str(name) in done.stderr
        assert "Traceback" not in done.stderr


def test_verify_reads_the_journal_of_every_session_whatever_its_name(journal_home: Path) -> None:
    odd = ("../x", "/etc/passwd", "a/b.jsonl", "x.jsonl", "..", ".", "~", "x~1", "%2F", "mine.head", "l\u00f6we")
    for name in odd:
        click(journal_home, "e1", name)
    done = rove("journal", "verify", home=journal_home)
    assert (done.returncode, done.stderr) == (0, "")
    assert {line.partition(":")[0] for line in done.stdout.splitlines() if "whole" in line} == {"mine", "other", *odd}
    assert rove("journal", "verify", "../x", home=journal_home).returncode == 0


def test_verify_of_a_path_reads_that_file_though_a_session_has_its_name(journal_home: Path) -> None:
    own = journal_home / "own.jsonl"
    click(journal_home, "e1", str(own))
    assert rove("journal", "verify", str(own), home=journal_home).returncode == 0
    own.write_text("no journal\n")
    assert rove("journal", "verify", str(own), home=journal_home).returncode == 1


def test_a_journal_that_cannot_be_read_does_not_hide_the_others(journal_home: Path) -> None:
    (journal_home / "sessions" / "aa.jsonl").mkdir()
    done = rove("journal", "verify", home=journal_home)
    assert done.returncode == 1
    assert "aa: NOT VERIFIED" in done.stderr
    assert "mine: whole" in done.stdout


def test_verify_distinguishes_an_incomplete_line_from_a_changed_one(journal_home: Path) -> None:
    last = verify(LedgerFiles(journal_home / "sessions", "mine")).last
    with journal(journal_home).open("ab") as file:
        file.write(last.beginning)
    done = rove("journal", "verify", "mine", home=journal_home)
    assert done.returncode == 0
    assert "torn   mine.jsonl line 3" in done.stdout


def test_verify_compares_a_journal_with_a_given_head(journal_home: Path) -> None:
    head = verify(LedgerFiles(journal_home / "sessions", "mine")).last.hash
    click(journal_home, "e5")
    assert rove("journal", "verify", "mine", "--head", head, home=journal_home).returncode == 0
    assert rove("journal", "verify", "other", "--head", head, home=journal_home).returncode == 1
    assert rove("journal", "verify", "--head", head, home=journal_home).returncode == 2


# tail


@pytest.fixture
def tail_process(journal_home: Path) -> Generator[subprocess.Popen[str]]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ROVE_")}
    process = subprocess.Popen(
        [ROVE, "journal", "tail", "-f", "--json", "--last", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment, "ROVE_HOME": str(journal_home)},
    )
    yield process
    process.kill()
    process.communicate()


def target_shown(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return str(json.loads(process.stdout.readline())["arguments"]["target"])


def test_tail_shows_the_last_entries(journal_home: Path) -> None:
    done = rove("journal", "tail", "mine", "--last", "1", home=journal_home)
    assert done.returncode == 0
    assert "click e3" in done.stdout
    assert "click e1" not in done.stdout


def test_tail_follows_every_session_even_a_new_one_until_interrupted(
    journal_home: Path, tail_process: subprocess.Popen[str]
) -> None:
    assert target_shown(tail_process) == "e3"
    for target, session in (("e4", "mine"), ("e5", "new"), ("e6", "mine"), ("e7", "other")):
        click(journal_home, target, session)
        assert target_shown(tail_process) == target
    tail_process.send_signal(signal.SIGINT)
    assert tail_process.communicate(timeout=30) == ("", "")
    assert tail_process.returncode == 130
