"""Finds the processes that a server started, daemons too, by a variable in their environment (Linux only)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.browser import is_browser

MARK = "BENCH_SERVER"


@dataclass(frozen=True)
class Process:
    """One running process."""

    pid: int
    parent: int
    is_browser: bool


def family(mark: str) -> list[Process]:
    """Return the processes with the mark and their descendants, because Chromium's children lose it."""
    living = {process.pid: process for process in _living()}
    found = {pid for pid in living if _carries(pid, mark)}
    grew = True
    while grew:
        children = {pid for pid, process in living.items() if process.parent in found} - found
        found |= children
        grew = bool(children)
    return [living[pid] for pid in sorted(found)]


async def gone(mark: str, patience: float) -> bool:
    """Wait up to `patience` seconds until no process with the mark is left; return whether that is so."""
    deadline = time.monotonic() + patience
    while family(mark):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.02)
    return True


async def end(mark: str) -> int:
    """Kill the remaining processes and return how many there were; after a clean close there are none."""
    left = family(mark)
    remaining = left
    while remaining:
        for process in remaining:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        # Repeat, because a process may have started another before it was killed.
        remaining = [] if await gone(mark, patience=0.5) else family(mark)
    return len(left)


def _living() -> Iterator[Process]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                yield _read(folder)


def _read(folder: Path) -> Process:
    # The name in brackets may hold anything, so fields are counted from its end.
    state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
    if state == "Z":
        raise ProcessLookupError
    return Process(int(folder.name), int(parent), is_browser(str((folder / "exe").readlink())))


def _carries(pid: int, mark: str) -> bool:
    with contextlib.suppress(OSError):
        return f"{MARK}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return False
