"""G8: Whatever is done to a ledger by anyone but its writers is found."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.ledger.ledgers import LARGE, fact, lines, volumes_in, written

from rove.ledger.chain import BEGINNING, seal, unseal
from rove.ledger.files import LedgerFiles
from rove.ledger.verification import Break, verify, verify_file
from rove.ledger.writer import Ledger

Lines = list[bytes]


def rewritten(volumes: LedgerFiles, change: Callable[[Lines], Lines]) -> None:
    before = volumes.current.read_bytes().splitlines(keepends=True)
    volumes.current.write_bytes(b"".join(change(list(before))))


def broken(volumes: LedgerFiles) -> Break:
    found = verify(volumes).broken
    assert found is not None
    return found


def test_a_ledger_as_it_was_written_is_whole(tmp_path: Path) -> None:
    volumes = written(tmp_path, 5)
    verdict = verify(volumes)
    assert (verdict.is_whole, verdict.entries, verdict.files) == (True, 5, ("mine.jsonl",))
    assert (verdict.last.seq, verdict.last.hash) == (5, lines(volumes.current)[-1]["hash"])
    assert (verdict.torn, verdict.remarks) == ((), ())


def test_an_empty_ledger_is_whole(tmp_path: Path) -> None:
    Ledger(volumes_in(tmp_path), LARGE).ready()
    verdict = verify(volumes_in(tmp_path))
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
def test_tampering_is_found_where_it_is(tmp_path: Path, kind: str) -> None:
    change, line = TAMPERINGS[kind]
    volumes = written(tmp_path, 5)
    rewritten(volumes, change)
    found = broken(volumes)
    assert (found.file, found.line) == ("mine.jsonl", line), found.why


@pytest.mark.parametrize("kind", TAMPERINGS)
def test_tampering_stays_found_when_writers_go_on(tmp_path: Path, kind: str) -> None:
    volumes = written(tmp_path, 5)
    rewritten(volumes, TAMPERINGS[kind][0])
    written(tmp_path, 3)
    assert not verify(volumes).is_whole
    assert lines_of_last(volumes) == "click e2"


def lines_of_last(volumes: LedgerFiles) -> str:
    last = unseal(volumes.current.read_bytes().splitlines()[-1])
    assert last is not None
    return str(last.facts["action"])


@settings(max_examples=300)
@given(st.data())
def test_no_byte_can_be_changed_removed_or_added(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        volumes = written(Path(folder), data.draw(st.integers(1, 4)))
        before = volumes.current.read_bytes()
        start = data.draw(st.integers(0, len(before)))
        end = data.draw(st.integers(start, min(start + 300, len(before))))
        after = before[:start] + data.draw(st.binary(max_size=5)) + before[end:]
        volumes.current.write_bytes(after)
        # Nothing is lost with the very last line end.
        assert verify(volumes).is_whole == (after in (before, before[:-1]))


# The head


def test_an_end_that_was_cut_off_stays_on_record_when_writers_go_on(tmp_path: Path) -> None:
    volumes = written(tmp_path, 5)
    rewritten(volumes, lambda text: text[:3])
    written(tmp_path, 4)
    assert lines(volumes.current)[3]["lost"]["head"] == 5
    assert broken(volumes).line == 4


def test_a_running_writer_knows_what_it_wrote_even_if_the_head_was_doctored(tmp_path: Path) -> None:
    volumes = volumes_in(tmp_path)
    ledger = Ledger(volumes, LARGE)
    for number in range(5):
        ledger.append(fact(number))
    rewritten(volumes, lambda text: text[:3])
    last = unseal(volumes.current.read_bytes().splitlines()[-1])
    assert last is not None
    volumes.head.write_bytes(last.head)
    assert verify(volumes).is_whole
    ledger.append(fact(5))
    assert broken(volumes).line == 4


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_head_that_was_removed_is_found(tmp_path: Path, goes_on: bool) -> None:
    volumes = written(tmp_path, 3)
    volumes.head.unlink()
    written(tmp_path, 2 * goes_on)
    assert not verify(volumes).is_whole


def test_a_head_without_a_ledger_tells_that_there_was_one(tmp_path: Path) -> None:
    volumes = written(tmp_path, 3)
    volumes.current.unlink()
    assert broken(volumes).file == "mine.jsonl"


# Something written down elsewhere


def test_an_anchor_must_be_in_it(tmp_path: Path) -> None:
    volumes = written(tmp_path, 3)
    anchor = lines(volumes.current)[1]["hash"]
    assert verify(volumes, anchor).is_whole
    assert not verify(volumes, "f" * 64).is_whole


def test_a_ledger_rewritten_as_a_whole_does_not_have_the_anchor(tmp_path: Path) -> None:
    volumes = written(tmp_path, 3)
    anchor = verify(volumes).last.hash
    for path in tmp_path.iterdir():
        path.unlink()
    ledger = Ledger(volumes, LARGE)
    for number in range(3):
        ledger.append({**fact(number), "action": "nothing"})
    assert verify(volumes).is_whole
    assert not verify(volumes, anchor).is_whole


# Several files


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_file_that_is_missing_is_found(tmp_path: Path, number: int) -> None:
    volumes = written(tmp_path, 4, largest=1)
    volumes.numbered(number).unlink()
    assert not verify(volumes).is_whole


def test_files_that_changed_places_are_found(tmp_path: Path) -> None:
    volumes = written(tmp_path, 4, largest=1)
    one, two = volumes.numbered(1), volumes.numbered(2)
    one.rename(tmp_path / "aside")
    two.rename(one)
    (tmp_path / "aside").rename(two)
    assert broken(volumes).file == "mine~2.jsonl"


def test_files_that_were_joined_are_found(tmp_path: Path) -> None:
    volumes = written(tmp_path, 3, largest=1)
    one, two = volumes.numbered(1), volumes.numbered(2)
    two.write_bytes(one.read_bytes() + two.read_bytes())
    one.unlink()
    assert broken(volumes).line == 2


def test_a_torn_line_in_a_full_file_is_no_crash(tmp_path: Path) -> None:
    volumes = written(tmp_path, 3, largest=1)
    one = volumes.numbered(1)
    one.write_bytes(one.read_bytes() + b'{"seq": 2, "prev')
    assert broken(volumes) == Break("mine~1.jsonl", 2, broken(volumes).why)


def test_the_ledger_of_another_session_is_not_taken_for_ones_own(tmp_path: Path) -> None:
    Ledger(LedgerFiles(tmp_path, "other"), LARGE).append({"session": "other"})
    for path in list(tmp_path.iterdir()):
        path.rename(path.with_stem("mine"))
    assert not verify(volumes_in(tmp_path)).is_whole


# A file by itself


def test_a_file_can_be_looked_at_wherever_it_lies(tmp_path: Path) -> None:
    volumes = written(tmp_path, 3, largest=1)
    moved = volumes.numbered(2).rename(tmp_path / "archived.jsonl")
    verdict = verify_file(moved)
    assert (verdict.is_whole, verdict.entries, verdict.last.seq) == (True, 1, 2)
    assert len(verdict.remarks) == 1


def test_a_file_whose_beginning_was_cut_off_is_found_by_itself(tmp_path: Path) -> None:
    volumes = written(tmp_path, 3)
    rewritten(volumes, lambda text: text[1:])
    assert not verify_file(volumes.current).is_whole


def test_a_head_beside_a_file_counts(tmp_path: Path) -> None:
    volumes = written(tmp_path, 3)
    rewritten(volumes, lambda text: text[:-1])
    assert not verify_file(volumes.current).is_whole
    volumes.head.unlink()
    assert verify_file(volumes.current).is_whole
