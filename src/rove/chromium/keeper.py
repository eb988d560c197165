"""Ends what a dead rove left running and removes its run folder.

Run as a process of its own, `python keeper.py FOLDER`, beside every browser: its standard input is a pipe
whose other end only rove holds, so the kernel itself tells it when rove is gone, however rove went. The same
`clear` sweeps, at the next start, what the death of a whole machine left. Standard library only, and no
import of rove: the process must start in milliseconds.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

# Every process started for a run folder carries this variable, and so do its children.
MARK = "ROVE_RUN_FOLDER"
PATIENCE = 5.0


def clear(folder: Path) -> None:
    """Kill every process of this run folder, then remove the folder."""
    give_up = time.monotonic() + PATIENCE
    while (alive := processes_of(folder)) and time.monotonic() < give_up:
        for pid in alive:
            _kill(pid)
        time.sleep(0.02)  # a killed process stays visible until it is reaped; look again soon
    while folder.exists() and time.monotonic() < give_up:
        shutil.rmtree(folder, ignore_errors=True)


def processes_of(folder: Path) -> list[int]:
    """Processes that were started for this run folder, this one left out."""
    found = _marked_in_proc(folder) if Path("/proc/self/environ").exists() else _named_in_ps(folder)
    return [pid for pid in found if pid != os.getpid()]


def _marked_in_proc(folder: Path) -> list[int]:
    mark = f"{MARK}={folder}".encode()
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = (entry / "environ").read_bytes()
        except OSError:
            continue  # gone since, or someone else's
        if mark in environment.split(b"\0"):
            found.append(int(entry.name))
    return found


def _named_in_ps(folder: Path) -> list[int]:
    # macOS has no /proc; the profile's path stands in the arguments of the browser's main process.
    lines = subprocess.run(["ps", "-axo", "pid=,command="], capture_output=True, text=True, check=False).stdout
    rows = (line.split(None, 1) for line in lines.splitlines())
    return [int(row[0]) for row in rows if len(row) == 2 and str(folder) in row[1] and "keeper.py" not in row[1]]


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    except PermissionError:
        # Not ours after all: a process number that was given to someone else meanwhile.
        pass


def main() -> None:
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    while os.read(0, 4096):
        pass
    clear(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
