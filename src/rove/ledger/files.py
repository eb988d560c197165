"""The files of one ledger: their names, their order, and how they are opened and locked.

`mine.jsonl` is being written. Once full it becomes `mine~1.jsonl`, the one after it `mine~2.jsonl`, and so on: a tilde,
because sessions may be called `mine.1`. `mine.head` names the last line, so that a missing end is noticed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from urllib.parse import quote, unquote

from rove.pattern import pattern
from rove.record import dataclass

# Long enough for a writer on a crowded machine, short enough for whoever waits for an answer.
PATIENCE = 2.0
RETRY = 0.001
_FILE = pattern(r"(?P<stem>[^~]+)(?:~(?P<number>[1-9]\d*))?\.jsonl|(?P<headed>[^~]+)\.head")
# Never through a link, and without waiting should someone have put a pipe there.
_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
Identity = tuple[int, int]


@dataclass(frozen=True)
class LedgerFile:
    """One file as it was at one moment."""

    name: str
    descriptor: int
    size: int

    def lines(self) -> Iterator[bytes]:
        """Its lines with their ends, up to where it ended at that moment."""
        left = self.size
        with os.fdopen(os.dup(self.descriptor), "rb") as file:
            file.seek(0)
            while left > 0 and (line := file.readline(left)):
                left -= len(line)
                yield line


class LedgerFiles:
    """Where one ledger lies."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self._stem = quote(name, safe="", errors="surrogatepass").replace("~", "%7E")
        self.current = folder / f"{self._stem}.jsonl"
        self.head = folder / f"{self._stem}.head"
        # How the names begin of files that say what is under way.
        self.beside = f"{self._stem}~underway-"

    def older(self) -> list[Path]:
        """The full ones, oldest first."""
        return [self.numbered(number) for number in sorted(self._numbers())]

    def numbered(self, number: int) -> Path:
        return self.folder / f"{self._stem}~{number}.jsonl"

    def next_number(self, follows: str | None) -> int:
        """One that was never given, even if older files have been moved away."""
        known = _FILE.fullmatch(follows or "")
        return max([0, *self._numbers(), int(known["number"] or 0) if known else 0]) + 1

    def _numbers(self) -> Iterator[int]:
        for name in os.listdir(self.folder):  # noqa: PTH208
            found = _FILE.fullmatch(name)
            if found and found["stem"] == self._stem and found["number"]:
                yield int(found["number"])

    def is_current(self, descriptor: int) -> bool:
        """Whether this open file is still the one that is being written."""
        try:
            return identity(os.fstat(descriptor)) == identity(self.current.stat(follow_symlinks=False))
        except FileNotFoundError:
            return False


def names(folder: Path) -> list[str]:
    """Every ledger that has left a file in the folder."""
    try:
        found = [_FILE.fullmatch(name) for name in os.listdir(folder)]  # noqa: PTH208
    except FileNotFoundError:
        return []
    return sorted({unquote(match["stem"] or match["headed"], errors="surrogatepass") for match in found if match})


def identity(facts: os.stat_result) -> Identity:
    return facts.st_dev, facts.st_ino


def open_to_write(path: Path, flags: int = 0) -> int:
    """Open a file, or make it: for its owner alone."""
    opened = _regular(os.open(path, os.O_RDWR | os.O_CREAT | _SAFELY | flags, 0o600), path)
    if os.fstat(opened).st_mode & 0o077:
        os.fchmod(opened, 0o600)
    return opened


def open_to_read(path: Path) -> int:
    return _regular(os.open(path, os.O_RDONLY | _SAFELY), path)


def _regular(opened: int, path: Path) -> int:
    if stat.S_ISREG(os.fstat(opened).st_mode):
        return opened
    os.close(opened)
    raise OSError(errno.EINVAL, "not a regular file", str(path))


@contextlib.contextmanager
def locked(descriptor: int, kind: int = fcntl.LOCK_EX) -> Generator[None]:
    """Hold the lock of an open file."""
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            # Lines are written in microseconds. A lock cannot be waited for with a deadline, and one that is held by a
            # stopped process would be waited for without end.
            if time.monotonic() > give_up:
                raise TimeoutError(errno.ETIMEDOUT, "another process holds it") from None
            time.sleep(RETRY)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
