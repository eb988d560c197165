"""Appending to a ledger: with several writers, across files, after a crash."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from tests.unit.ledger.ledgers import LARGE, fact, ledger_files, lines, written

from rove.storage import ledger_writer
from rove.storage.ledger import BEGINNING, ChainedLine, LedgerFiles, locked, open_to_read, seal
from rove.storage.ledger_verification import verify
from rove.storage.ledger_writer import Ledger


def test_lines_are_numbered_and_chained(tmp_path: Path) -> None:
    entries = lines(written(tmp_path, 3).current)
    assert [line["seq"] for line in entries] == [1, 2, 3]
    assert [line["prev"] for line in entries] == ["0" * 64, entries[0]["hash"], entries[1]["hash"]]


def test_the_head_names_the_last_line(tmp_path: Path) -> None:
    files = written(tmp_path, 2)
    last = lines(files.current)[-1]
    assert files.head.read_text() == f"{2:020d} {last['hash']}\n"


def test_two_writers_append_to_one_chain(tmp_path: Path) -> None:
    one, other = (Ledger(ledger_files(tmp_path), LARGE) for _ in range(2))
    for number in range(6):
        (one, other)[number % 2].append(fact(number))
    assert verify(ledger_files(tmp_path)).entries == 6


def test_files_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir(mode=0o755)
    (tmp_path / "sessions" / "mine.jsonl").touch(mode=0o644)
    files = written(tmp_path / "sessions", 1)
    for path, mode in ((files.folder, 0o700), (files.current, 0o600), (files.head, 0o600)):
        assert path.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("name", ["mine.jsonl", "mine.head"])
def test_a_symbolic_link_is_not_followed(tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch()
    (tmp_path / name).symlink_to(elsewhere)
    with pytest.raises(OSError, match="symbolic"):
        written(tmp_path, 1)
    assert elsewhere.read_bytes() == b""


def test_a_pipe_is_refused_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mine.jsonl")
    with pytest.raises(OSError, match="regular"):
        written(tmp_path, 1)


def test_a_ledger_name_with_slashes_stays_inside_the_folder(tmp_path: Path) -> None:
    Ledger(LedgerFiles(tmp_path / "in", "../a/b~1"), LARGE).append(fact(0))
    assert sorted(path.name for path in (tmp_path / "in").iterdir()) == [
        "..%2Fa%2Fb%7E1.head", "..%2Fa%2Fb%7E1.jsonl"
    ]  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


# Full files


def test_a_full_file_is_numbered_and_the_next_says_which_it_follows(tmp_path: Path) -> None:
    files = written(tmp_path, 5, largest=400)
    first, second, third = (lines(path) for path in [*files.older(), files.current])
    assert [line["seq"] for line in first + second + third] == [1, 2, 3, 4, 5]
    assert ("follows" in first[0], second[0]["follows"], third[0]["follows"]) == (False, "mine~1.jsonl", "mine~2.jsonl")
    assert second[0]["prev"] == first[-1]["hash"]


def test_file_numbers_are_sorted_as_numbers(tmp_path: Path) -> None:
    files = written(tmp_path, 12, largest=1)
    assert [path.name for path in files.older()] == [f"mine~{number}.jsonl" for number in range(1, 12)]
    assert verify(files).is_whole


def test_a_session_whose_name_ends_in_a_number_keeps_its_own_files(tmp_path: Path) -> None:
    files = written(tmp_path, 3, largest=1)
    for name in ("mine.1", "mine~1"):
        Ledger(LedgerFiles(tmp_path, name), LARGE).append({"session": name})
        assert verify(LedgerFiles(tmp_path, name)).entries == 1
    assert verify(files).entries == 3


def test_a_file_number_is_not_reused_when_older_files_were_removed(tmp_path: Path) -> None:
    files = written(tmp_path, 3, largest=1)
    for path in files.older():
        path.unlink()
    written(tmp_path, 1, largest=1)
    assert [path.name for path in files.older()] == ["mine~3.jsonl"]


def test_writing_continues_after_a_crash_between_two_files(tmp_path: Path) -> None:
    files = written(tmp_path, 2)
    files.current.rename(files.numbered(1))
    written(tmp_path, 1)
    assert lines(files.current)[0]["follows"] == "mine~1.jsonl"
    assert verify(files).entries == 3


def test_only_the_newest_full_files_are_kept_and_removed_ones_are_recorded(tmp_path: Path) -> None:
    files = written(tmp_path, 6, largest=1, keep=2)
    assert [path.name for path in files.older()] == ["mine~4.jsonl", "mine~5.jsonl"]
    assert lines(files.current)[0]["dropped"] == ["mine~3.jsonl"]
    verdict = verify(files)
    assert (verdict.is_whole, verdict.entries, verdict.last.seq) == (True, 3, 6)


# Crashes


def torn_after(folder: Path, count: int) -> tuple[LedgerFiles, bytes]:
    """Append `count` entries, then half a line, as a crash in the middle of a write leaves it."""
    files = written(folder, count)
    _, line = seal(_last(files), fact(count))
    torn = line[: len(line) // 2]
    with files.current.open("ab") as file:
        file.write(torn)
    return files, torn


def _last(files: LedgerFiles) -> ChainedLine:
    files.current.touch()
    file = open_to_read(files.current)
    try:
        link, _ = ledger_writer.last_link(file, os.fstat(file).st_size)
    finally:
        os.close(file)
    return link or BEGINNING


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_torn_line_is_kept_and_recorded_by_the_next_line(tmp_path: Path, count: int) -> None:
    files, torn = torn_after(tmp_path, count)
    written(tmp_path, 2)
    assert files.current.read_bytes().splitlines()[count] == torn
    entries = [line for line in files.current.read_bytes().splitlines() if line != torn]
    verdict = verify(files)
    assert (verdict.is_whole, verdict.entries, len(entries)) == (True, count + 2, count + 2)
    assert verdict.torn == (f"mine.jsonl line {count + 1}",)
    assert b'"torn": {"bytes": %d' % (len(torn) + 1) in entries[count]
    assert b'"torn"' not in entries[count + 1]


def test_a_torn_line_is_noticed_by_a_writer_that_had_the_file_open(tmp_path: Path) -> None:
    ledger = Ledger(ledger_files(tmp_path), LARGE)
    ledger.append(fact(0))
    files, _ = torn_after(tmp_path, 0)
    ledger.append(fact(1))
    verdict = verify(files)
    assert (verdict.is_whole, verdict.entries, len(verdict.torn)) == (True, 2, 1)


def test_writing_continues_after_a_second_crash_during_recovery(tmp_path: Path) -> None:
    files, torn = torn_after(tmp_path, 2)
    with files.current.open("ab") as file:
        file.write(b"\n" + torn[:20])
    assert verify(files).is_whole
    written(tmp_path, 1)
    verdict = verify(files)
    assert verdict.is_whole
    assert verdict.torn == ("mine.jsonl line 3", "mine.jsonl line 4")


def test_a_last_line_without_a_line_end_is_an_entry(tmp_path: Path) -> None:
    files = written(tmp_path, 2)
    files.current.write_bytes(files.current.read_bytes()[:-1])
    assert verify(files).entries == 2
    written(tmp_path, 1)
    verdict = verify(files)
    assert (verdict.is_whole, verdict.entries, verdict.torn) == (True, 3, ())


def test_zeros_at_the_end_after_a_power_cut_are_a_torn_write(tmp_path: Path) -> None:
    files = written(tmp_path, 2)
    with files.current.open("ab") as file:
        file.write(bytes(300))
    written(tmp_path, 1)
    verdict = verify(files)
    assert (verdict.is_whole, verdict.entries, verdict.torn) == (True, 3, ("mine.jsonl line 3",))


def test_a_torn_line_longer_than_the_read_window_is_found(tmp_path: Path) -> None:
    files = written(tmp_path, 1)
    _, line = seal(_last(files), {"session": "mine", "data": "x" * 3 * ledger_writer.WINDOW})
    with files.current.open("ab") as file:
        file.write(line[:-100])
    written(tmp_path, 1)
    verdict = verify(files)
    assert (verdict.is_whole, verdict.entries, len(verdict.torn)) == (True, 2, 1)


def test_a_crash_before_the_head_was_written_is_only_a_remark(tmp_path: Path) -> None:
    files = written(tmp_path, 2)
    head = files.head.read_bytes()
    written(tmp_path, 1)
    files.head.write_bytes(head)
    verdict = verify(files)
    assert verdict.is_whole
    assert len(verdict.remarks) == 1
    written(tmp_path, 1)
    assert verify(files).remarks == ()


# Writes that fail


def test_a_failed_write_leaves_no_bytes_and_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = ledger_files(tmp_path)
    ledger = Ledger(files, LARGE)
    ledger.append(fact(0))
    before = files.current.read_bytes(), files.head.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", _write_to_full_disk)
        with pytest.raises(OSError, match="No space left"):
            ledger.append(fact(1))
    assert (files.current.read_bytes(), files.head.read_bytes()) == before
    ledger.append(fact(1))
    verdict = verify(files)
    assert (verdict.is_whole, verdict.entries, verdict.torn) == (True, 2, ())


def _write_to_full_disk(file: int, data: bytes) -> int:
    """Write what fits and refuse the rest, as a full disk does."""
    if len(data) < 20:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return os.writev(file, [data[:-19]])


def test_ready_fails_when_the_disk_is_nearly_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(ledger_files(tmp_path), LARGE)
    ledger.ready()
    monkeypatch.setattr(ledger_writer, "MIN_FREE_BYTES", 1 << 62)
    with pytest.raises(OSError, match="No space left"):
        ledger.ready()


def test_waiting_for_a_lock_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.storage.ledger.PATIENCE", 0.05)
    files = written(tmp_path, 1)
    file = open_to_read(files.current)
    with locked(file), pytest.raises(TimeoutError):
        written(tmp_path, 1)
    os.close(file)
    written(tmp_path, 1)
    assert verify(files).entries == 2


def test_close_leaves_no_open_file(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd")  # noqa: PTH208
    ledger = Ledger(ledger_files(tmp_path), 400)
    for number in range(5):
        ledger.append(fact(number))
    verify(ledger_files(tmp_path))
    ledger.close()
    assert os.listdir("/proc/self/fd") == before  # noqa: PTH208


# Removed files


def test_a_writer_records_that_its_folder_was_removed(tmp_path: Path) -> None:
    ledger = Ledger(ledger_files(tmp_path / "in"), LARGE)
    ledger.append(fact(0))
    shutil.rmtree(tmp_path / "in")
    ledger.append(fact(1))
    assert lines(tmp_path / "in" / "mine.jsonl")[0]["lost"]["head"] == 1
    assert not verify(ledger_files(tmp_path / "in")).is_whole
