"""One folder per browser for everything temporary, tied to the life of this process."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
from pathlib import Path

from rove.chromium import keeper

LOCK = "owner.lock"
LONG_ENOUGH = 60.0
_NAME = re.compile(r"[0-9a-f]{8}")


class RunFolder:
    """Profile, downloads in flight and scratch files of one browser; gone when its owner is.

    The owner holds a kernel lock on a file inside, so that a later start can tell a folder in use from one
    that was left behind, and a keeper process watches for the owner's death.
    """

    def __init__(self, path: Path, lock: int, keeper_process: subprocess.Popen[bytes] | None) -> None:
        self.path = path
        self._lock = lock
        self._keeper = keeper_process
        self._is_closed = False

    @classmethod
    def create(cls, runs: Path, has_browser: bool = True) -> RunFolder:
        """With no browser of ours in it, there is nothing for a keeper to end; the folder is swept later on."""
        runs.mkdir(parents=True, exist_ok=True, mode=0o700)
        identity = secrets.token_hex(4)
        path = runs / identity
        path.mkdir(mode=0o700)
        try:
            return cls(path, _lock(path), _start_keeper(path) if has_browser else None)
        except OSError:
            shutil.rmtree(path, ignore_errors=True)
            raise

    @property
    def environment(self) -> dict[str, str]:
        """What a process started for this folder must have in its environment."""
        return {keeper.MARK: str(self.path), "TMPDIR": str(self.path)}

    def close(self) -> None:
        """End whatever still runs for this folder and remove it."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._keeper is not None and self._keeper.stdin is not None:
            self._keeper.stdin.close()
            self._keeper.wait()
        keeper.clear(self.path)
        os.close(self._lock)


def sweep(runs: Path) -> list[Path]:
    """Remove the run folders whose owner is dead; returns them."""
    left = [path for path in _folders(runs) if _is_abandoned(path)]
    for path in left:
        keeper.clear(path)
    return left


def _folders(runs: Path) -> list[Path]:
    return [path for path in runs.iterdir() if path.is_dir() and not path.is_symlink()] if runs.is_dir() else []


def _is_abandoned(path: Path) -> bool:
    try:
        lock = os.open(path / LOCK, os.O_RDWR)
    except FileNotFoundError:
        return _is_unfinished(path)
    except OSError:
        return False  # not a folder of ours
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(lock)


def _is_unfinished(path: Path) -> bool:
    """Whether who made or removed it died half way, which is not so if that is going on right now."""
    try:
        age = time.time() - path.stat().st_mtime
    except OSError:
        return False
    return _NAME.fullmatch(path.name) is not None and age > LONG_ENOUGH


def _lock(path: Path) -> int:
    # The lock gets its name when it is held: a sweep never sees a folder in use with a free lock.
    unnamed = path / f".{LOCK}"
    lock = os.open(unnamed, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    unnamed.rename(path / LOCK)
    return lock


def _start_keeper(path: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(Path(keeper.__file__)), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a Ctrl-C in the terminal is for rove, not for its keeper
    )
