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
from rove.actions.pointer import Click
from rove.engine.journal import Journal
from rove.errors import ElementGone
from rove.ledger.files import LedgerFiles
from rove.ledger.verification import verify
from rove.ledger.writer import Ledger


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
def house(tmp_path: Path) -> Path:
    """A home in which two sessions have done something."""
    click(tmp_path, "e1")
    click(tmp_path, "e2", "other")
    click(tmp_path, "e3", error="e3 is gone.")
    return tmp_path


def journal(house: Path) -> Path:
    return house / "sessions" / "mine.jsonl"


@pytest.mark.parametrize("command", ["show", "verify", "tail"])
def test_help_has_examples(tmp_path: Path, command: str) -> None:
    done = rove("journal", command, "--help", home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"examples:\n  rove journal {command}" in done.stdout


def test_it_starts_without_a_browser_or_its_driver(house: Path) -> None:
    done = rove("journal", "show", home=house, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    assert "rove.ledger" in done.stderr
    assert "rove.chromium" not in done.stderr


# show


def test_show_tells_what_was_done_in_the_order_of_time(house: Path) -> None:
    done = rove("journal", "show", home=house)
    assert (done.returncode, done.stderr) == (0, "")
    header, *rows = done.stdout.splitlines()
    assert header.split() == ["time", "session", "action", "decision", "outcome", "ms"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  mine +click e1 +allowed +done +\d+", rows[0])
    assert [row.split()[2:6] for row in rows[:3]] == [
        ["mine", "click", "e1", "allowed"], ["other", "click", "e2", "allowed"], ["mine", "click", "e3", "allowed"]
    ]  # fmt: skip
    assert "element_gone" in rows[2]
    assert rows[3].strip() == "e3 is gone."


def test_show_can_be_limited(house: Path) -> None:
    def targets(*words: str) -> list[str]:
        done = rove("journal", "show", "--json", *words, home=house)
        return [json.loads(line)["arguments"]["target"] for line in done.stdout.splitlines()]

    assert targets() == ["e1", "e2", "e3"]
    assert targets("mine") == ["e1", "e3"]
    assert targets("--failed") == ["e3"]
    assert targets("--last", "2") == ["e2", "e3"]
    assert targets("--last", "0") == ["e1", "e2", "e3"]


def test_show_as_json_is_the_line_that_was_written(house: Path) -> None:
    done = rove("journal", "show", "mine", "--json", home=house)
    assert done.stdout == journal(house).read_text()


def test_nothing_that_a_page_says_reaches_the_terminal_as_a_command(tmp_path: Path) -> None:
    nasty = "\x1b]0;owned\x07\x1b[2Jx\u202ey\u2028\x9b31mforged"
    asyncio.run(record(Journal(tmp_path / "sessions", "mine"), Fill("e1", nasty), "\x1b[31mallowed"))
    click(tmp_path, nasty, error=nasty)
    for words in (["show"], ["show", "--json"], ["tail"]):
        done = rove("journal", *words, home=tmp_path)
        assert done.returncode == 0
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]", done.stdout)
        assert "forged" in done.stdout


def test_show_says_that_something_is_no_entry(house: Path) -> None:
    journal(house).write_text(journal(house).read_text() + '{"action": "forged"}\n')
    done = rove("journal", "show", home=house)
    assert "forged" not in done.stdout
    assert "rove journal verify" in done.stderr


def test_a_session_that_has_no_journal_is_said_plainly(house: Path) -> None:
    for command in ("show", "verify", "tail"):
        done = rove("journal", command, "nobody", home=house)
        assert (done.returncode, done.stdout) == (1, "")
        assert "mine, other" in done.stderr


@pytest.mark.parametrize("command", ["show", "verify", "tail"])
def test_where_nothing_was_done_nothing_is_wrong(tmp_path: Path, command: str) -> None:
    done = rove("journal", command, home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "sessions").exists()


def test_who_stops_reading_is_not_complained_to(tmp_path: Path) -> None:
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


def test_verify_says_what_is_whole_and_its_head(house: Path) -> None:
    done = rove("journal", "verify", home=house)
    assert (done.returncode, done.stderr) == (0, "")
    head = verify(LedgerFiles(house / "sessions", "mine")).last.hash
    assert "mine: whole, 2 entries in mine.jsonl" in done.stdout
    assert f"entry 2, {head}" in done.stdout
    assert "other: whole, 1 entry in other.jsonl" in done.stdout


def test_verify_names_the_first_broken_line_and_exits_with_1(house: Path) -> None:
    journal(house).write_text(journal(house).read_text().replace('"e3"', '"e4"'))
    done = rove("journal", "verify", home=house)
    assert done.returncode == 1
    assert "mine: BROKEN at mine.jsonl, line 2: " in done.stdout
    assert "other: whole" in done.stdout
    assert rove("journal", "verify", "other", home=house).returncode == 0
    assert rove("journal", "verify", "mine", home=house).returncode == 1


def test_verify_takes_a_file(house: Path) -> None:
    copy = house / "copy.jsonl"
    copy.write_bytes(journal(house).read_bytes())
    assert rove("journal", "verify", str(copy), home=house).returncode == 0
    copy.write_bytes(journal(house).read_bytes().replace(b"e1", b"e9"))
    assert rove("journal", "verify", str(copy), "other", home=house).returncode == 1


def test_verify_of_a_file_that_cannot_be_read_fails(house: Path) -> None:
    (house / "link.jsonl").symlink_to(journal(house))
    for name in (house / "nowhere.jsonl", house / "link.jsonl", house / "sessions"):
        done = rove("journal", "verify", str(name), home=house)
        assert (done.returncode, done.stdout) == (1, "")
        assert str(name) in done.stderr
        assert "Traceback" not in done.stderr


def test_verify_tells_what_is_torn_from_what_is_tampered_with(house: Path) -> None:
    last = verify(LedgerFiles(house / "sessions", "mine")).last
    with journal(house).open("ab") as file:
        file.write(last.beginning)
    done = rove("journal", "verify", "mine", home=house)
    assert done.returncode == 0
    assert "torn   mine.jsonl line 3" in done.stdout


def test_verify_holds_a_journal_against_a_head_noted_down(house: Path) -> None:
    head = verify(LedgerFiles(house / "sessions", "mine")).last.hash
    click(house, "e5")
    assert rove("journal", "verify", "mine", "--head", head, home=house).returncode == 0
    assert rove("journal", "verify", "other", "--head", head, home=house).returncode == 1
    assert rove("journal", "verify", "--head", head, home=house).returncode == 1


# tail


@pytest.fixture
def following(house: Path) -> Generator[subprocess.Popen[str]]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ROVE_")}
    process = subprocess.Popen(
        [ROVE, "journal", "tail", "-f", "--json", "--last", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment, "ROVE_HOME": str(house)},
    )
    yield process
    process.kill()
    process.communicate()


def target_told(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return str(json.loads(process.stdout.readline())["arguments"]["target"])


def test_tail_shows_the_last_ones(house: Path) -> None:
    done = rove("journal", "tail", "mine", "--last", "1", home=house)
    assert done.returncode == 0
    assert "click e3" in done.stdout
    assert "click e1" not in done.stdout


def test_tail_follows_every_session_even_a_new_one_until_interrupted(
    house: Path, following: subprocess.Popen[str]
) -> None:
    assert target_told(following) == "e3"
    for target, session in (("e4", "mine"), ("e5", "new"), ("e6", "mine"), ("e7", "other")):
        click(house, target, session)
        assert target_told(following) == target
    following.send_signal(signal.SIGINT)
    assert following.communicate(timeout=30) == ("", "")
    assert following.returncode == 130
