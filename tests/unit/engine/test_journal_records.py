"""Entries of the journal that are no actions, and the watcher, which is told exactly what is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.redactor import Redactor

from rove.actions.input import Click
from rove.engine.journal import Journal
from rove.errors import ElementGone, JournalFailed
from rove.outcome import Attachment
from rove.storage.ledger import LedgerFiles
from rove.storage.ledger_verification import verify


class Watcher:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.began: list[Mapping[str, Any]] = []
        self.ended: list[Mapping[str, Any]] = []

    def step_began(self, step: Mapping[str, Any]) -> None:
        self.began.append(step)

    def step_ended(self, step: Mapping[str, Any]) -> None:
        self.ended.append(step)

    def session_opened(self, session: str) -> None: ...
    def session_closed(self, session: str) -> None: ...
    def session_changed(self, session: str) -> None: ...
    def guard_refused(self, session: str, refused: Mapping[str, Any]) -> None: ...


def read_lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "mine.jsonl").read_text(encoding="utf-8").splitlines()]


async def test_a_message_is_a_line_of_the_same_chain(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "mine", redactor=Redactor())
    async with journal.entry(Click("e1")):
        pass
    await journal.record(
        "message", {"role": "user", "text": "my password is hunter2"}, (Attachment("file", "a/b", b"x"),)
    )
    action, message = read_lines(tmp_path)
    assert (action["kind"], message["kind"], message["session"]) == ("action", "message", "mine")
    assert (message["role"], message["text"]) == ("user", "my password is ***")
    assert message["attachments"][0]["bytes"] == 1
    assert verify(LedgerFiles(tmp_path, "mine")).entries == 2


async def test_a_message_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").mkdir()
    with pytest.raises(JournalFailed):
        await Journal(tmp_path, "mine").record("message", {"text": "hello"})


async def test_the_watcher_is_told_what_is_written(tmp_path: Path) -> None:
    watcher = Watcher()
    journal = Journal(tmp_path, "mine", redactor=Redactor(), watcher=watcher)
    async with journal.entry(Click("e1")) as entry:
        entry.url = "https://example.com/?p=hunter2"
    with pytest.raises(ElementGone):
        async with journal.entry(Click("e2")):
            raise ElementGone("gone")
    lines = read_lines(tmp_path)
    told = [json.loads(json.dumps(step)) for step in watcher.ended]
    assert told == [{name: line[name] for name in told[0]} for line in lines]
    assert [step["step"] for step in watcher.began] == [step["step"] for step in watcher.ended]
    assert lines[0]["url"] == "https://example.com/?p=***"
    assert (lines[0]["summary"], lines[0]["actor"]) == ("Click e1", "agent")


async def test_a_step_is_told_when_it_begins(tmp_path: Path) -> None:
    watcher = Watcher()
    async with Journal(tmp_path, "mine", watcher=watcher).entry(Click("e1")):
        assert (len(watcher.began), len(watcher.ended)) == (1, 0)
        assert watcher.began[0]["outcome"] == "unfinished"
