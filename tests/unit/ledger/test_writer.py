"""Appending: by several at once, across files, after a crash."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from tests.unit.ledger.ledgers import LARGE, fact, lines, volumes_in, written

from rove.ledger import writer
from rove.ledger.chain import BEGINNING, ChainedLine, seal
from rove.ledger.files import LedgerFiles, locked, open_to_read
from rove.ledger.verification import verify
from rove.ledger.writer import Ledger


def test_lines_are_numbered_and_chained(tmp_path: Path) -> None:
    said = lines(written(tmp_path, 3).current)
    assert [line["seq"] for line in said] == [1, 2, 3]
    assert [line["prev"] for line in said] == ["0" * 64, said[0]["hash"], said[1]["hash"]]


def test_the_head_names_the_last_line(tmp_path: Path) -> None:
    volumes = written(tmp_path, 2)
    last = lines(volumes.current)[-1]
    assert volumes.head.read_text() == f"{2:020d} {last['hash']}\n"


def test_another_writer_goes_on_where_the_first_ended(tmp_path: Path) -> None:
    one, other = (Ledger(volumes_in(tmp_path), LARGE) for _ in range(2))
    for number in range(6):
        (one, other)[number % 2].append(fact(number))
    assert verify(volumes_in(tmp_path)).entries == 6


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir(mode=0o755)
    (tmp_path / "sessions" / "mine.jsonl").touch(mode=0o644)
    volumes = written(tmp_path / "sessions", 1)
    for path, mode in ((volumes.folder, 0o700), (volumes.current, 0o600), (volumes.head, 0o600)):
        assert path.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("name", ["mine.jsonl", "mine.head"])
def test_a_link_is_not_followed(tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch()
    (tmp_path / name).symlink_to(elsewhere)
    with pytest.raises(OSError, match="symbolic"):
        written(tmp_path, 1)
    assert elsewhere.read_bytes() == b""


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mine.jsonl")
    with pytest.raises(OSError, match="regular"):
        written(tmp_path, 1)


def test_names_that_are_no_file_names_stay_in_the_folder(tmp_path: Path) -> None:
    Ledger(LedgerFiles(tmp_path / "in", "../a/b~1"), LARGE).append(fact(0))
    assert sorted(path.name for path in (tmp_path / "in").iterdir()) == [
        "..%2Fa%2Fb%7E1.head", "..%2Fa%2Fb%7E1.jsonl"
    ]  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


# Full files


def test_a_full_file_is_numbered_and_the_next_says_which_it_follows(tmp_path: Path) -> None:
    volumes = written(tmp_path, 5, largest=400)
    first, second, third = (lines(path) for path in [*volumes.older(), volumes.current])
    assert [line["seq"] for line in first + second + third] == [1, 2, 3, 4, 5]
    assert ("follows" in first[0], second[0]["follows"], third[0]["follows"]) == (False, "mine~1.jsonl", "mine~2.jsonl")
    assert second[0]["prev"] == first[-1]["hash"]


def test_numbers_are_counted_and_not_spelled(tmp_path: Path) -> None:
    volumes = written(tmp_path, 12, largest=1)
    assert [path.name for path in volumes.older()] == [f"mine~{number}.jsonl" for number in range(1, 12)]
    assert verify(volumes).is_whole


def test_a_session_whose_name_ends_in_a_number_keeps_its_own_files(tmp_path: Path) -> None:
    volumes = written(tmp_path, 3, largest=1)
    for name in ("mine.1", "mine~1"):
        Ledger(LedgerFiles(tmp_path, name), LARGE).append({"session": name})
        assert verify(LedgerFiles(tmp_path, name)).entries == 1
    assert verify(volumes).entries == 3


def test_a_number_is_not_given_again_when_older_files_have_been_moved_away(tmp_path: Path) -> None:
    volumes = written(tmp_path, 3, largest=1)
    for path in volumes.older():
        path.unlink()
    written(tmp_path, 1, largest=1)
    assert [path.name for path in volumes.older()] == ["mine~3.jsonl"]


def test_a_crash_between_two_files_is_gone_on_from(tmp_path: Path) -> None:
    volumes = written(tmp_path, 2)
    volumes.current.rename(volumes.numbered(1))
    written(tmp_path, 1)
    assert lines(volumes.current)[0]["follows"] == "mine~1.jsonl"
    assert verify(volumes).entries == 3


def test_only_so_many_full_files_are_kept_and_what_left_is_on_record(tmp_path: Path) -> None:
    volumes = written(tmp_path, 6, largest=1, keep=2)
    assert [path.name for path in volumes.older()] == ["mine~4.jsonl", "mine~5.jsonl"]
    assert lines(volumes.current)[0]["dropped"] == ["mine~3.jsonl"]
    verdict = verify(volumes)
    assert (verdict.is_whole, verdict.entries, verdict.last.seq) == (True, 3, 6)


# Crashes


def torn_after(folder: Path, count: int) -> tuple[LedgerFiles, bytes]:
    """A ledger with so many entries more, whose last write was broken off by a crash."""
    volumes = written(folder, count)
    _, line = seal(_last(volumes), fact(count))
    torn = line[: len(line) // 2]
    with volumes.current.open("ab") as file:
        file.write(torn)
    return volumes, torn


def _last(volumes: LedgerFiles) -> ChainedLine:
    volumes.current.touch()
    file = open_to_read(volumes.current)
    try:
        link, _ = writer.last_link(file, os.fstat(file).st_size)
    finally:
        os.close(file)
    return link or BEGINNING


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_torn_line_is_kept_noted_and_gone_on_from(tmp_path: Path, count: int) -> None:
    volumes, torn = torn_after(tmp_path, count)
    written(tmp_path, 2)
    assert volumes.current.read_bytes().splitlines()[count] == torn
    said = [line for line in volumes.current.read_bytes().splitlines() if line != torn]
    verdict = verify(volumes)
    assert (verdict.is_whole, verdict.entries, len(said)) == (True, count + 2, count + 2)
    assert verdict.torn == (f"mine.jsonl line {count + 1}",)
    assert b'"torn": {"bytes": %d' % (len(torn) + 1) in said[count]
    assert b'"torn"' not in said[count + 1]


def test_a_torn_line_is_noticed_by_a_writer_that_had_the_file_open(tmp_path: Path) -> None:
    ledger = Ledger(volumes_in(tmp_path), LARGE)
    ledger.append(fact(0))
    volumes, _ = torn_after(tmp_path, 0)
    ledger.append(fact(1))
    verdict = verify(volumes)
    assert (verdict.is_whole, verdict.entries, len(verdict.torn)) == (True, 2, 1)


def test_a_crash_while_recovering_from_a_crash_is_recovered_from(tmp_path: Path) -> None:
    volumes, torn = torn_after(tmp_path, 2)
    with volumes.current.open("ab") as file:
        file.write(b"\n" + torn[:20])
    assert verify(volumes).is_whole
    written(tmp_path, 1)
    verdict = verify(volumes)
    assert verdict.is_whole
    assert verdict.torn == ("mine.jsonl line 3", "mine.jsonl line 4")


def test_a_line_that_lacks_only_its_end_counts(tmp_path: Path) -> None:
    volumes = written(tmp_path, 2)
    volumes.current.write_bytes(volumes.current.read_bytes()[:-1])
    assert verify(volumes).entries == 2
    written(tmp_path, 1)
    verdict = verify(volumes)
    assert (verdict.is_whole, verdict.entries, verdict.torn) == (True, 3, ())


def test_a_file_that_ends_in_zeros_after_a_power_cut_is_torn(tmp_path: Path) -> None:
    volumes = written(tmp_path, 2)
    with volumes.current.open("ab") as file:
        file.write(bytes(300))
    written(tmp_path, 1)
    verdict = verify(volumes)
    assert (verdict.is_whole, verdict.entries, verdict.torn) == (True, 3, ("mine.jsonl line 3",))


def test_a_torn_line_longer_than_what_is_read_at_once_is_found(tmp_path: Path) -> None:
    volumes = written(tmp_path, 1)
    _, line = seal(_last(volumes), {"session": "mine", "data": "x" * 3 * writer.WINDOW})
    with volumes.current.open("ab") as file:
        file.write(line[:-100])
    written(tmp_path, 1)
    verdict = verify(volumes)
    assert (verdict.is_whole, verdict.entries, len(verdict.torn)) == (True, 2, 1)


def test_a_process_that_died_before_it_moved_the_head_did_no_harm(tmp_path: Path) -> None:
    volumes = written(tmp_path, 2)
    head = volumes.head.read_bytes()
    written(tmp_path, 1)
    volumes.head.write_bytes(head)
    verdict = verify(volumes)
    assert verdict.is_whole
    assert len(verdict.remarks) == 1
    written(tmp_path, 1)
    assert verify(volumes).remarks == ()


# What stops it


def test_a_write_that_fails_leaves_nothing_and_can_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    volumes = volumes_in(tmp_path)
    ledger = Ledger(volumes, LARGE)
    ledger.append(fact(0))
    before = volumes.current.read_bytes(), volumes.head.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", _short_of_room)
        with pytest.raises(OSError, match="No space left"):
            ledger.append(fact(1))
    assert (volumes.current.read_bytes(), volumes.head.read_bytes()) == before
    ledger.append(fact(1))
    verdict = verify(volumes)
    assert (verdict.is_whole, verdict.entries, verdict.torn) == (True, 2, ())


def _short_of_room(file: int, data: bytes) -> int:
    """As a disk does: what fits is written, and the rest refused."""
    if len(data) < 20:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return os.writev(file, [data[:-19]])


def test_a_disk_with_hardly_any_room_is_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(volumes_in(tmp_path), LARGE)
    ledger.ready()
    monkeypatch.setattr(writer, "ROOM", 1 << 62)
    with pytest.raises(OSError, match="No space left"):
        ledger.ready()


def test_who_waits_for_a_lock_gives_up_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.ledger.files.PATIENCE", 0.05)
    volumes = written(tmp_path, 1)
    file = open_to_read(volumes.current)
    with locked(file), pytest.raises(TimeoutError):
        written(tmp_path, 1)
    os.close(file)
    written(tmp_path, 1)
    assert verify(volumes).entries == 2


def test_nothing_is_left_open(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd")  # noqa: PTH208
    ledger = Ledger(volumes_in(tmp_path), 400)
    for number in range(5):
        ledger.append(fact(number))
    verify(volumes_in(tmp_path))
    ledger.close()
    assert os.listdir("/proc/self/fd") == before  # noqa: PTH208


# What is gone


def test_a_folder_that_was_removed_under_a_writer_is_on_record(tmp_path: Path) -> None:
    ledger = Ledger(volumes_in(tmp_path / "in"), LARGE)
    ledger.append(fact(0))
    shutil.rmtree(tmp_path / "in")
    ledger.append(fact(1))
    assert lines(tmp_path / "in" / "mine.jsonl")[0]["lost"]["head"] == 1
    assert not verify(volumes_in(tmp_path / "in")).is_whole
