"""`rove journal` shows and verifies entries that are no actions of an agent: messages, and what a person did."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.actions.input import Click
from rove.engine.journal import Entry, Journal
from rove.surfaces.cli import journal as command


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    journal = Journal(tmp_path, "mine")
    async with journal.entry(Click("e1")):
        pass
    async with journal.writing(Entry("drive", {"person": "Ada", "clicks": 2}, "Ada drives: 2 clicks", actor="person")):
        pass
    await journal.record("driver", {"event": "released", "person": "Ada"})
    await journal.record("message", {"role": "user", "text": "Order tea"})
    await journal.close()
    return tmp_path


def test_show_tells_each_entry_on_a_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.show(folder, None, 10, failed=False, as_json=False)
    shown = capsys.readouterr().out
    for words in ("click e1", "Ada drives: 2 clicks", "driver released Ada", "message user Order tea"):
        assert words in shown


def test_only_actions_can_have_failed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.show(folder, None, 10, failed=True, as_json=False)
    assert capsys.readouterr().out == ""


def test_verify_counts_them_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.check(folder, [], None) == 0
    assert "whole, 4 entries" in capsys.readouterr().out


def test_tail_shows_the_last(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.tail(folder, None, 1, follow=False, as_json=False)
    assert "Order tea" in capsys.readouterr().out
