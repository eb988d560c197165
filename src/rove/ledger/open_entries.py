"""What is under way: said beside a ledger before it begins, so that a process that is killed leaves word of it.

Each process has a file of its own, locked for as long as it lives. One that nobody holds any more, and that is not
empty, is what a process left that was killed; whoever opens the ledger next takes it over.
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
# Told of what cannot be read: that there was something is known all the same.
UNKNOWN: Facts = {"action": "unknown"}


class OpenEntries:
    """What this process has begun and not yet ended. Raises OSError when it cannot be said."""

    def __init__(self, volumes: LedgerFiles) -> None:
        self._volumes = volumes
        self._numbers = itertools.count(1)
        self._begun: dict[int, Facts] = {}
        self._file: int | None = None
        self._closing: Callable[[], object] = lambda: None
        self._path = volumes.folder / f"{volumes.beside}{os.getpid()}-{os.urandom(4).hex()}"

    def begin(self, facts: Facts) -> int:
        """Say that it begins; returns the number to end it by."""
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
        with contextlib.suppress(OSError):  # it is on record, and would at worst be told of twice
            self._write()

    def close(self) -> None:
        """Let go of the file; what is still under way stays said."""
        if self._file is not None:
            self._file = None
            self._closing()

    def take_over(self) -> list[Facts]:
        """What processes left that are no more, oldest first; it is not said again."""
        taken: list[Facts] = []
        for path in left_behind(self._volumes):
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
            fcntl.flock(file, fcntl.LOCK_SH)
            if os.fstat(file).st_nlink:
                self._file = file
                self._closing = weakref.finalize(self, _let_go, file, self._path)
            else:  # swept by another between making and locking it
                os.close(file)
        return self._file


def _let_go(file: int, path: Path) -> None:
    """Whoever forgot to close it leaves no file that says nothing."""
    if os.fstat(file).st_size == 0:
        path.unlink(missing_ok=True)
    os.close(file)


def left_behind(volumes: LedgerFiles) -> list[Path]:
    """The files in which a process said what was under way, whether or not it still lives."""
    try:
        found = [path for path in volumes.folder.iterdir() if path.name.startswith(volumes.beside)]
    except FileNotFoundError:
        return []
    return sorted(found, key=lambda path: path.name)


def interrupted(volumes: LedgerFiles) -> list[Facts]:
    """What was under way when a process ended that was not taken over yet."""
    found: list[Facts] = []
    for path in left_behind(volumes):
        with _held(path) as file:
            if file is not None:
                found += _read(file)
    return found


@contextlib.contextmanager
def _held(path: Path) -> Generator[int | None]:
    """The file, locked; None if its process lives, or if somebody else takes it over."""
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
    """The first line: behind it there may be what is left of a longer one."""
    size = os.fstat(file).st_size
    if not size:
        return []
    try:
        found = json.loads(os.pread(file, size, 0).partition(b"\n")[0])
    except ValueError:
        return [UNKNOWN]
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else [UNKNOWN]
