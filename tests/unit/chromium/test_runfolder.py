"""One folder per browser, tied to the life of this process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.processes import eventually

from rove.chromium import keeper
from rove.chromium.runfolder import LOCK, RunFolder, sweep


def sleeper(folder: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(["sleep", "300"], env={**os.environ, keeper.MARK: str(folder)})
    # Its environment can be read only a moment after it has been started.
    assert eventually(lambda: process.pid in keeper.processes_of(folder), 10)
    return process


def test_closing_ends_what_carries_the_mark_and_removes_the_folder(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    process = sleeper(folder.path)
    assert keeper.processes_of(folder.path) == [process.pid]
    folder.close()
    assert process.wait(10) == -9
    assert not folder.path.exists()


def test_closing_twice_is_harmless(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    folder.close()
    folder.close()


def test_only_its_owner_can_look_into_it(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    assert folder.path.stat().st_mode & 0o777 == 0o700
    folder.close()


def test_a_folder_in_use_is_not_swept(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    assert sweep(tmp_path / "run") == []
    assert folder.path.exists()
    folder.close()


def test_a_folder_whose_owner_is_dead_is_swept_with_its_processes(tmp_path: Path) -> None:
    left = tmp_path / "run" / "dead"
    left.mkdir(parents=True)
    (left / LOCK).touch()
    process = sleeper(left)
    assert sweep(tmp_path / "run") == [left]
    assert process.wait(10) == -9
    assert not left.exists()


def test_a_folder_that_is_just_being_made_is_left_alone(tmp_path: Path) -> None:
    young = tmp_path / "run" / "0123abcd"
    young.mkdir(parents=True)
    assert sweep(tmp_path / "run") == []
    assert young.exists()


def test_a_folder_whose_maker_died_before_it_was_locked_is_swept_later(tmp_path: Path) -> None:
    old = tmp_path / "run" / "0123abcd"
    old.mkdir(parents=True)
    (old / f".{LOCK}").touch()
    long_ago = time.time() - 3600
    os.utime(old, (long_ago, long_ago))
    assert sweep(tmp_path / "run") == [old]
    assert not old.exists()


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "run" / "notes"
    other.mkdir(parents=True)
    os.utime(other, (0, 0))
    assert sweep(tmp_path / "run") == []


def test_without_a_run_folder_there_is_nothing_to_sweep(tmp_path: Path) -> None:
    assert sweep(tmp_path / "run") == []


def test_the_keeper_clears_up_when_its_owner_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    process = sleeper(folder)
    watching = subprocess.Popen([sys.executable, "-I", "-S", keeper.__file__, str(folder)], stdin=subprocess.PIPE)
    assert process.poll() is None
    watching.communicate(timeout=20)
    assert process.wait(10) == -9
    assert not folder.exists()


def test_a_process_of_another_folder_is_spared(tmp_path: Path) -> None:
    process = sleeper(tmp_path / "kept-too")
    (tmp_path / "kept").mkdir()
    keeper.clear(tmp_path / "kept")
    assert process.poll() is None
    process.kill()
    process.wait()
