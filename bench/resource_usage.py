"""Memory, handles, threads and processes of a server, and whether they grow (Linux only)."""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rove.browser.shared.watchdog import living_processes, processes_of

PAGE = 4096
# The share of a soak in which caches fill and thread pools grow.
WARM_UP = 0.2
MOST_GROWTH = 0.05
# Handles vary with the open connections of pages; a leak of one in each session would be far more.
SLACK_HANDLES = 20


@dataclass(frozen=True)
class ResourceUsage:
    """One server's handles, threads, memory, processes and folders."""

    done: int
    rss: int
    handles: int
    threads: int
    children: int
    zombies: int
    browser_processes: int
    run_folders: int
    temporary_files: int

    @classmethod
    def of(cls, pid: int, home: Path, temporary: Path, done: int) -> ResourceUsage:
        children = [state for parent, state in _processes() if parent == pid]
        folders = run_folders(home)
        return cls(
            done=done,
            rss=int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE,
            handles=len(list(Path(f"/proc/{pid}/fd").iterdir())),
            threads=len(list(Path(f"/proc/{pid}/task").iterdir())),
            children=len(children),
            zombies=children.count("Z"),
            browser_processes=sum(len(processes_of(folder)) for folder in folders),
            run_folders=len(folders),
            temporary_files=len(list(temporary.iterdir())),
        )


def run_folders(home: Path) -> list[Path]:
    return list((home / "run").iterdir()) if (home / "run").is_dir() else []


def groups(home: Path) -> set[int]:
    """Return the process groups of the running browsers of this home."""
    living = dict(living_processes())
    return {living[pid] for folder in run_folders(home) for pid in processes_of(folder) if pid in living}


def processes_in(process_groups: set[int]) -> list[int]:
    """Return the running processes of these groups."""
    return [pid for pid, group in living_processes() if group in process_groups]


def faults(samples: Sequence[ResourceUsage]) -> list[str]:
    """Return a sentence for each resource that grew or was not cleaned up."""
    if not samples:
        return ["it ended before the first sample"]
    warm = [sample for sample in samples if sample.done >= samples[-1].done * WARM_UP]
    before, after = _median(warm[: len(warm) // 3 or 1]), _median(warm[-(len(warm) // 3 or 1) :])
    found: list[str] = []
    if (growth := after.rss / before.rss - 1) > MOST_GROWTH:
        found.append(f"memory grew by {growth:.1%}")
    if after.handles > before.handles + SLACK_HANDLES:
        found.append(f"handles grew from {before.handles} to {after.handles}")
    if after.threads > before.threads + 2:
        found.append(f"threads grew from {before.threads} to {after.threads}")
    # A child that has just died is waited for soon; one that is in several samples never was.
    if min(sample.zombies for sample in warm[-3:]) > 0:
        found.append(f"{warm[-1].zombies} dead children were not waited for")
    if max(sample.run_folders for sample in warm) > 2:
        found.append("run folders were left behind")
    return found


def _median(samples: Sequence[ResourceUsage]) -> ResourceUsage:
    """Return the median of each number, so that one unusual sample does not count."""
    numbers = [tuple(vars(sample).values()) for sample in samples]
    return ResourceUsage(*(int(statistics.median(column)) for column in zip(*numbers, strict=True)))


def _processes() -> Iterator[tuple[int, str]]:
    """Yield parent and state of every process."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):  # it has ended
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                yield int(parent), state
