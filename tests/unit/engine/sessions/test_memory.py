"""How much memory there is, read from what a kernel writes down."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.engine.sessions.memory import Memory, available_memory

MEMINFO = "MemTotal:       8000 kB\nMemFree:         100 kB\nMemAvailable:   5000 kB\nHugePages_Total:  0\n"


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A machine with 8,000 kB, of which 5,000 could be had."""
    write(tmp_path / "proc" / "meminfo", MEMINFO)
    return tmp_path


def write(path: Path, text: str | int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}")


def seen(system: Path) -> Memory | None:
    return available_memory(system / "proc", system / "cgroup")


def test_without_a_cage_it_is_the_machine_s(system: Path) -> None:
    assert seen(system) == Memory(8000 * 1024, 5000 * 1024)


def test_a_system_that_does_not_tell_is_not_guessed_at(tmp_path: Path) -> None:
    assert seen(tmp_path) is None


def test_a_control_group_of_version_2_bounds_it(system: Path) -> None:
    write(system / "proc" / "self" / "cgroup", "0::/house/room\n")
    write(system / "cgroup" / "house" / "room" / "memory.max", 1_000_000)
    write(system / "cgroup" / "house" / "room" / "memory.current", 700_000)
    write(
        system / "cgroup" / "house" / "room" / "memory.stat", "anon 500000\ninactive_file 150000\nactive_file 50000\n"
    )
    assert seen(system) == Memory(1_000_000, 450_000)


def test_the_tightest_of_the_groups_above_counts(system: Path) -> None:
    write(system / "proc" / "self" / "cgroup", "0::/house/room\n")
    write(system / "cgroup" / "house" / "room" / "memory.max", "max")
    write(system / "cgroup" / "house" / "room" / "memory.current", 700_000)
    write(system / "cgroup" / "house" / "memory.max", 2_000_000)
    write(system / "cgroup" / "house" / "memory.current", 1_900_000)
    assert seen(system) == Memory(2_000_000, 100_000)


def test_a_control_group_of_version_1_bounds_it(system: Path) -> None:
    write(system / "proc" / "self" / "cgroup", "5:devices:/\n4:memory:/room\n0::/\n")
    write(system / "cgroup" / "memory" / "room" / "memory.limit_in_bytes", 1_000_000)
    write(system / "cgroup" / "memory" / "room" / "memory.usage_in_bytes", 400_000)
    write(system / "cgroup" / "memory" / "room" / "memory.stat", "inactive_file 1\ntotal_inactive_file 100000\n")
    write(system / "cgroup" / "memory" / "memory.limit_in_bytes", 9223372036854771712)
    write(system / "cgroup" / "memory" / "memory.usage_in_bytes", 5_000_000)
    assert seen(system) == Memory(1_000_000, 700_000)


def test_a_path_of_the_host_s_that_is_not_to_be_seen_falls_back_to_the_root(system: Path) -> None:
    write(system / "proc" / "self" / "cgroup", "0::/system.slice/docker-1234.scope\n")
    write(system / "cgroup" / "memory.max", 3_000_000)
    write(system / "cgroup" / "memory.current", 1_000_000)
    assert seen(system) == Memory(3_000_000, 2_000_000)


def test_a_group_that_holds_more_than_it_may_has_nothing_left(system: Path) -> None:
    write(system / "proc" / "self" / "cgroup", "0::/\n")
    write(system / "cgroup" / "memory.max", 1_000)
    write(system / "cgroup" / "memory.current", 2_000)
    assert seen(system) == Memory(1_000, 0)
