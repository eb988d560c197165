"""The file of results: one JSON object a line, appended when a page is done, and read again to go on.

A line is written by one call, and its page counts as done only after it: no process that ends, however it ends, loses
it or leaves a page in it twice. The disk is told to keep it once a second: a machine that loses power may lose the
lines of the last second, whose pages are then visited again.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from rove.errors import InvalidArguments
from rove.records import dataclass

SYNC_SECONDS = 1.0
# How every line begins: what begins otherwise was not written by rove map.
BEGINNING = b'{"url": "'
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC


@dataclass(frozen=True)
class Repair:
    """What was found at the end of a file whose writer was killed: how many bytes of a line were removed."""

    removed: int


class ResultsFile:
    """Appends results, alone: a second process that opens the same file is refused."""

    def __init__(self, path: Path) -> None:
        """Open and lock the file. Raises InvalidArguments."""
        self.path = path
        try:
            self._file = os.open(path, _FLAGS, 0o600)
        except OSError as error:
            raise InvalidArguments(
                f"{path} cannot be written: {error.strerror}.", hint="Choose another --out."
            ) from error
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            os.close(self._file)
            raise InvalidArguments(f"{path} is not a regular file.", hint="Use --out - for standard output.")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            hint = "Wait until it is done, or choose another --out."
            raise InvalidArguments(f"Another rove map writes to {path}.", hint=hint) from None
        self._synced = time.monotonic()
        self._is_dirty = False

    def repair(self) -> Repair | None:
        """Complete or remove a last line that was not written to its end.

        Raises InvalidArguments, and changes nothing, for a file that is not of rove map.
        """
        size = os.fstat(self._file).st_size
        start = self._last_line_start(size)
        if start == size:
            return None
        line = os.pread(self._file, size - start, start)
        self._refuse_other_file(line, start)
        if _is_result(line):
            os.write(self._file, b"\n")
            return Repair(0)
        os.ftruncate(self._file, start)
        return Repair(size - start)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the results that it has. Raises InvalidArguments for a line that is none."""
        with self.path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                yield self._record(number, line)

    def append(self, record: dict[str, Any]) -> None:
        """Write a result. Raises OSError, and leaves no part of it behind."""
        size = os.fstat(self._file).st_size
        line = _as_line(record).encode()
        try:
            written = os.write(self._file, line)
            while written < len(line):  # the disk is nearly full, or the line very long
                written += os.write(self._file, line[written:])
        except OSError:
            os.ftruncate(self._file, size)
            raise
        self._is_dirty = True

    @property
    def is_sync_due(self) -> bool:
        return self._is_dirty and time.monotonic() - self._synced >= SYNC_SECONDS

    def sync(self) -> None:
        """Make the disk keep what was written. May take long: to be called in a thread."""
        self._is_dirty = False
        os.fsync(self._file)
        self._synced = time.monotonic()

    def close(self) -> None:
        if self._is_dirty:
            self.sync()
        os.close(self._file)

    def _refuse_other_file(self, last: bytes, start: int) -> None:
        """Raise InvalidArguments unless the last line, which has no end, is one of rove map, and the first one too."""
        if start > 0:
            with self.path.open("rb") as lines:
                self._record(1, lines.readline())
        if not _is_result(last) and not _is_torn(last):
            hint = "Choose another --out: nothing was changed in this file."
            raise InvalidArguments(f"The last line of {self.path} is no result of rove map.", hint=hint)

    def _last_line_start(self, size: int) -> int:
        """Return where the line begins that has no end; the size of the file if there is none."""
        start, block = size, 1 << 16
        while start > 0:
            begin = max(start - block, 0)
            found = os.pread(self._file, start - begin, begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            start = begin
        return 0

    def _record(self, number: int, line: bytes) -> dict[str, Any]:
        if (record := _read_result(line)) is None:
            hint = "Choose another --out, or remove the line."
            raise InvalidArguments(f"Line {number} of {self.path} is no result of rove map.", hint=hint)
        return record


class ResultsStream:
    """Writes results to standard output. There is nothing to go on from."""

    is_sync_due = False

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def append(self, record: dict[str, Any]) -> None:
        """Write a result in ASCII, as standard output may have any encoding."""
        self._output.write(json.dumps(json.loads(_as_line(record))) + "\n")
        self._output.flush()

    def sync(self) -> None:
        """Do nothing: it is no file."""

    def close(self) -> None:
        """Leave standard output open."""


def _read_result(line: bytes) -> dict[str, Any] | None:
    try:
        record: Any = json.loads(line)
    except ValueError:
        return None
    is_result = isinstance(record, dict) and isinstance(record.get("url"), str) and "ok" in record
    return record if is_result else None


def _is_result(line: bytes) -> bool:
    return _read_result(line) is not None


def _is_torn(line: bytes) -> bool:
    """Whether a line can be the first part of a result."""
    try:
        json.loads(line)
    except ValueError:
        return line.startswith(BEGINNING) or BEGINNING.startswith(line)
    return False


def _as_line(record: dict[str, Any]) -> str:
    """Return a result as a line of JSON, in which half of a surrogate pair, which is no character, is replaced."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return f"{text}\n"
