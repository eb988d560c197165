"""Ends what a dead rove left running and removes its run folder.

Beside every browser someone waits at a pipe whose other end only rove holds (`runfolder.py`), so that the kernel itself
tells when rove is gone, however it went; then `python watchdog.py FOLDER` runs. The same `clear` sweeps, at the next
start, what the death of a whole machine left. Standard library only, no import of rove, and of the rest as little as
can be, each where it is needed: this file is also loaded before a browser is started.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A process started for a run folder carries this variable. Chromium's children write over theirs with a title.
MARK = "ROVE_RUN_FOLDER"
# So the folder also says which process group the browser leads, which its children stay in.
RECORD = "browser.process"
BOOT = "/proc/sys/kernel/random/boot_id"
PATIENCE = 5.0
AGAIN = 0.02


def end_processes(folder: str | Path) -> None:
    """Kill every process of this run folder, then remove the folder."""
    give_up = time.monotonic() + PATIENCE
    while (alive := processes_of(folder)) and time.monotonic() < give_up:
        for pid in alive:
            _kill(pid)
        time.sleep(AGAIN)  # a killed process stays visible until it is reaped; look again soon
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    while os.path.exists(folder) and time.monotonic() < give_up:
        time.sleep(AGAIN)
        shutil.rmtree(folder, ignore_errors=True)


def record_process(folder: str | Path, pid: int) -> None:
    """Write down which process is the browser of this run folder; it leads a group of its own."""
    with open(f"{folder}/{RECORD}", "w", encoding="ascii") as file:
        file.write(f"{pid} {_birth(pid)}")


def processes_of(folder: str | Path) -> list[int]:
    """Processes that were started for this run folder and still live, this one left out."""
    if not os.path.exists("/proc/self/stat"):
        return _named_in_ps(folder)
    mark = f"{MARK}={folder}".encode()
    living = {pid: group for pid, group in living_processes() if pid != os.getpid()}
    marked = {pid for pid in living if mark in _read(f"/proc/{pid}/environ").split(b"\0")}
    groups = {living[pid] for pid in marked if living[pid] == pid} | _recorded(folder)
    return sorted(marked | {pid for pid in living if living[pid] in groups and _is_child(pid)})


def living_processes() -> Iterator[tuple[int, int]]:
    """Number and group of every process but those that have ended."""
    for name in os.listdir("/proc"):
        # What a process is called stands in brackets and may hold anything, so fields are counted from its end.
        fields = _read(f"/proc/{name}/stat").rpartition(b")")[2].split() if name.isdigit() else []
        if fields and fields[0] not in (b"Z", b"X"):
            yield int(name), int(fields[2])


def _recorded(folder: str | Path) -> set[int]:
    """The group that was written down, unless its number has been given to another since."""
    pid, _, birth = _read(f"{folder}/{RECORD}").decode().partition(" ")
    if not pid.isdigit():
        return set()
    now = _birth(int(pid))
    same_boot = now.partition(" ")[0] == birth.partition(" ")[0]
    # A number is not given again while there are processes in the group of that number.
    return {int(pid)} if now == birth or (same_boot and now.endswith(" gone")) else set()


def _birth(pid: int) -> str:
    """When a process began: since which start of the machine, and how long after that."""
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return f"{_read(BOOT).decode().strip()} {fields[19].decode() if fields else 'gone'}"


def _is_child(pid: int) -> bool:
    return b" --type=" in _read(f"/proc/{pid}/cmdline").replace(b"\0", b" ")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""  # gone since, or someone else's


def _named_in_ps(folder: str | Path) -> list[int]:
    import subprocess

    # macOS has no /proc; the profile's path stands in the arguments of the browser's main process.
    listed = ["ps", "-axo", "pid=,pgid=,command="]
    lines = subprocess.run(listed, capture_output=True, text=True, check=False).stdout
    rows = [row for line in lines.splitlines() if len(row := line.split(None, 2)) == 3]
    named = [row for row in rows if str(folder) in row[2] and "watchdog.py" not in row[2]]
    groups = {row[1] for row in named if row[0] == row[1]}
    children = [row for row in rows if row[1] in groups and " --type=" in row[2]]
    return sorted({int(row[0]) for row in (*named, *children)} - {os.getpid()})


def _kill(pid: int) -> None:
    import signal

    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    except PermissionError:
        # Not ours after all: a process number that was given to someone else meanwhile.
        pass


if __name__ == "__main__":
    end_processes(sys.argv[1])
