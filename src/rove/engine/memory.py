"""How much memory there is, on the machine and in its control groups (cgroups), and when it is too short."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from rove.records import dataclass

PROC = Path("/proc")
CONTROL_GROUPS = Path("/sys/fs/cgroup")
# Control groups of version 1 write a number about this large where there is no limit.
UNLIMITED = 2**60
MEGABYTE = 2**20
# The part of all memory that the browser may use, unless the settings name a number.
BROWSER_SHARE = 0.8
# What must stay free for everything else, rove included: this part of all memory, but at most this many bytes.
FREE_SHARE = 0.1
MAX_FREE = 512 * MEGABYTE


@dataclass(frozen=True)
class Memory:
    """Bytes of memory: all, and those that a process could still get."""

    total: int
    available: int


def available_memory(proc: Path = PROC, control_groups: Path = CONTROL_GROUPS) -> Memory | None:
    """Return the memory within the tightest limit that applies; None if the system does not tell."""
    limits = [limit for limit in (_read_machine(proc), *_read_control_groups(proc, control_groups)) if limit]
    if not limits:
        return None
    return Memory(min(limit.total for limit in limits), min(limit.available for limit in limits))


def own_memory(proc: Path = PROC) -> int:
    """Return the bytes of memory that this process holds; 0 where the system does not tell."""
    pages = _read_text(proc / "self" / "statm").split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def return_free_memory() -> None:
    """Make the allocator return free memory to the system. A long-lived process would otherwise keep its peak."""
    import ctypes  # slow to load, and used by a background task only

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only glibc has it
    if trim is not None:
        trim(0)


def _read_machine(proc: Path) -> Memory | None:
    numbers = _read_numbers(proc / "meminfo")
    if "MemTotal:" not in numbers or "MemAvailable:" not in numbers:
        return None
    return Memory(numbers["MemTotal:"] * 1024, numbers["MemAvailable:"] * 1024)


def _read_control_groups(proc: Path, control_groups: Path) -> Iterator[Memory | None]:
    """Read every control group that this process is in, and those above it, since each may have a limit."""
    for line in _read_text(proc / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            for folder in _with_parents(control_groups, path):
                yield _read_control_group(folder, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            for folder in _with_parents(control_groups / "memory", path):
                yield _read_control_group(
                    folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
                )


def _with_parents(root: Path, path: str) -> Iterator[Path]:
    """Yield the folder at `path` and every folder above it, up to `root`."""
    # Inside a container the path may be the host's; only the root exists there.
    folder = root / path.strip("/")
    while folder != root:
        yield folder
        folder = folder.parent
    yield root


def _read_control_group(folder: Path, limit_file: str, usage_file: str, cache_key: str) -> Memory | None:
    limit, usage = _read_text(folder / limit_file).strip(), _read_text(folder / usage_file).strip()
    if not (limit.isdigit() and usage.isdigit()) or int(limit) >= UNLIMITED:
        return None
    # The kernel drops its cache of inactive files before it refuses memory, so that part is available.
    used = int(usage) - _read_numbers(folder / "memory.stat").get(cache_key, 0)
    return Memory(int(limit), max(int(limit) - used, 0))


def _read_numbers(path: Path) -> dict[str, int]:
    """Return the lines of a file that are a name and a number."""
    rows = (line.split() for line in _read_text(path).splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _read_text(path: Path) -> str:
    """Return the text of a file; an empty one if it cannot be read, as on other systems than Linux."""
    try:
        return path.read_text()
    except OSError:
        return ""


@dataclass(frozen=True)
class MemoryShortage:
    """Says in a sentence what is short. `is_own`: the browser is above its limit, as opposed to a full machine."""

    sentence: str
    is_own: bool


def memory_shortage(limit_megabytes: int | None, browser_bytes: int | None) -> MemoryShortage | None:
    """Compare the free memory, and that of the browser if it is known, with their limits; None if there is room."""
    memory = available_memory()
    limit = limit_megabytes * MEGABYTE if limit_megabytes else memory.total * BROWSER_SHARE if memory else None
    if limit is not None and browser_bytes is not None and browser_bytes > limit:
        sentence = f"The browser uses {_format(browser_bytes)} of memory, and its limit is {_format(limit)}."
        return MemoryShortage(sentence, True)
    if memory is not None and memory.available < min(memory.total * FREE_SHARE, MAX_FREE):
        return MemoryShortage(f"This machine has only {_format(memory.available)} of memory left.", False)
    return None


def _format(size: float) -> str:
    return f"{size / MEGABYTE:.0f} MB"
