"""One folder per browser, tied to the life of this process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.processes import eventually

from rove.chromium.process import watchdog
from rove.chromium.process.run_folder import LOCK, RunFolder, sweep


def sleeper(folder: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(["sleep", "300"], env={**os.environ, watchdog.MARK: str(folder)})
    # Its environment can be read only a moment after it has been started.
    assert eventually(lambda: process.pid in watchdog.processes_of(folder), 10)
    return process


def leader(folder: Path) -> subprocess.Popen[bytes]:
    """A process that leads a group, as a browser does, and has been written down."""
    process = subprocess.Popen(["sleep", "300"], process_group=0)
    folder.mkdir(parents=True, exist_ok=True)
    watchdog.record_process(folder, process.pid)
    return process


def unmarked_child(group: int) -> subprocess.Popen[bytes]:
    """As Chromium's children are: in the browser's group, with a type, and without the mark."""
    environment = {name: value for name, value in os.environ.items() if name != watchdog.MARK}
    words = [sys.executable, "-c", "import time; time.sleep(300)", "--type=renderer"]
    process = subprocess.Popen(words, process_group=group, env=environment)
    assert eventually(lambda: (process.pid, group) in watchdog.living_processes(), 10)
    return process


def end(*processes: subprocess.Popen[bytes]) -> None:
    for process in processes:
        process.kill()
        process.wait()


def test_a_child_that_has_lost_the_mark_is_known_by_its_group(tmp_path: Path) -> None:
    main = leader(tmp_path / "kept")
    child = unmarked_child(main.pid)
    assert eventually(lambda: watchdog.processes_of(tmp_path / "kept") == [child.pid], 10)
    end(main)
    assert watchdog.processes_of(tmp_path / "kept") == [child.pid]
    watchdog.end_processes(tmp_path / "kept")
    assert child.wait(10) == -9


def test_a_child_that_is_stopped_is_ended_too(tmp_path: Path) -> None:
    main = leader(tmp_path / "kept")
    child = unmarked_child(main.pid)
    child.send_signal(signal.SIGSTOP)
    end(main)
    assert eventually(lambda: watchdog.processes_of(tmp_path / "kept") == [child.pid], 10)
    watchdog.end_processes(tmp_path / "kept")
    assert child.wait(10) == -9


@pytest.mark.parametrize(
    "written", ["{pid} {boot} 1", "{pid} another-boot {birth}", "{pid} another-boot gone", "", "x"]
)
def test_a_group_whose_number_was_given_to_another_is_spared(tmp_path: Path, written: str) -> None:
    main = leader(tmp_path / "kept")
    child = unmarked_child(main.pid)
    _, boot, birth = (tmp_path / "kept" / watchdog.RECORD).read_text().split()
    (tmp_path / "kept" / watchdog.RECORD).write_text(written.format(pid=main.pid, boot=boot, birth=birth))
    watchdog.end_processes(tmp_path / "kept")
    assert (main.poll(), child.poll()) == (None, None)
    end(main, child)


def test_others_in_the_group_that_are_no_children_of_a_browser_are_spared(tmp_path: Path) -> None:
    main = leader(tmp_path / "kept")
    other = subprocess.Popen(["sleep", "300"], process_group=main.pid)
    watchdog.end_processes(tmp_path / "kept")
    assert (main.poll(), other.poll()) == (None, None)
    end(main, other)


def test_a_link_to_a_folder_elsewhere_is_left_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / LOCK).touch()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "0123abcd").symlink_to(elsewhere)
    assert sweep(tmp_path / "run") == []
    assert (elsewhere / LOCK).exists()


def test_closing_ends_what_carries_the_mark_and_removes_the_folder(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    process = sleeper(folder.path)
    assert watchdog.processes_of(folder.path) == [process.pid]
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
    watching = subprocess.Popen([sys.executable, "-I", "-S", watchdog.__file__, str(folder)], stdin=subprocess.PIPE)
    assert process.poll() is None
    watching.communicate(timeout=20)
    assert process.wait(10) == -9
    assert not folder.exists()


def test_a_process_of_another_folder_is_spared(tmp_path: Path) -> None:
    process = sleeper(tmp_path / "kept-too")
    (tmp_path / "kept").mkdir()
    watchdog.end_processes(tmp_path / "kept")
    assert process.poll() is None
    process.kill()
    process.wait()
