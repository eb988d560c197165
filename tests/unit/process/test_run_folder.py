"""Run folders: created, closed, swept, and cleaned up by the watchdog."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.processes import eventually

from rove.browser.shared import watchdog
from rove.browser.shared.process import LOCK_FILE, RunFolder, sweep


def start_process(folder: Path) -> subprocess.Popen[bytes]:
    """Start a process with the variable of a run folder."""
    process = subprocess.Popen(["sleep", "300"], env={**os.environ, watchdog.RUN_FOLDER_VARIABLE: str(folder)})
    # The kernel shows its environment only a moment after the start.
    assert eventually(lambda: process.pid in watchdog.processes_of(folder), 10)
    return process


def start_leader(folder: Path) -> subprocess.Popen[bytes]:
    """Start a process that leads a group, as a browser does, and record it in a run folder."""
    process = subprocess.Popen(["sleep", "300"], process_group=0)
    folder.mkdir(parents=True, exist_ok=True)
    watchdog.record_process(folder, process.pid)
    assert (folder / watchdog.PROCESS_FILE).stat().st_mode & 0o077 == 0
    return process


def start_unmarked_child(group: int) -> subprocess.Popen[bytes]:
    """Start a process like a child of Chromium: in the browser's group, with a type, and without the variable."""
    environment = {name: value for name, value in os.environ.items() if name != watchdog.RUN_FOLDER_VARIABLE}
    command = [sys.executable, "-c", "import time; time.sleep(300)", "--type=renderer"]
    process = subprocess.Popen(command, process_group=group, env=environment)
    assert eventually(lambda: (process.pid, group) in watchdog.living_processes(), 10)
    return process


def kill(*processes: subprocess.Popen[bytes]) -> None:
    for process in processes:
        process.kill()
        process.wait()


def test_a_child_without_the_variable_is_found_by_its_group(tmp_path: Path) -> None:
    main = start_leader(tmp_path / "folder")
    child = start_unmarked_child(main.pid)
    assert eventually(lambda: watchdog.processes_of(tmp_path / "folder") == sorted([main.pid, child.pid]), 10)
    kill(main)
    assert watchdog.processes_of(tmp_path / "folder") == [child.pid]
    watchdog.clean_up(tmp_path / "folder")
    assert child.wait(10) == -9


def test_a_browser_that_has_just_started_is_killed_before_its_variables_can_be_read(tmp_path: Path) -> None:
    main = start_leader(tmp_path / "folder")
    watchdog.clean_up(tmp_path / "folder")
    assert main.wait(10) == -9


def test_a_stopped_child_is_killed_too(tmp_path: Path) -> None:
    main = start_leader(tmp_path / "folder")
    child = start_unmarked_child(main.pid)
    child.send_signal(signal.SIGSTOP)
    kill(main)
    assert eventually(lambda: watchdog.processes_of(tmp_path / "folder") == [child.pid], 10)
    watchdog.clean_up(tmp_path / "folder")
    assert child.wait(10) == -9


@pytest.mark.parametrize("record", ["{pid} {boot} 1", "{pid} another-boot {start}", "{pid} another-boot gone", "", "x"])
def test_a_group_whose_number_was_reused_is_left_alone(tmp_path: Path, record: str) -> None:
    main = start_leader(tmp_path / "folder")
    child = start_unmarked_child(main.pid)
    _, boot, start = (tmp_path / "folder" / watchdog.PROCESS_FILE).read_text().split()
    (tmp_path / "folder" / watchdog.PROCESS_FILE).write_text(record.format(pid=main.pid, boot=boot, start=start))
    watchdog.clean_up(tmp_path / "folder")
    assert (main.poll(), child.poll()) == (None, None)
    kill(main, child)


def test_processes_of_the_group_that_are_no_children_of_a_browser_are_left_alone(tmp_path: Path) -> None:
    main = start_leader(tmp_path / "folder")
    other = subprocess.Popen(["sleep", "300"], process_group=main.pid)
    watchdog.clean_up(tmp_path / "folder")
    assert main.wait(10) == -9
    assert other.poll() is None
    kill(other)


def test_a_link_to_a_folder_elsewhere_is_left_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / LOCK_FILE).touch()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "0123abcd").symlink_to(elsewhere)
    assert sweep(tmp_path / "run") == []
    assert (elsewhere / LOCK_FILE).exists()


def test_closing_kills_the_processes_of_the_folder_and_removes_it(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    process = start_process(folder.path)
    assert watchdog.processes_of(folder.path) == [process.pid]
    folder.close()
    assert process.wait(10) == -9
    assert not folder.path.exists()


def test_closing_twice_is_harmless(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    folder.close()
    folder.close()


def test_only_its_owner_can_read_a_folder(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    assert folder.path.stat().st_mode & 0o777 == 0o700
    folder.close()


def test_a_folder_in_use_is_not_swept(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    assert sweep(tmp_path / "run") == []
    assert folder.path.exists()
    folder.close()


def test_a_folder_whose_owner_is_dead_is_swept_with_its_processes(tmp_path: Path) -> None:
    abandoned = tmp_path / "run" / "dead"
    abandoned.mkdir(parents=True)
    (abandoned / LOCK_FILE).touch()
    process = start_process(abandoned)
    assert sweep(tmp_path / "run") == [abandoned]
    assert process.wait(10) == -9
    assert not abandoned.exists()


def test_a_folder_that_is_being_created_is_left_alone(tmp_path: Path) -> None:
    unfinished = tmp_path / "run" / "0123abcd"
    unfinished.mkdir(parents=True)
    assert sweep(tmp_path / "run") == []
    assert unfinished.exists()


def test_a_folder_whose_owner_died_before_locking_it_is_swept_later(tmp_path: Path) -> None:
    old = tmp_path / "run" / "0123abcd"
    old.mkdir(parents=True)
    (old / f".{LOCK_FILE}").touch()
    long_ago = time.time() - 3600
    os.utime(old, (long_ago, long_ago))
    assert sweep(tmp_path / "run") == [old]
    assert not old.exists()


def test_a_folder_that_is_no_run_folder_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "run" / "notes"
    other.mkdir(parents=True)
    os.utime(other, (0, 0))
    assert sweep(tmp_path / "run") == []


def test_without_a_run_folder_there_is_nothing_to_sweep(tmp_path: Path) -> None:
    assert sweep(tmp_path / "run") == []


def test_the_watchdog_kills_the_processes_and_removes_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    process = start_process(folder)
    watchdog_process = subprocess.Popen(
        [sys.executable, "-I", "-S", watchdog.__file__, str(folder)], stdin=subprocess.PIPE
    )
    assert process.poll() is None
    watchdog_process.communicate(timeout=20)
    assert process.wait(10) == -9
    assert not folder.exists()


def test_a_process_of_another_folder_is_left_alone(tmp_path: Path) -> None:
    process = start_process(tmp_path / "other")
    (tmp_path / "folder").mkdir()
    watchdog.clean_up(tmp_path / "folder")
    assert process.poll() is None
    process.kill()
    process.wait()
