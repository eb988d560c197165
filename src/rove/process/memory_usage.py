"""How much memory all processes of a browser hold together."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from rove.process.page_processes import is_page_process
from rove.process.watchdog import living_processes
from rove.validation.record import dataclass

PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class ProcessMemory:
    """Bytes that one process holds alone, and bytes that it may share with others."""

    pid: int
    own: int
    shared: int
    is_page: bool


def memory_in_use(group: int) -> int | None:
    """Return the bytes that the processes of a group hold; None where the kernel does not say.

    This adds up what each process holds alone, and the largest shared part once. The sum is somewhat more than the
    exact number (PSS), which takes the kernel milliseconds for each process; this takes 3 ms in all.
    """
    processes = list(_processes_in(group))
    return sum(each.own for each in processes) + max(each.shared for each in processes) if processes else None


def kill_largest_page(group: int) -> bool:
    """Kill the page process that holds the most memory; its tabs are reported as crashed. False if there is none."""
    pages = [process for process in _processes_in(group) if process.is_page]
    if not pages:
        return False
    with contextlib.suppress(ProcessLookupError):  # it has ended by itself
        os.kill(max(pages, key=lambda page: page.own).pid, signal.SIGKILL)
    return True


def _processes_in(group: int) -> Iterator[ProcessMemory]:
    if not Path("/proc/self/statm").exists():
        return
    for pid in [pid for pid, process_group in living_processes() if process_group == group]:
        with contextlib.suppress(OSError):  # it has ended since it was listed
            statm = Path(f"/proc/{pid}/statm").read_text().split()
            _, resident, shared, *_ = (int(pages) * PAGE_SIZE for pages in statm)
            is_page = is_page_process(Path(f"/proc/{pid}/cmdline").read_bytes())
            yield ProcessMemory(pid, resident - shared, shared, is_page)
