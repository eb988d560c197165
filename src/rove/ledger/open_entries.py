"""Actions under way, recorded beside a ledger before they begin, so that those of a killed process are known.

Each process has a file of its own and holds its lock for as long as it lives. A file that is not locked and not empty
belonged to a process that was killed; the next process that opens the ledger takes its entries over.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import weakref
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

from rove.ledger.files import LedgerFiles, open_to_write

Facts = Mapping[str, Any]
# Stands for an entry that cannot be read: that there was one is known all the same.
UNKNOWN: Facts = {"action": "unknown"}


class OpenEntries:
    """What this process has begun and not ended. Raises OSError if it cannot be written."""

    def __init__(self, files: LedgerFiles) -> None:
        self._files = files
        self._numbers = itertools.count(1)
        self._begun: dict[int, Facts] = {}
        self._file: int | None = None
        self._closing: Callable[[], object] = lambda: None
        self._path = self._new_path()

    def begin(self, facts: Facts) -> int:
        """Record that an action begins; return the number to end it by."""
        number = next(self._numbers)
        self._begun[number] = facts
        try:
            self._write()
        except OSError:
            del self._begun[number]
            raise
        return number

    def end(self, number: int) -> None:
        self._begun.pop(number, None)
        with contextlib.suppress(OSError):  # it is in the ledger, and would at worst be recorded twice
            self._write()

    @property
    def is_empty(self) -> bool:
        """Whether everything that was begun has ended."""
        return not self._begun

    def close(self) -> None:
        """Close the file. What is still under way stays in it."""
        if self._file is not None:
            self._file = None
            self._closing()

    def take_over(self) -> list[Facts]:
        """Return the entries of processes that were killed, and remove their files."""
        taken: list[Facts] = []
        for path in left_behind(self._files):
            with _held(path) as file:
                if file is not None:
                    taken += _read(file)
                    path.unlink(missing_ok=True)
        return taken

    def _write(self) -> None:
        file = self._opened()
        line = json.dumps(list(self._begun.values())).encode() + b"\n" if self._begun else b""
        os.pwrite(file, line, 0)
        os.ftruncate(file, len(line))

    def _opened(self) -> int:
        while self._file is None:
            file = open_to_write(self._path)
            if _is_ours(file):
                self._file = file
                self._closing = weakref.finalize(self, _close, file, self._path)
            else:
                os.close(file)
                self._path = self._new_path()
        return self._file

    def _new_path(self) -> Path:
        return self._files.folder / f"{self._files.open_entries_prefix}{os.getpid()}-{os.urandom(4).hex()}"


def _is_ours(file: int) -> bool:
    """Lock a new file, unless another process has found it before we locked it, and is removing it."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return os.fstat(file).st_nlink > 0


def _close(file: int, path: Path) -> None:
    """Close the file, and remove it if it is empty."""
    if os.fstat(file).st_size == 0:
        path.unlink(missing_ok=True)
    os.close(file)


def left_behind(files: LedgerFiles) -> list[Path]:
    """Return the files of all processes, whether or not they still live."""
    try:
        found = [path for path in files.folder.iterdir() if path.name.startswith(files.open_entries_prefix)]
    except FileNotFoundError:
        return []
    return sorted(found, key=lambda path: path.name)


def interrupted(files: LedgerFiles) -> list[Facts]:
    """Return the entries of killed processes that no process has taken over yet."""
    found: list[Facts] = []
    for path in left_behind(files):
        with _held(path) as file:
            if file is not None:
                found += _read(file)
    return found


@contextlib.contextmanager
def _held(path: Path) -> Generator[int | None]:
    """Lock a file; None if its process lives, or if another process takes it over."""
    try:
        file = open_to_write(path)
    except OSError:
        yield None
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield file if os.fstat(file).st_nlink else None
    except BlockingIOError:
        yield None
    finally:
        os.close(file)


def _read(file: int) -> list[Facts]:
    """Read the entries in the first line. After it there may be the rest of an earlier, longer line."""
    size = os.fstat(file).st_size
    if not size:
        return []
    try:
        found = json.loads(os.pread(file, size, 0).partition(b"\n")[0])
    except ValueError:
        return [UNKNOWN]
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else [UNKNOWN]
