"""Names of sessions, which agents choose."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rove.engine.session_errors import SessionNames, checked_name
from rove.errors import InvalidArguments
from rove.owned_names import is_named_by, mark_in, mark_of, own_name, without_mark
from rove.storage.ledger import LONGEST_STEM, LedgerFiles, names
from rove.storage.ledger_verification import verify
from rove.storage.ledger_writer import Ledger


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\x1b[2J", "a\0", "\ud800", "\u202ebad", "x" * 201, "\u20ac" * 30])
def test_a_name_that_no_journal_can_be_kept_under_is_refused(name: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        checked_name(name, None)
    assert refused.value.message.isprintable()


@pytest.mark.parametrize("name", ["../x", "/", "..", ".", "~", "a b", "x.jsonl", "x.head", "x" * LONGEST_STEM])
def test_any_other_name_has_a_journal_that_can_be_found_and_verified(tmp_path: Path, name: str) -> None:
    files = LedgerFiles(tmp_path, checked_name(name, None))
    for _ in range(3):
        Ledger(files, largest=1).append({"session": name})
    Path(tmp_path, f"{files.open_entries_prefix}{2**22}-{os.urandom(4).hex()}").touch()
    assert names(tmp_path) == [name]
    assert verify(files).is_whole


def test_a_name_says_whose_it_is() -> None:
    full = own_name("shop", "anna")
    assert full == f"shop{mark_of('anna')}" and own_name(full, "anna") == full
    assert without_mark(full) == "shop" and mark_in(full) == mark_of("anna")
    assert is_named_by(full, "anna") and not is_named_by(full, "bea") and not is_named_by(full, None)
    assert own_name("shop", None) == "shop" and is_named_by("shop", None)


def test_no_name_that_a_client_chooses_is_one_of_another_client() -> None:
    stolen = own_name("shop", "bea")
    assert own_name(stolen, "anna") != stolen and is_named_by(own_name(stolen, "anna"), "anna")
    for owner in ("anna", None):
        with pytest.raises(InvalidArguments):
            checked_name(stolen, owner)


def test_numbered_names_do_not_tell_how_many_sessions_others_have() -> None:
    names = SessionNames()
    assert [names.choose(None, "bea", set()) for _ in range(3)][-1] == own_name("s3", "bea")
    assert names.choose(None, "anna", set()) == own_name("s1", "anna")
    assert [names.choose(None, None, {"s1"}) for _ in range(2)] == ["s2", "s3"]
