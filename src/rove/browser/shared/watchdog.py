"""Kills the processes of a run folder and removes the folder, also after rove itself has died.

A shell beside every browser waits at a pipe whose other end only rove holds (`process.py`). When rove ends, in
whatever way, the kernel closes the pipe and the shell executes `python watchdog.py FOLDER`. After a crash of the whole
machine, the next start of rove calls `clean_up` for the folders that are left.

Standard library only, no import of rove, and slow modules only in the functions that need them: this file is also
loaded before a browser is started.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Every process that is started for a run folder has this variable. A browser's child processes overwrite theirs with a
# title, so a file in the folder also names the process group that the browser leads and its children stay in.
RUN_FOLDER_VARIABLE = "ROVE_RUN_FOLDER"
PROCESS_FILE = "browser.process"
BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id"
CLEAN_UP_TIMEOUT = 5.0
RETRY_SECONDS = 0.02


def clean_up(folder: str | Path) -> None:
    """Kill every process of a run folder, then remove the folder."""
    deadline = time.monotonic() + CLEAN_UP_TIMEOUT
    while (alive := processes_of(folder)) and time.monotonic() < deadline:
        for pid in alive:
            _kill(pid)
        time.sleep(RETRY_SECONDS)  # a killed process is listed until it is reaped
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    while os.path.exists(folder) and time.monotonic() < deadline:
        time.sleep(RETRY_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)


def record_process(folder: str | Path, pid: int) -> None:
    """Write into a run folder which process is its browser; that process leads a group of its own."""
    opened = os.open(f"{folder}/{PROCESS_FILE}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(opened, "w", encoding="ascii") as file:
        file.write(f"{pid} {_start_time(pid)}")


def processes_of(folder: str | Path) -> list[int]:
    """Return the ids of the living processes that were started for a run folder, without this process."""
    if not os.path.exists("/proc/self/stat"):
        return _processes_from_ps(folder)
    variable = f"{RUN_FOLDER_VARIABLE}={folder}".encode()
    living = {pid: group for pid, group in living_processes() if pid != os.getpid()}
    marked = {pid for pid in living if variable in _read(f"/proc/{pid}/environ").split(b"\0")}
    groups = {living[pid] for pid in marked if living[pid] == pid} | _recorded_groups(folder)
    marked |= {pid for pid in _recorded_browser(folder) if pid in living}
    return sorted(marked | {pid for pid in living if living[pid] in groups and _is_browser_child(pid)})


def living_processes() -> Iterator[tuple[int, int]]:
    """Yield the process id and the group id of every process that has not ended."""
    for name in os.listdir("/proc"):
        # The name of a process stands in brackets and may hold any character, so fields are counted from its end.
        fields = _read(f"/proc/{name}/stat").rpartition(b")")[2].split() if name.isdigit() else []
        if fields and fields[0] not in (b"Z", b"X"):
            yield int(name), int(fields[2])


def _recorded_browser(folder: str | Path) -> set[int]:
    """Return the process that the folder names, if it lives. While it starts, its variables cannot be read yet."""
    pid, _, recorded = _read(f"{folder}/{PROCESS_FILE}").decode().partition(" ")
    return {int(pid)} if pid.isdigit() and _start_time(int(pid)) == recorded else set()


def _recorded_groups(folder: str | Path) -> set[int]:
    """Return the process group that the folder names, unless the kernel has reused its number since."""
    pid, _, recorded = _read(f"{folder}/{PROCESS_FILE}").decode().partition(" ")
    if not pid.isdigit():
        return set()
    current = _start_time(int(pid))
    same_boot = current.partition(" ")[0] == recorded.partition(" ")[0]
    # The kernel does not reuse a number while a process group of that number has members.
    return {int(pid)} if current == recorded or (same_boot and current.endswith(" gone")) else set()


def _start_time(pid: int) -> str:
    """Return when a process started: the id of the boot, and the time since that boot or `gone`."""
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return f"{_read(BOOT_ID_FILE).decode().strip()} {fields[19].decode() if fields else 'gone'}"


def _is_browser_child(pid: int) -> bool:
    """Return whether a process has an argument that Chromium, or Firefox, gives to its children."""
    arguments = _read(f"/proc/{pid}/cmdline").replace(b"\0", b" ")
    return b" --type=" in arguments or b" -contentproc" in arguments


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""  # the process has ended, or belongs to another user


def _processes_from_ps(folder: str | Path) -> list[int]:
    import subprocess

    # macOS has no /proc; there the path of the profile is in the arguments of the browser's main process.
    command = ["ps", "-axo", "pid=,pgid=,command="]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    rows = [row for line in output.splitlines() if len(row := line.split(None, 2)) == 3]
    named = [row for row in rows if str(folder) in row[2] and "watchdog.py" not in row[2]]
    groups = {row[1] for row in named if row[0] == row[1]}
    children = [row for row in rows if row[1] in groups and (" --type=" in row[2] or " -contentproc" in row[2])]
    return sorted({int(row[0]) for row in (*named, *children)} - {os.getpid()})


def _kill(pid: int) -> None:
    import signal

    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    except PermissionError:
        # The process has ended and the kernel has given its number to a process of another user.
        pass


if __name__ == "__main__":
    clean_up(sys.argv[1])
