"""How much memory a browser holds, all of its processes together."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from rove.chromium.process.watchdog import living_processes
from rove.record import dataclass

PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class ProcessMemory:
    """One process: what it holds alone, and what others may hold with it."""

    pid: int
    own: int
    shared: int
    is_page: bool


def memory_in_use(group: int) -> int | None:
    """Bytes held by the processes of a group; None where that cannot be told.

    What each holds alone, and once what the largest shares. That is some more than the truth (PSS), which takes the
    kernel milliseconds per process to find out; this takes it 3 ms in all.
    """
    shares = list(_shares(group))
    return sum(share.own for share in shares) + max(share.shared for share in shares) if shares else None


def kill_largest_page(group: int) -> bool:
    """End the page's process that holds most; its tabs are told of as crashed. False if there is none."""
    pages = [share for share in _shares(group) if share.is_page]
    if not pages:
        return False
    with contextlib.suppress(ProcessLookupError):  # gone by itself
        os.kill(max(pages, key=lambda share: share.own).pid, signal.SIGKILL)
    return True


def _shares(group: int) -> Iterator[ProcessMemory]:
    if not Path("/proc/self/statm").exists():
        return
    for pid in [pid for pid, member_of in living_processes() if member_of == group]:
        with contextlib.suppress(OSError):  # gone since
            _, resident, shared, *_ = (int(pages) * PAGE for pages in Path(f"/proc/{pid}/statm").read_text().split())
            is_page = b"--type=renderer" in Path(f"/proc/{pid}/cmdline").read_bytes()
            yield ProcessMemory(pid, resident - shared, shared, is_page)
