"""What a server holds at one moment, and whether it holds more and more of it (Linux only)."""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rove.chromium.process.watchdog import living_processes, processes_of

PAGE = 4096
# The first part of a soak, in which caches fill and thread pools grow.
WARM_UP = 0.2
MOST_GROWTH = 0.05
# Handles come and go with the connections that pages hold open; a leak of one in each session would be far more.
SLACK_HANDLES = 20


@dataclass(frozen=True)
class Vitals:
    """One server's handles, threads, memory, processes and folders."""

    done: int
    rss: int
    handles: int
    threads: int
    children: int
    zombies: int
    browser_processes: int
    run_folders: int
    scraps: int

    @classmethod
    def of(cls, pid: int, home: Path, temporary: Path, done: int) -> Vitals:
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
            scraps=len(list(temporary.iterdir())),
        )


def run_folders(home: Path) -> list[Path]:
    return list((home / "run").iterdir()) if (home / "run").is_dir() else []


def groups(home: Path) -> set[int]:
    """The process groups that browsers of this home lead at the moment."""
    living = dict(living_processes())
    return {living[pid] for folder in run_folders(home) for pid in processes_of(folder) if pid in living}


def left_of(led: set[int]) -> list[int]:
    """Processes of groups that browsers have led."""
    return [pid for pid, group in living_processes() if group in led]


def faults(samples: Sequence[Vitals]) -> list[str]:
    """In what a server grew, or what it did not clear up, in sentences."""
    if not samples:
        return ["it ended before it could be looked at"]
    warm = [sample for sample in samples if sample.done >= samples[-1].done * WARM_UP]
    before, after = _middle(warm[: len(warm) // 3 or 1]), _middle(warm[-(len(warm) // 3 or 1) :])
    found: list[str] = []
    if (growth := after.rss / before.rss - 1) > MOST_GROWTH:
        found.append(f"memory grew by {growth:.1%}")
    if after.handles > before.handles + SLACK_HANDLES:
        found.append(f"handles grew from {before.handles} to {after.handles}")
    if after.threads > before.threads + 2:
        found.append(f"threads grew from {before.threads} to {after.threads}")
    # A child that has just died is waited for a moment later; one of an earlier sample never was.
    if min(sample.zombies for sample in warm[-3:]) > 0:
        found.append(f"{warm[-1].zombies} dead children were not waited for")
    if max(sample.run_folders for sample in warm) > 2:
        found.append("run folders were left behind")
    return found


def _middle(samples: Sequence[Vitals]) -> Vitals:
    """A sample of what is usual, so that one odd moment counts for nothing."""
    numbers = [tuple(vars(sample).values()) for sample in samples]
    return Vitals(*(int(statistics.median(column)) for column in zip(*numbers, strict=True)))


def _processes() -> Iterator[tuple[int, str]]:
    """Parent and state of every process."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):  # gone meanwhile
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                yield int(parent), state
