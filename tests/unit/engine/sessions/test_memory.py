"""How much memory there is, read from the files of the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.engine.memory import Memory, available_memory

MEMINFO = "MemTotal:       8000 kB\nMemFree:         100 kB\nMemAvailable:   5000 kB\nHugePages_Total:  0\n"


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A machine with 8,000 kB of memory, of which 5,000 are available."""
    write(tmp_path / "proc" / "meminfo", MEMINFO)
    return tmp_path


def write(path: Path, text: str | int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}")


def measure(system: Path) -> Memory | None:
    return available_memory(system / "proc", system / "cgroup")


def test_without_a_control_group_the_memory_of_the_machine_counts(system: Path) -> None:
    assert measure(system) == Memory(8000 * 1024, 5000 * 1024)


def test_a_system_without_these_files_has_no_known_memory(tmp_path: Path) -> None:
    assert measure(tmp_path) is None


def test_a_control_group_of_version_2_limits_it(system: Path) -> None:
    write(system / "proc" / "self" / "cgroup", "0::/parent/child\n")
    write(system / "cgroup" / "parent" / "child" / "memory.max", 1_000_000)
    write(system / "cgroup" / "parent" / "child" / "memory.current", 700_000)
    write(
        system / "cgroup" / "parent" / "child" / "memory.stat", "anon 500000\ninactive_file 150000\nactive_file 50000\n"
    )
    assert measure(system) == Memory(1_000_000, 450_000)


def test_the_tightest_of_the_groups_above_counts(system: Path) -> None:
    write(system / "proc" / "self" / "cgroup", "0::/parent/child\n")
    write(system / "cgroup" / "parent" / "child" / "memory.max", "max")
    write(system / "cgroup" / "parent" / "child" / "memory.current", 700_000)
    write(system / "cgroup" / "parent" / "memory.max", 2_000_000)
    write(system / "cgroup" / "parent" / "memory.current", 1_900_000)
    assert measure(system) == Memory(2_000_000, 100_000)


def test_a_control_group_of_version_1_limits_it(system: Path) -> None:
    write(system / "proc" / "self" / "cgroup", "5:devices:/\n4:memory:/child\n0::/\n")
    write(system / "cgroup" / "memory" / "child" / "memory.limit_in_bytes", 1_000_000)
    write(system / "cgroup" / "memory" / "child" / "memory.usage_in_bytes", 400_000)
    write(system / "cgroup" / "memory" / "child" / "memory.stat", "inactive_file 1\ntotal_inactive_file 100000\n")
    write(system / "cgroup" / "memory" / "memory.limit_in_bytes", 9223372036854771712)
    write(system / "cgroup" / "memory" / "memory.usage_in_bytes", 5_000_000)
    assert measure(system) == Memory(1_000_000, 700_000)


def test_a_path_of_the_host_that_is_missing_in_a_container_falls_back_to_the_root(system: Path) -> None:
    write(system / "proc" / "self" / "cgroup", "0::/system.slice/docker-1234.scope\n")
    write(system / "cgroup" / "memory.max", 3_000_000)
    write(system / "cgroup" / "memory.current", 1_000_000)
    assert measure(system) == Memory(3_000_000, 2_000_000)


def test_a_group_above_its_limit_has_nothing_left(system: Path) -> None:
    write(system / "proc" / "self" / "cgroup", "0::/\n")
    write(system / "cgroup" / "memory.max", 1_000)
    write(system / "cgroup" / "memory.current", 2_000)
    assert measure(system) == Memory(1_000, 0)
