"""G8: verification finds every change that was not made by a writer."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.ledger.ledgers import LARGE, fact, ledger_files, lines, written

from rove.storage.ledger import BEGINNING, LedgerFiles, seal, unseal
from rove.storage.ledger_verification import Break, verify, verify_file
from rove.storage.ledger_writer import Ledger

Lines = list[bytes]


def rewritten(files: LedgerFiles, change: Callable[[Lines], Lines]) -> None:
    before = files.current.read_bytes().splitlines(keepends=True)
    files.current.write_bytes(b"".join(change(list(before))))


def broken(files: LedgerFiles) -> Break:
    found = verify(files).broken
    assert found is not None
    return found


def test_an_unchanged_ledger_is_whole(tmp_path: Path) -> None:
    files = written(tmp_path, 5)
    verdict = verify(files)
    assert (verdict.is_whole, verdict.entries, verdict.files) == (True, 5, ("mine.jsonl",))
    assert (verdict.last.seq, verdict.last.hash) == (5, lines(files.current)[-1]["hash"])
    assert (verdict.torn, verdict.remarks) == ((), ())


def test_an_empty_ledger_is_whole(tmp_path: Path) -> None:
    Ledger(ledger_files(tmp_path), LARGE).ready()
    verdict = verify(ledger_files(tmp_path))
    assert (verdict.is_whole, verdict.entries) == (True, 0)


def changed_with_its_hash(text: Lines, index: int) -> Lines:
    """A line replaced by one that matches its own hash and is chained to the line before, as a forger would."""
    before = unseal(text[index - 1].rstrip(b"\n")) if index else BEGINNING
    assert before is not None
    return [*text[:index], seal(before, {"session": "mine", "action": "nothing"})[1], *text[index + 1 :]]


TAMPERINGS: dict[str, tuple[Callable[[Lines], Lines], int]] = {
    "a word changed": (lambda text: [text[0], text[1].replace(b"e1", b"e9"), *text[2:]], 2),
    "its hash changed": (lambda text: [text[0], text[1][:-5] + b'ab"}\n', *text[2:]], 2),
    "changed, hash and all": (lambda text: changed_with_its_hash(text, 1), 3),
    "the first changed, hash and all": (lambda text: changed_with_its_hash(text, 0), 2),
    "the last changed, hash and all": (lambda text: changed_with_its_hash(text, 4), 5),
    "the first deleted": (lambda text: text[1:], 1),
    "one deleted": (lambda text: [*text[:2], *text[3:]], 3),
    "the last deleted": (lambda text: text[:-1], 4),
    "all deleted": (lambda text: [], 0),
    "the last cut in half": (lambda text: [*text[:-1], text[-1][:90]], 5),
    "two swapped": (lambda text: [text[0], text[2], text[1], *text[3:]], 2),
    "one twice": (lambda text: [*text[:2], *text[1:]], 3),
    "the last twice": (lambda text: [*text, text[-1]], 6),
    "an empty line put in": (lambda text: [*text[:2], b"\n", *text[2:]], 3),
    "an empty line at the end": (lambda text: [*text, b"\n"], 6),
    "words put in": (lambda text: [*text[:2], b"Anything\n", *text[2:]], 3),
    "words at the end": (lambda text: [*text, b"Anything"], 6),
    "an entry without a hash put in": (lambda text: [text[0], b'{"action": "click"}\n', *text[1:]], 2),
    "a number too deep to read": (lambda text: [*text, b"[" * 100_000 + b"\n"], 6),
    "half an entry put in": (lambda text: [*text[:2], text[2][:90] + b"\n", *text[2:]], 3),
    "other line ends": (lambda text: [line.replace(b"\n", b"\r\n") for line in text], 1),
    "the first line joined to the next": (lambda text: [text[0].rstrip(), *text[1:]], 1),
}


@pytest.mark.parametrize("kind", TAMPERINGS)
def test_tampering_is_reported_with_its_file_and_line(tmp_path: Path, kind: str) -> None:
    change, line = TAMPERINGS[kind]
    files = written(tmp_path, 5)
    rewritten(files, change)
    found = broken(files)
    assert (found.file, found.line) == ("mine.jsonl", line), found.why


@pytest.mark.parametrize("kind", TAMPERINGS)
def test_tampering_is_still_found_after_more_entries(tmp_path: Path, kind: str) -> None:
    files = written(tmp_path, 5)
    rewritten(files, TAMPERINGS[kind][0])
    written(tmp_path, 3)
    assert not verify(files).is_whole
    assert last_action(files) == "click e2"


def last_action(files: LedgerFiles) -> str:
    last = unseal(files.current.read_bytes().splitlines()[-1])
    assert last is not None
    return str(last.facts["action"])


@settings(max_examples=300)
@given(st.data())
def test_any_changed_removed_or_added_byte_is_found(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = written(Path(folder), data.draw(st.integers(1, 4)))
        before = files.current.read_bytes()
        start = data.draw(st.integers(0, len(before)))
        end = data.draw(st.integers(start, min(start + 300, len(before))))
        after = before[:start] + data.draw(st.binary(max_size=5)) + before[end:]
        files.current.write_bytes(after)
        # Without its last line end a ledger still has every entry.
        assert verify(files).is_whole == (after in (before, before[:-1]))


# The head


def test_a_cut_off_end_is_recorded_by_the_next_entry(tmp_path: Path) -> None:
    files = written(tmp_path, 5)
    rewritten(files, lambda text: text[:3])
    written(tmp_path, 4)
    assert lines(files.current)[3]["lost"]["head"] == 5
    assert broken(files).line == 4


def test_a_running_writer_notices_a_cut_off_end_with_a_forged_head(tmp_path: Path) -> None:
    files = ledger_files(tmp_path)
    ledger = Ledger(files, LARGE)
    for number in range(5):
        ledger.append(fact(number))
    rewritten(files, lambda text: text[:3])
    last = unseal(files.current.read_bytes().splitlines()[-1])
    assert last is not None
    files.head.write_bytes(last.head)
    assert verify(files).is_whole
    ledger.append(fact(5))
    assert broken(files).line == 4


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_removed_head_is_found(tmp_path: Path, goes_on: bool) -> None:
    files = written(tmp_path, 3)
    files.head.unlink()
    written(tmp_path, 2 * goes_on)
    assert not verify(files).is_whole


def test_a_head_without_a_ledger_file_is_a_break(tmp_path: Path) -> None:
    files = written(tmp_path, 3)
    files.current.unlink()
    assert broken(files).file == "mine.jsonl"


# Anchors: hashes that were noted elsewhere


def test_an_anchor_must_be_among_the_entries(tmp_path: Path) -> None:
    files = written(tmp_path, 3)
    anchor = lines(files.current)[1]["hash"]
    assert verify(files, anchor).is_whole
    assert not verify(files, "f" * 64).is_whole


def test_a_rewritten_ledger_fails_against_an_anchor(tmp_path: Path) -> None:
    files = written(tmp_path, 3)
    anchor = verify(files).last.hash
    for path in tmp_path.iterdir():
        path.unlink()
    ledger = Ledger(files, LARGE)
    for number in range(3):
        ledger.append({**fact(number), "action": "nothing"})
    assert verify(files).is_whole
    assert not verify(files, anchor).is_whole


# Several files


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_missing_file_is_found(tmp_path: Path, number: int) -> None:
    files = written(tmp_path, 4, largest=1)
    files.numbered(number).unlink()
    assert not verify(files).is_whole


def test_swapped_files_are_found(tmp_path: Path) -> None:
    files = written(tmp_path, 4, largest=1)
    one, two = files.numbered(1), files.numbered(2)
    one.rename(tmp_path / "aside")
    two.rename(one)
    (tmp_path / "aside").rename(two)
    assert broken(files).file == "mine~2.jsonl"


def test_joined_files_are_found(tmp_path: Path) -> None:
    files = written(tmp_path, 3, largest=1)
    one, two = files.numbered(1), files.numbered(2)
    two.write_bytes(one.read_bytes() + two.read_bytes())
    one.unlink()
    assert broken(files).line == 2


def test_a_torn_line_in_a_full_file_is_tampering(tmp_path: Path) -> None:
    files = written(tmp_path, 3, largest=1)
    one = files.numbered(1)
    one.write_bytes(one.read_bytes() + b'{"seq": 2, "prev')
    assert broken(files) == Break("mine~1.jsonl", 2, broken(files).why)


def test_the_ledger_of_another_session_under_this_name_is_found(tmp_path: Path) -> None:
    Ledger(LedgerFiles(tmp_path, "other"), LARGE).append({"session": "other"})
    for path in list(tmp_path.iterdir()):
        path.rename(path.with_stem("mine"))
    assert not verify(ledger_files(tmp_path)).is_whole


# One file alone


def test_one_file_can_be_verified_after_it_was_moved(tmp_path: Path) -> None:
    files = written(tmp_path, 3, largest=1)
    moved = files.numbered(2).rename(tmp_path / "archived.jsonl")
    verdict = verify_file(moved)
    assert (verdict.is_whole, verdict.entries, verdict.last.seq) == (True, 1, 2)
    assert len(verdict.remarks) == 1


def test_a_cut_off_beginning_is_found_in_one_file_alone(tmp_path: Path) -> None:
    files = written(tmp_path, 3)
    rewritten(files, lambda text: text[1:])
    assert not verify_file(files.current).is_whole


def test_the_head_beside_a_single_file_is_checked(tmp_path: Path) -> None:
    files = written(tmp_path, 3)
    rewritten(files, lambda text: text[:-1])
    assert not verify_file(files.current).is_whole
    files.head.unlink()
    assert verify_file(files.current).is_whole
