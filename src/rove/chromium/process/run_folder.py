"""One folder per browser for everything temporary, tied to the life of this process."""

from __future__ import annotations

import fcntl
import os
import sys
import time

from rove.chromium.process import watchdog
from rove.chromium.process.child import ChildProcess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

LOCK = "owner.lock"
LONG_ENOUGH = 60.0
_DIGITS = frozenset("0123456789abcdef")


class RunFolder:
    """Profile, downloads in flight and scratch files of one browser; gone when its owner is.

    The owner holds a kernel lock on a file inside, so that a later start can tell a folder in use from one
    that was left behind, and a keeper process watches for the owner's death.
    """

    def __init__(self, location: str, lock: int, watch: _Watch | None) -> None:
        self.location = location
        self._lock = lock
        self._watch = watch
        self._is_closed = False

    @classmethod
    def create(cls, runs: str | Path, has_browser: bool = True) -> RunFolder:
        """With no browser of ours in it, there is nothing for a keeper to end; the folder is swept later on."""
        os.makedirs(runs, exist_ok=True, mode=0o700)
        location = f"{runs}/{os.urandom(4).hex()}"
        os.mkdir(location, mode=0o700)
        lock = None
        try:
            lock = _lock(location)
            return cls(location, lock, _Watch(location) if has_browser else None)
        except OSError:
            watchdog.end_processes(location)
            if lock is not None:
                os.close(lock)
            raise

    @property
    def path(self) -> Path:
        from pathlib import Path

        return Path(self.location)

    @property
    def environment(self) -> dict[str, str]:
        """What a process started for this folder must have in its environment."""
        return {watchdog.MARK: self.location, "TMPDIR": self.location}

    def close(self) -> None:
        """End whatever still runs for this folder and remove it."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._watch is not None:
            self._watch.end()
        watchdog.end_processes(self.location)
        os.close(self._lock)


# Deaf to what ends others, until the pipe closes; then it becomes what stands behind it.
_WAIT = 'trap "" HUP INT TERM; while read -r _; do :; done; exec "$@"'
_KILL = 9


class _Watch:
    """Someone at the post: a shell that becomes the keeper when the pipe to it closes, whoever or whatever closed it.

    A shell, since waiting in Python would take 9 MB, and 10 ms of the very moments in which a browser starts.
    """

    def __init__(self, location: str) -> None:
        theirs, self._ours = os.pipe()
        nowhere = os.open(os.devnull, os.O_RDWR)
        command = ["/bin/sh", "-c", _WAIT, "sh", sys.executable, "-I", "-S", watchdog.__file__, location]
        try:
            self._process = ChildProcess(command, os.environ, {0: theirs, 1: nowhere, 2: nowhere})
        except OSError:
            os.close(self._ours)
            raise
        finally:
            os.close(theirs)
            os.close(nowhere)

    def end(self) -> None:
        """Nobody need act: whoever ends the watch clears up."""
        if self._process.poll() is None:
            os.kill(self._process.pid, _KILL)
        self._process.wait()
        os.close(self._ours)


def discard(folder: Path) -> None:
    """Remove a folder with all that is in it, if it is there."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def sweep(runs: Path) -> list[Path]:
    """Remove the run folders whose owner is dead; returns them."""
    left = [path for path in _folders(runs) if _is_abandoned(path)]
    for path in left:
        watchdog.end_processes(path)
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
    return len(path.name) == 8 and _DIGITS.issuperset(path.name) and age > LONG_ENOUGH


def _lock(location: str) -> int:
    # The lock gets its name when it is held: a sweep never sees a folder in use with a free lock.
    unnamed = f"{location}/.{LOCK}"
    lock = os.open(unnamed, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.rename(unnamed, f"{location}/{LOCK}")
    return lock
