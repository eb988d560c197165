"""Whether memory is too short for another page."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator

import pytest
from tests.processes import eventually

from rove.browser.shared.machine import kill_largest_page, memory_in_use
from rove.engine import memory
from rove.engine.memory import Memory, memory_shortage

HOLD = "a = bytearray({megabytes} << 20); a[::4096] = b'x' * (len(a) // 4096); print('ready', flush=True); input()"


def start_process(megabytes: int, group: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", HOLD.format(megabytes=megabytes), "--type=renderer"]
    process = subprocess.Popen(command, process_group=group, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


@pytest.fixture
def group_of_two() -> Generator[list[subprocess.Popen[bytes]]]:
    """Two processes of one group, the second with five times as much memory."""
    first = start_process(20, 0)
    processes = [first, start_process(100, first.pid)]
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def test_the_memory_of_a_process_group_is_the_sum_of_its_processes(group_of_two: list[subprocess.Popen[bytes]]) -> None:
    held = memory_in_use(group_of_two[0].pid)
    assert held is not None
    assert 120 < held / 2**20 < 180


def test_the_memory_of_a_group_that_has_ended_is_unknown() -> None:
    gone = subprocess.Popen(["true"], start_new_session=True)
    gone.wait()
    assert memory_in_use(gone.pid) is None
    assert memory_shortage(256, None) is None


def test_a_browser_above_its_limit_is_a_shortage_of_its_own(group_of_two: list[subprocess.Popen[bytes]]) -> None:
    held = memory_in_use(group_of_two[0].pid)
    above, below = memory_shortage(100, held), memory_shortage(500, held)
    assert above is not None
    assert above.is_own
    assert "its limit is 100 MB" in above.sentence
    assert below is None


def test_only_the_largest_page_is_killed(group_of_two: list[subprocess.Popen[bytes]]) -> None:
    assert kill_largest_page(group_of_two[0].pid)
    assert group_of_two[1].wait(10) == -9
    assert group_of_two[0].poll() is None


def test_without_a_page_no_process_is_killed() -> None:
    assert not kill_largest_page(os.getpgid(0) if os.getpgid(0) != os.getpid() else 1)


@pytest.mark.parametrize(
    ("total", "available", "is_short"),
    [(24_000, 600, False), (24_000, 500, True), (1_000, 101, False), (1_000, 99, True)],
)
def test_a_tenth_of_the_machine_or_half_a_gigabyte_must_stay_free(
    monkeypatch: pytest.MonkeyPatch, total: int, available: int, is_short: bool
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: Memory(total << 20, available << 20))
    short = memory_shortage(None, None)
    assert (short is not None) == is_short
    assert short is None or (not short.is_own and f"only {available} MB" in short.sentence)


def test_a_system_with_unknown_memory_is_not_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    assert memory_shortage(None, None) is None


def test_by_default_a_browser_may_use_four_fifths(
    monkeypatch: pytest.MonkeyPatch, group_of_two: list[subprocess.Popen[bytes]]
) -> None:
    assert eventually(lambda: (memory_in_use(group_of_two[0].pid) or 0) > 120 << 20, 10)
    monkeypatch.setattr(memory, "available_memory", lambda: Memory(120 << 20, 100 << 20))
    short = memory_shortage(None, memory_in_use(group_of_two[0].pid))
    assert short is not None
    assert short.is_own
    assert "its limit is 96 MB" in short.sentence
