"""Memory and processor time of a server's processes, by what they are for (Linux only)."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from pathlib import Path

from bench.memory import bytes_of
from bench.processes import Process, family

TICKS = os.sysconf("SC_CLK_TCK")
# The processes that belong to one session; all others are there once for a node.
OF_SESSIONS = ("renderer",)


def memory(mark: str) -> dict[str, int]:
    """Return the bytes (PSS) of all processes, by their role."""
    total: Counter[str] = Counter()
    for process in family(mark):
        total[_role(process)] += bytes_of(process.pid, "Pss")
    return dict(total)


def processor_seconds(mark: str) -> dict[int, float]:
    """Return the seconds of processor time that each process has taken so far."""
    return {process.pid: seconds for process in family(mark) if (seconds := _seconds(process.pid)) is not None}


def spent(before: dict[int, float], after: dict[int, float]) -> float:
    """Return the seconds of processor time between two readings; a process that ended meanwhile is left out."""
    return sum(seconds - before.get(pid, 0.0) for pid, seconds in after.items())


def browser_process(mark: str) -> int:
    """Return the process id of the browser itself, whose children are the renderers and all others."""
    (found,) = [process.pid for process in family(mark) if _role(process) == "browser"]
    return found


def machine_seconds() -> tuple[float, float]:
    """Return the seconds of all processors that were busy, and idle, since the machine started."""
    user, nice, system, idle, wait, irq, soft, steal, *_ = (
        int(number) / TICKS for number in Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    )
    return user + nice + system + irq + soft + steal, idle + wait


def _role(process: Process) -> str:
    words = _command(process.pid)
    if process.is_browser:
        return words.partition("--type=")[2].partition(" ")[0] or "browser"
    return "proxy process" if "proxy_process" in words else "rove"


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):  # it has ended
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def _seconds(pid: int) -> float | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / TICKS
