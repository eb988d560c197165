"""The record of what was done."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from rove.actions.forms import Fill
from rove.actions.pointer import Click
from rove.engine.journal import Journal
from rove.errors import ElementGone


def lines(folder: Path, name: str = "mine") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_an_action_is_one_line(tmp_path: Path) -> None:
    with Journal(tmp_path, "mine").entry(Click("e1", count=2)) as entry:
        entry.tab, entry.url, entry.decision = "t1", "https://example.com/", "allowed"
    (line,) = lines(tmp_path)
    assert (line["session"], line["action"], line["arguments"]) == ("mine", "click", {"target": "e1", "count": 2})
    assert (line["tab"], line["url"], line["decision"]) == ("t1", "https://example.com/", "allowed")
    assert (line["outcome"], line["error"]) == ("done", None)
    assert line["seconds"] >= 0
    assert line["began"] > 0


def test_a_failure_is_recorded_by_its_code_and_goes_on(tmp_path: Path) -> None:
    with pytest.raises(ElementGone), Journal(tmp_path, "mine").entry(Click("e1")):
        raise ElementGone("e1 is gone.")
    (line,) = lines(tmp_path)
    assert (line["outcome"], line["error"]) == ("element_gone", "e1 is gone.")


@pytest.mark.parametrize("error", [asyncio.CancelledError(), KeyboardInterrupt(), RuntimeError("a bug")])
def test_what_is_broken_off_is_recorded_too(tmp_path: Path, error: BaseException) -> None:
    with pytest.raises(type(error)), Journal(tmp_path, "mine").entry(Click("e1")):
        raise error
    (line,) = lines(tmp_path)
    assert (line["outcome"], line["error"]) == ("broken off", type(error).__name__)


def test_what_nobody_decided_is_undecided(tmp_path: Path) -> None:
    with Journal(tmp_path, "mine").entry(Click("e1")):
        pass
    assert lines(tmp_path)[0]["decision"] == "undecided"


def test_lines_are_appended_and_never_rewritten(tmp_path: Path) -> None:
    for number in range(3):
        with Journal(tmp_path, "mine").entry(Click(f"e{number}")):
            pass
    assert [line["arguments"]["target"] for line in lines(tmp_path)] == ["e0", "e1", "e2"]


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    with Journal(tmp_path / "sessions", "mine").entry(Click("e1")):
        pass
    assert (tmp_path / "sessions" / "mine.jsonl").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "sessions").stat().st_mode & 0o777 == 0o700


def test_words_of_any_kind_stay_on_their_line(tmp_path: Path) -> None:
    with Journal(tmp_path, "mine").entry(Fill("e1", "two\nlines, an emoji 🫖 and half of one \ud83e")):
        pass
    (line,) = lines(tmp_path)
    assert line["arguments"]["value"].startswith("two\nlines, an emoji 🫖")
