"""Reading the last entries of a ledger, and new ones as they are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.ledger.ledgers import LARGE, fact, ledger_files, written

from rove.storage.ledger import Feed, LedgerFiles, names, recent
from rove.storage.ledger_writer import Ledger


@pytest.mark.parametrize("largest", [1, 400, LARGE])
def test_recent_entries_are_in_order_across_files(tmp_path: Path, largest: int) -> None:
    files = written(tmp_path, 7, largest)
    assert [link.seq for link in recent(files, 4, lambda facts: True).links] == [4, 5, 6, 7]
    assert [link.seq for link in recent(files, 99, lambda facts: True).links] == [1, 2, 3, 4, 5, 6, 7]


def test_recent_counts_only_entries_that_match(tmp_path: Path) -> None:
    files = written(tmp_path, 7, largest=400)
    found = recent(files, 1, lambda facts: facts["action"] == "click e2")
    assert [link.seq for link in found.links] == [3]


def test_unreadable_lines_are_counted_and_left_out(tmp_path: Path) -> None:
    files = written(tmp_path, 2)
    with files.current.open("ab") as file:
        file.write(b'{"action": "forged"}\nhalf a li')
    found = recent(files, 9, lambda facts: True)
    assert (len(found.links), found.unreadable) == (2, 2)


def test_a_feed_returns_each_new_entry_once_across_files(tmp_path: Path) -> None:
    files = ledger_files(tmp_path)
    feed = Feed(files)
    assert feed.new_entries() == []
    ledger = Ledger(files, 400)
    told = []
    for number in range(7):
        ledger.append(fact(number))
        told += [link.seq for link in feed.new_entries()]
    assert told == [1, 2, 3, 4, 5, 6, 7]
    assert len(files.older()) > 1
    assert feed.new_entries() == []
    feed.close()


def test_a_feed_waits_for_the_rest_of_a_line(tmp_path: Path) -> None:
    files = written(tmp_path, 1)
    line = files.current.read_bytes()
    files.current.write_bytes(line[:50])
    feed = Feed(files)
    assert feed.new_entries() == []
    with files.current.open("ab") as file:
        file.write(line[50:])
    assert [link.seq for link in feed.new_entries()] == [1]
    feed.close()


def test_names_lists_every_ledger_of_a_folder(tmp_path: Path) -> None:
    written(tmp_path, 3, largest=1)
    for name in ("mine.1", "a/b", "~", "gone"):
        Ledger(LedgerFiles(tmp_path, name), LARGE).append({})
    LedgerFiles(tmp_path, "gone").current.unlink()
    (tmp_path / "notes.txt").touch()
    assert names(tmp_path) == ["a/b", "gone", "mine", "mine.1", "~"]
    assert names(tmp_path / "nowhere") == []
