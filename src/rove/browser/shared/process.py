"""Child processes of rove, and the run folder: all temporary files of one browser, removed when rove ends.

Not the standard library's `subprocess`: importing it takes longer than starting a process, and the browser of a server
is started before anything else (`rove/browser/chromium/launch.py`).
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from _socket import socket  # the `socket` module, which wraps it, takes 8 ms to import
from abc import ABC, abstractmethod

from rove.browser.shared import watchdog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from rove.browser.shared.connection import Connection

# SIGPIPE and SIGXFSZ (the same numbers on every system): Python ignores them, and a child would inherit that.
_DEFAULT_SIGNALS = (13, 25)
# Descriptors are first copied to numbers from here on, above every number that a child expects one at.
_FIRST_COPY = 10
UNKNOWN_EXIT_CODE = -1
# Descriptors that are checked where the system does not list the open ones.
_MAX_DESCRIPTORS = 4096
LOCK_FILE = "owner.lock"
# A folder without a lock file may be just being created or removed; after this time it is abandoned.
UNLOCKED_SECONDS = 60.0
_HEX_DIGITS = frozenset("0123456789abcdef")


def reserved_port() -> socket:
    """Bind a free port. Connections are refused until its owner listens, and no other process can bind it."""
    taken = socket()
    taken.bind(("127.0.0.1", 0))
    return taken


class ChildProcess:
    """A process outside of our process group, so that Ctrl-C in the terminal reaches only rove.

    It leads a POSIX session of its own or, with `group`, belongs to that process group; 0 is one of its own.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        descriptors: Mapping[int, int],
        group: int | None = None,
    ) -> None:
        """`descriptors`: our descriptor for each number in the child; all others are closed in the child."""
        # Copies, so that a descriptor is not overwritten before it is used where two exchange their numbers.
        copies = {number: fcntl.fcntl(ours, fcntl.F_DUPFD_CLOEXEC, _FIRST_COPY) for number, ours in descriptors.items()}
        try:
            actions: list[tuple[int, ...]] = [
                (os.POSIX_SPAWN_CLOSE, number) for number in _unwanted_descriptors(copies)
            ]
            actions += [(os.POSIX_SPAWN_DUP2, copy, number) for number, copy in copies.items()]
            leader: dict[str, Any] = {"setsid": True} if group is None else {"setpgroup": group}
            self.pid = os.posix_spawn(
                command[0],
                list(command),
                dict(environment),
                file_actions=actions,
                setsigdef=_DEFAULT_SIGNALS,
                **leader,
            )
        finally:
            for copy in copies.values():
                os.close(copy)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, or None while the process runs."""
        if self.returncode is None:
            self._reap(os.WNOHANG)
        return self.returncode

    def wait(self) -> int:
        """Wait for the end of the process and return its exit code."""
        while self.returncode is None:
            self._reap(0)
        return self.returncode

    def _reap(self, options: int) -> None:
        try:
            pid, status = os.waitpid(self.pid, options)
        except ChildProcessError:
            # Another thread has already waited for the process.
            self.returncode = UNKNOWN_EXIT_CODE if self.returncode is None else self.returncode
            return
        if pid:
            self.returncode = os.waitstatus_to_exitcode(status)


def _unwanted_descriptors(wanted: Mapping[int, int]) -> list[int]:
    """Return the descriptors that the process that started rove left open, which a child would inherit too."""
    # Standard input, output and error are always wanted.
    return [number for number in _open_descriptors() if number > 2 and number not in wanted and _is_inheritable(number)]


def _open_descriptors() -> Iterable[int]:
    try:
        return [int(name) for name in os.listdir("/dev/fd") if name.isdigit()]
    except OSError:  # no such folder, as in a bare chroot
        return range(min(os.sysconf("SC_OPEN_MAX"), _MAX_DESCRIPTORS))


def _is_inheritable(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:
        return False  # closed since it was listed, as the descriptor of the listing itself is


class RunFolder:
    """Profile, unfinished downloads and scratch files of one browser.

    The owner holds a kernel lock on a file inside, so that a later start can tell a folder in use from an abandoned
    one. A watchdog process removes the folder when the owner dies.
    """

    def __init__(self, location: str, lock: int, watchdog_process: _WatchdogProcess | None) -> None:
        self.location = location
        self._lock = lock
        self._watchdog_process = watchdog_process
        self._is_closed = False

    @classmethod
    def create(cls, runs: str | Path, has_browser: bool = True) -> RunFolder:
        """Create and lock a folder below `runs`.

        Without a browser in it there is no process to kill, so no watchdog is started and `sweep` removes the folder.
        """
        os.makedirs(runs, exist_ok=True, mode=0o700)
        location = f"{runs}/{os.urandom(4).hex()}"
        os.mkdir(location, mode=0o700)
        lock = None
        try:
            lock = _lock(location)
            return cls(location, lock, _WatchdogProcess(location) if has_browser else None)
        except OSError:
            watchdog.clean_up(location)
            if lock is not None:
                os.close(lock)
            raise

    @property
    def path(self) -> Path:
        from pathlib import Path

        return Path(self.location)

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables for a process that is started for this folder."""
        return {watchdog.RUN_FOLDER_VARIABLE: self.location, "TMPDIR": self.location}

    def close(self) -> None:
        """Kill the processes of this folder and remove it."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._watchdog_process is not None:
            self._watchdog_process.kill()
        watchdog.clean_up(self.location)
        os.close(self._lock)


# Ignore the signals that end other processes, wait until the pipe closes, then execute the command in the arguments.
_WAIT_FOR_END_OF_PIPE = 'trap "" HUP INT TERM; while read -r _; do :; done; exec "$@"'
_SIGKILL = 9


class _WatchdogProcess:
    """A shell that executes `watchdog.py` when the pipe to it closes, which happens even if rove is killed.

    Python in place of the shell would need 9 MB to wait, and 10 ms of processor time while the browser starts.
    """

    def __init__(self, location: str) -> None:
        read_fd, self._write_fd = os.pipe()
        null = os.open(os.devnull, os.O_RDWR)
        command = [sys.executable, "-I", "-S", watchdog.__file__, location]
        shell = ["/bin/sh", "-c", _WAIT_FOR_END_OF_PIPE, "sh", *command]
        try:
            self._process = ChildProcess(shell, os.environ, {0: read_fd, 1: null, 2: null})
        except OSError:
            os.close(self._write_fd)
            raise
        finally:
            os.close(read_fd)
            os.close(null)

    def kill(self) -> None:
        """Kill the shell before it acts; the caller cleans up the folder itself."""
        if self._process.poll() is None:
            os.kill(self._process.pid, _SIGKILL)
        self._process.wait()
        os.close(self._write_fd)


class BrowserProcess(ABC):
    """A browser process that has been started and may not answer yet, with the folder for its temporary files."""

    folder: RunFolder
    process: ChildProcess
    # The connection to it, once there is one.
    connection: Connection | None = None

    @property
    def scratch(self) -> Path:
        """The folder for temporary files."""
        return self.folder.path

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    @property
    def process_group(self) -> int | None:
        """The process group of a browser that rove started; None for one that it is attached to."""
        return self.process.pid

    def take_proxy_port(self) -> int | None:
        """Return the descriptor of the port reserved for the first page's proxy, which the caller closes.

        None if no page is opened before the caller asks for one.
        """
        return None

    def wait(self) -> None:
        """Wait until the browser has ended by itself."""
        self.process.wait()

    @abstractmethod
    def release(self) -> None:
        """End the process and remove what belongs to it."""

    @property
    def log_path(self) -> str:
        """Where the browser writes what it logs."""
        return f"{self.folder.location}/browser.log"

    def last_log_line(self) -> str:
        """Return the last line that the browser logged, which mostly says why it did not start."""
        try:
            with open(self.log_path, errors="replace", encoding="utf-8") as log:
                text = log.read()
        except OSError:
            text = ""
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1][:300] if lines else "it logged nothing"


def discard(folder: Path) -> None:
    """Remove a folder and all that is in it, if it exists."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def sweep(runs: Path) -> list[Path]:
    """Remove the run folders whose owner is dead, and return them."""
    abandoned = [path for path in _folders(runs) if _is_abandoned(path)]
    for path in abandoned:
        watchdog.clean_up(path)
    return abandoned


def _folders(runs: Path) -> list[Path]:
    return [path for path in runs.iterdir() if path.is_dir() and not path.is_symlink()] if runs.is_dir() else []


def _is_abandoned(path: Path) -> bool:
    try:
        lock = os.open(path / LOCK_FILE, os.O_RDWR)
    except FileNotFoundError:
        return _is_unfinished(path)
    except OSError:
        return False  # not a run folder
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(lock)


def _is_unfinished(path: Path) -> bool:
    """Return whether the owner of a folder without a lock file died while it created or removed the folder."""
    try:
        age = time.time() - path.stat().st_mtime
    except OSError:
        return False
    return len(path.name) == 8 and _HEX_DIGITS.issuperset(path.name) and age > UNLOCKED_SECONDS


def _lock(location: str) -> int:
    # The lock file gets its name once it is locked: `sweep` never finds the lock of a folder in use free.
    unnamed = f"{location}/.{LOCK_FILE}"
    lock = os.open(unnamed, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.rename(unnamed, f"{location}/{LOCK_FILE}")
    return lock
