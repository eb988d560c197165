"""Writes a ledger, from several processes and after a crash, and records actions under way beside it.

Each process has a file of its own and holds its lock for as long as it lives. A file that is not locked and not empty
belonged to a process that was killed; the next process that opens the ledger takes its entries over.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import json
import logging
import os
import weakref
from collections.abc import Callable, Generator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from rove.records import dataclass
from rove.storage.ledger import (
    BEGINNING,
    PATIENCE,
    ChainedLine,
    LedgerFiles,
    digest_of,
    head_in,
    locked,
    open_to_read,
    open_to_write,
    seal,
    unseal,
)

log = logging.getLogger(__name__)
Facts = Mapping[str, Any]
# Stands for an entry that cannot be read: that there was one is known all the same.
UNKNOWN: Facts = {"action": "unknown"}
# Bytes that must be free on the disk before an action begins that has to be recorded.
MIN_FREE_BYTES = 1024 * 1024
WINDOW = 64 * 1024
NOT_SEEN = -1


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


@dataclass(frozen=True)
class _Tail:
    """How the ledger ended when it was last read or written."""

    link: ChainedLine
    end: int
    needs_line_end: bool = False
    # Fields that the next line has besides its facts: follows, torn, lost.
    notes: Mapping[str, Any] = field(default_factory=dict)


class _Handles:
    """The open files. They are closed when the last reference is gone, never while one is in use."""

    def __init__(self, files: LedgerFiles) -> None:
        self.file = open_to_write(files.current, os.O_APPEND)
        closing = weakref.finalize(self, os.close, self.file)
        try:
            self.head = open_to_write(files.head)
        except OSError:
            closing()
            raise
        weakref.finalize(self, os.close, self.head)


class Ledger:
    """Appends facts to the chain in its files. Raises OSError if it cannot, and then nothing is written."""

    def __init__(self, files: LedgerFiles, largest: int, keep: int = 0) -> None:
        self._files = files
        self._largest = largest
        self._keep = keep
        self._handles: _Handles | None = None
        self._tail: _Tail | None = None

    def ready(self) -> None:
        """Open the files and check that the disk has room. Raises OSError before an action begins, not after it."""
        handles = self._opened()
        if not self._files.is_current(handles.file):
            self.close()
            handles = self._opened()
        disk = os.fstatvfs(handles.file)
        # Some file systems do not report their size: they claim to have no blocks.
        if disk.f_blocks and disk.f_bavail * disk.f_frsize < MIN_FREE_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def append(self, facts: Mapping[str, Any], patience: float = PATIENCE) -> ChainedLine:
        """Write one line. Raises LockHeld if another process keeps the lock for longer than `patience`."""
        while True:
            with self._locked(patience) as handles:
                tail = self._caught_up(handles)
                if tail.end < self._largest or tail.notes:
                    return self._write(handles, tail, facts)
                self._retire(handles)

    def close(self) -> None:
        """Close the files. They are opened again when they are needed."""
        self._handles = None

    def _opened(self) -> _Handles:
        if self._handles is None:
            folder = self._files.folder
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if folder.stat().st_mode & 0o077:
                folder.chmod(0o700)
            self._handles = _Handles(self._files)
            if self._tail is not None:  # it may be another file under the same name by now
                self._tail = replace(self._tail, end=NOT_SEEN)
        return self._handles

    @contextlib.contextmanager
    def _locked(self, patience: float) -> Generator[_Handles]:
        """Lock the current file. It may have become an older one while we waited: then lock its successor."""
        while True:
            handles = self._opened()
            with locked(handles.file, patience=patience):
                if self._files.is_current(handles.file):
                    yield handles
                    return
            self.close()

    def _caught_up(self, handles: _Handles) -> _Tail:
        """Return how the ledger ends. It is read again if another process has written, or has died while writing."""
        size = os.fstat(handles.file).st_size
        if self._tail is None or self._tail.end != size:
            self._tail = self._read(handles, size)
        return self._tail

    def _read(self, handles: _Handles, size: int) -> _Tail:
        notes: dict[str, Any] = {}
        link, torn = last_link(handles.file, size)
        if link is None:
            link, follows = self._end_of_older()
            notes |= {"follows": follows} if follows else {}
        needs_line_end = size > 0 and os.pread(handles.file, 1, size - 1) != b"\n"
        if torn:
            notes["torn"] = digest_of(torn + b"\n" if needs_line_end else torn)
        if lost := self._lost(handles, link):
            notes["lost"] = lost
        return _Tail(link, size, needs_line_end, notes)

    def _end_of_older(self) -> tuple[ChainedLine, str | None]:
        older = self._files.older()
        if not older:
            return BEGINNING, None
        file = open_to_read(older[-1])
        try:
            link, _ = last_link(file, os.fstat(file).st_size)
        finally:
            os.close(file)
        return link or BEGINNING, older[-1].name

    def _lost(self, handles: _Handles, link: ChainedLine) -> dict[str, Any] | None:
        """Return what is known to have been written and is gone. The next line records it, as it replaces the head."""
        head = head_in(os.pread(handles.head, 1024, 0))
        if head is None and link.seq > 1:  # a process may have died before it wrote the first head
            return {"head": None}
        for known in (head, self._tail.link if self._tail else None):
            if known and (known.seq > link.seq or (known.seq == link.seq and known.hash != link.hash)):
                return {"head": known.seq, "hash": known.hash}
        return None

    def _write(self, handles: _Handles, tail: _Tail, facts: Mapping[str, Any]) -> ChainedLine:
        notes = dict(tail.notes)
        leaving = self._files.older()[: -self._keep] if self._keep and "follows" in notes else []
        if leaving:
            notes["dropped"] = [path.name for path in leaving]
        link, line = seal(tail.link, {**facts, **notes})
        data = b"\n" + line if tail.needs_line_end else line
        try:
            _write_all(handles.file, data)
            _write_all(handles.head, link.head, at=0)
        except OSError:
            # Remove the half line, which is ours as we hold the lock. If that fails, it is recovered as a torn write.
            with contextlib.suppress(OSError):
                os.ftruncate(handles.file, tail.end)
            raise
        # Without the facts, which may contain images and would stay in memory.
        self._tail = _Tail(replace(link, facts={}), tail.end + len(data))
        for path in leaving:
            _remove(path)
        return link

    def _retire(self, handles: _Handles) -> None:
        """Number the current file, which is full. The next line begins a new file and names the one before."""
        with os.fdopen(os.dup(handles.file), "rb") as file:
            file.seek(0)
            first = unseal(file.readline().rstrip(b"\n"))
        follows = first.facts.get("follows") if first else None
        self._files.current.rename(self._files.numbered(self._files.next_number(str(follows))))
        self.close()


def last_link(file: int, size: int) -> tuple[ChainedLine | None, bytes]:
    """Return the last valid line of a file, and the bytes after it."""
    window = WINDOW
    while True:
        start = max(size - window, 0)
        data = os.pread(file, size - start, start)
        end = len(data)
        while end > 0:
            begin = data.rfind(b"\n", 0, end) + 1
            if begin == 0 and start > 0:
                break  # the line begins before the window
            if link := unseal(data[begin:end]):
                return link, data[end + 1 :]
            end = begin - 1
        if start == 0:
            return None, data
        window *= 8


def _write_all(file: int, data: bytes, at: int | None = None) -> None:
    if at is not None:
        os.lseek(file, at, os.SEEK_SET)
    while data:
        data = data[os.write(file, data) :]


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError as error:
        log.warning("%s could not be removed, although the journal keeps only newer files: %s", path, error.strerror)
