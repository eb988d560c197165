"""The last entries, and those that come."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.ledger.ledgers import LARGE, fact, volumes_in, written

from rove.ledger.files import LedgerFiles, names
from rove.ledger.reader import Feed, recent
from rove.ledger.writer import Ledger


@pytest.mark.parametrize("largest", [1, 400, LARGE])
def test_the_last_ones_come_in_order_and_from_several_files(tmp_path: Path, largest: int) -> None:
    volumes = written(tmp_path, 7, largest)
    assert [link.seq for link in recent(volumes, 4, lambda facts: True).links] == [4, 5, 6, 7]
    assert [link.seq for link in recent(volumes, 99, lambda facts: True).links] == [1, 2, 3, 4, 5, 6, 7]


def test_only_those_that_are_wanted_count(tmp_path: Path) -> None:
    volumes = written(tmp_path, 7, largest=400)
    found = recent(volumes, 1, lambda facts: facts["action"] == "click e2")
    assert [link.seq for link in found.links] == [3]


def test_what_is_no_entry_is_counted_and_left_out(tmp_path: Path) -> None:
    volumes = written(tmp_path, 2)
    with volumes.current.open("ab") as file:
        file.write(b'{"action": "forged"}\nhalf a li')
    found = recent(volumes, 9, lambda facts: True)
    assert (len(found.links), found.unreadable) == (2, 2)


def test_a_feed_tells_what_is_new_through_a_change_of_files(tmp_path: Path) -> None:
    volumes = volumes_in(tmp_path)
    feed = Feed(volumes)
    assert feed.news() == []
    ledger = Ledger(volumes, 400)
    told = []
    for number in range(7):
        ledger.append(fact(number))
        told += [link.seq for link in feed.news()]
    assert told == [1, 2, 3, 4, 5, 6, 7]
    assert len(volumes.older()) > 1
    assert feed.news() == []
    feed.close()


def test_a_feed_waits_for_the_rest_of_a_line(tmp_path: Path) -> None:
    volumes = written(tmp_path, 1)
    line = volumes.current.read_bytes()
    volumes.current.write_bytes(line[:50])
    feed = Feed(volumes)
    assert feed.news() == []
    with volumes.current.open("ab") as file:
        file.write(line[50:])
    assert [link.seq for link in feed.news()] == [1]
    feed.close()


def test_every_ledger_in_a_folder_is_known_by_its_name(tmp_path: Path) -> None:
    written(tmp_path, 3, largest=1)
    for name in ("mine.1", "a/b", "~", "gone"):
        Ledger(LedgerFiles(tmp_path, name), LARGE).append({})
    LedgerFiles(tmp_path, "gone").current.unlink()
    (tmp_path / "notes.txt").touch()
    assert names(tmp_path) == ["a/b", "gone", "mine", "mine.1", "~"]
    assert names(tmp_path / "nowhere") == []
