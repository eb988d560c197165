"""Processor time and memory of a process and all that it starts (Linux only)."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from pathlib import Path

from bench.memory import bytes_of

INTERVAL = 0.25
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class TreeUsage:
    """Samples of a process tree: seconds of processor time of each process, and bytes of memory of all together."""

    seconds: dict[int, float] = field(default_factory=dict[int, float])
    memory: list[int] = field(default_factory=list[int])

    @property
    def cpu_seconds(self) -> float:
        return sum(self.seconds.values())


class TreeSampler:
    """Samples a process tree until it is stopped. What a process does after its last sample is not counted."""

    def __init__(self, root: int) -> None:
        self.usage = TreeUsage()
        self._known = {root}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample_often, daemon=True)
        self._thread.start()

    def stop(self) -> TreeUsage:
        self._ended.set()
        self._thread.join()
        return self.usage

    def _sample_often(self) -> None:
        while not self._ended.wait(INTERVAL):
            self._sample()

    def _sample(self) -> None:
        found = {pid: stat for pid in _pids() if (stat := _stat(pid)) is not None}
        for pid, stat in sorted(found.items()):
            if int(stat[1]) in self._known:
                self._known.add(pid)
        members = self._known & found.keys()
        for pid in members:
            self.usage.seconds[pid] = (int(found[pid][11]) + int(found[pid][12])) / TICKS
        self.usage.memory.append(sum(bytes_of(pid, "Pss") for pid in members))


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _stat(pid: int) -> list[str] | None:
    """Return the fields of /proc/PID/stat after the name: state, parent and so on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
