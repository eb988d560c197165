"""The processes and folders that belong to a ROVE_HOME."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from rove.browser.shared.watchdog import living_processes

MARK = b"ROVE_RUN_FOLDER="
# Process groups of the browsers of a home: their children overwrite the mark, and may outlive them.
_groups: dict[Path, set[int]] = {}


def marked(home: Path) -> list[int]:
    """Return the processes that were started for a run folder of this home: browsers and their children."""
    wanted = MARK + str(home / "run").encode() + b"/"
    living = dict(living_processes())
    carriers = {pid for pid in living if any(word.startswith(wanted) for word in _words(pid, "environ"))}
    groups = _groups.setdefault(home, set())
    groups |= {pid for pid in carriers if living[pid] == pid}
    children = {pid for pid, group in living.items() if group in groups and _is_child(_title(pid))}
    return sorted(carriers | children)


def _is_child(title: bytes) -> bool:
    """Return whether a process is one that Chromium, or Firefox, has started."""
    return b" --type=" in title or b" -contentproc" in title


def watchdogs(home: Path) -> list[int]:
    """Return the watchdog processes of this home."""
    folder = str(home / "run").encode()
    return [
        pid
        for pid in _pids()
        if any(word.endswith(b"watchdog.py") for word in _words(pid, "cmdline"))
        and any(word.startswith(folder) for word in _words(pid, "cmdline"))
    ]


def browser_of(home: Path) -> int:
    """Return the browser's main process, which has none of the arguments of its children."""
    return next(
        pid
        for pid in marked(home)
        if any(word.startswith((b"--user-data-dir=", b"--profile")) for word in _words(pid, "cmdline"))
        and not any(word.startswith((b"--type=", b"-contentproc")) for word in _words(pid, "cmdline"))
    )


def pages_of(home: Path) -> list[int]:
    """Return the renderer processes."""
    return [pid for pid in marked(home) if b" --type=renderer" in _title(pid) or b" -isForBrowser" in _title(pid)]


def helpers(home: Path, kind: str) -> list[int]:
    """Return the browser's processes of a type, such as `renderer` or `gpu-process`, by their parents."""
    family = {browser_of(home)}
    parents = {pid: int(_text(pid, "stat").rpartition(")")[2].split()[1]) for pid in _pids() if _text(pid, "stat")}
    for _ in range(4):  # such a process may start another
        family |= {pid for pid, parent in parents.items() if parent in family}
    return [pid for pid in family if f"--type={kind}" in _text(pid, "cmdline").replace("\0", " ").split(" ")]


def processes() -> list[tuple[int, int, str]]:
    """Return id, parent and state of every process, zombies included."""
    fields = {pid: b"".join(_words(pid, "stat")).rpartition(b")")[2].split() for pid in _pids()}
    return [(pid, int(found[1]), found[0].decode()) for pid, found in fields.items() if found]


def run_folders(home: Path) -> list[Path]:
    return sorted((home / "run").iterdir()) if (home / "run").is_dir() else []


def eventually(condition: Callable[[], bool], timeout: float) -> bool:
    """Wait until the condition holds; return whether it did in time."""
    give_up = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.02)
    return True


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _title(pid: int) -> bytes:
    return b" ".join(_words(pid, "cmdline"))


def _text(pid: int, file: str) -> str:
    try:
        return Path(f"/proc/{pid}/{file}").read_text(errors="replace")
    except OSError:
        return ""


def _words(pid: int, file: str) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/{file}").read_bytes().split(b"\0")
    except OSError:
        return []  # it has ended, or belongs to another user
