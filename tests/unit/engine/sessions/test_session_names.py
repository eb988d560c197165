"""Names of sessions, which agents choose."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rove.engine.served.refusals import checked_name
from rove.errors import InvalidArguments
from rove.ledger.files import LONGEST_STEM, LedgerFiles, names
from rove.ledger.verification import verify
from rove.ledger.writer import Ledger


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\x1b[2J", "a\0", "\ud800", "\u202ebad", "x" * 201, "\u20ac" * 30])
def test_a_name_that_no_journal_can_be_kept_under_is_refused(name: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        checked_name(name)
    assert refused.value.message.isprintable()


@pytest.mark.parametrize("name", ["../x", "/", "..", ".", "~", "a b", "x.jsonl", "x.head", "x" * LONGEST_STEM])
def test_any_other_name_has_a_journal_that_can_be_found_and_verified(tmp_path: Path, name: str) -> None:
    files = LedgerFiles(tmp_path, checked_name(name))
    for _ in range(3):
        Ledger(files, largest=1).append({"session": name})
    Path(tmp_path, f"{files.open_entries_prefix}{2**22}-{os.urandom(4).hex()}").touch()
    assert names(tmp_path) == [name]
    assert verify(files).is_whole
