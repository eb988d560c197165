"""Memory of a server, and of its browser."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.processes import Process, family


@dataclass(frozen=True)
class Memory:
    """Bytes, summed over processes. RSS counts a shared page once per process, PSS once in all."""

    server_rss: int
    server_pss: int
    browser_rss: int
    browser_pss: int
    server_processes: int
    browser_processes: int


def measure(mark: str) -> Memory:
    """Measure all processes of one server."""
    processes = family(mark)
    server = [process for process in processes if not process.is_browser]
    browser = [process for process in processes if process.is_browser]
    return Memory(
        server_rss=_total(server, "Rss"),
        server_pss=_total(server, "Pss"),
        browser_rss=_total(browser, "Rss"),
        browser_pss=_total(browser, "Pss"),
        server_processes=len(server),
        browser_processes=len(browser),
    )


def _total(processes: Iterable[Process], field: str) -> int:
    return sum(bytes_of(process.pid, field) for process in processes)


def bytes_of(pid: int, field: str) -> int:
    """Return a field of the memory of a process: Rss, or Pss, with its share of what it shares with others."""
    # A process may end between being listed and being read.
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    return 0
