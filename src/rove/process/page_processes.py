"""The processes of a browser in which pages run: how busy they are, and pausing them."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable

from rove.process.watchdog import living_processes

# Listing all processes of the machine takes milliseconds, so the list is used for this many seconds.
LIST_SECONDS = 0.5


class PageProcesses:
    """The page processes of the browser that leads a process group; none where the kernel does not list them."""

    def __init__(self, group: int | None) -> None:
        self._group = group
        self._pids: list[int] = []
        self._listed_at = -LIST_SECONDS

    def processor_times(self) -> dict[int, int]:
        """Return the nanoseconds that each page process has run, by its id."""
        if time.monotonic() - self._listed_at >= LIST_SECONDS:
            self._pids, self._listed_at = self.ids(), time.monotonic()
        return {pid: used for pid in self._pids if (used := _nanoseconds(pid))}

    def ids(self) -> list[int]:
        """Return the ids of the page processes that there are now."""
        if self._group is None or not os.path.exists("/proc/self/stat"):
            return []
        return [
            pid
            for pid, group in living_processes()
            if group == self._group and is_page_process(_read(f"/proc/{pid}/cmdline"))
        ]

    def pause(self, pids: Iterable[int]) -> None:
        _signal(pids, signal.SIGSTOP)

    def resume(self, pids: Iterable[int]) -> None:
        _signal(pids, signal.SIGCONT)


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself
            os.kill(pid, number)


def is_page_process(arguments: bytes) -> bool:
    """Return whether a process with these arguments runs pages: Chromium and Firefox mark those differently."""
    return b"--type=renderer" in arguments or b"-isForBrowser" in arguments


def _nanoseconds(pid: int) -> int:
    """Return how long all threads of a process have run."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return 0
    return sum(int((_read(f"/proc/{pid}/task/{thread}/schedstat") or b"0").split()[0]) for thread in threads)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # the process has ended meanwhile
        return b""
