"""How much memory there is, for the machine and for the cage that we may be kept in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rove.record import dataclass

PROC = Path("/proc")
CONTROL_GROUPS = Path("/sys/fs/cgroup")
# A limit as high as this is none: version 1 writes down a number where it means "unlimited".
UNLIMITED = 2**60


@dataclass(frozen=True)
class Memory:
    """Bytes: all that there is, and what of it could be had now."""

    total: int
    available: int


def available_memory(proc: Path = PROC, control_groups: Path = CONTROL_GROUPS) -> Memory | None:
    """The tightest of what bounds us; None where the system does not tell."""
    bounds = [bound for bound in (_machine(proc), *_control_groups(proc, control_groups)) if bound is not None]
    if not bounds:
        return None
    return Memory(min(bound.total for bound in bounds), min(bound.available for bound in bounds))


def return_free_memory() -> None:
    """Have the allocator return what is free: a process that lives for long would else keep the peak of every page."""
    import ctypes  # slow to load, and nobody waits for this

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's own
    if trim is not None:
        trim(0)


def _machine(proc: Path) -> Memory | None:
    facts = _facts(proc / "meminfo")
    if "MemTotal:" not in facts or "MemAvailable:" not in facts:
        return None
    return Memory(facts["MemTotal:"] * 1024, facts["MemAvailable:"] * 1024)


def _control_groups(proc: Path, control_groups: Path) -> Iterator[Memory | None]:
    """Every control group that we are in, and those that it is in, for each of them may have a limit."""
    for line in _text(proc / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            for folder in _upwards(control_groups, path):
                yield _control_group(folder, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            for folder in _upwards(control_groups / "memory", path):
                yield _control_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def _upwards(root: Path, path: str) -> Iterator[Path]:
    # Inside a container the path may be the host's, of which only the root is to be seen here.
    folder = root / path.strip("/")
    while folder != root:
        yield folder
        folder = folder.parent
    yield root


def _control_group(folder: Path, limit: str, usage: str, idle_cache: str) -> Memory | None:
    most, used = _text(folder / limit).strip(), _text(folder / usage).strip()
    if not (most.isdigit() and used.isdigit()) or int(most) >= UNLIMITED:
        return None
    # Files that were read once and not again are given up before anything is refused.
    held = int(used) - _facts(folder / "memory.stat").get(idle_cache, 0)
    return Memory(int(most), max(int(most) - held, 0))


def _facts(path: Path) -> dict[str, int]:
    rows = (line.split() for line in _text(path).splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
