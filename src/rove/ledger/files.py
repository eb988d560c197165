"""The files of one ledger: their names, their order, and how they are opened and locked.

`mine.jsonl` is the file that is being written. When it is full it is renamed to `mine~1.jsonl`, its successor to
`mine~2.jsonl`, and so on; with a tilde, because a session may be called `mine.1`. `mine.head` names the last line, so
that a missing end is noticed.
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

from rove.validation.pattern import pattern
from rove.validation.record import dataclass

# Seconds to wait for a lock: long enough for a writer on a busy machine, and not too long for the caller of an action.
PATIENCE = 2.0
RETRY_SECONDS = 0.001
_FILE = pattern(r"(?P<stem>[^~]+)(?:~(?P<number>[1-9]\d*))?\.jsonl|(?P<headed>[^~]+)\.head")
# Symbolic links are not followed, and opening a pipe that has the file's name does not block.
_SAFE_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
Identity = tuple[int, int]
# Bytes of a stem: with `~underway-` and two numbers after it, the name of a file has at most 255.
LONGEST_STEM = 200


@dataclass(frozen=True)
class LedgerFile:
    """One file as it was when it was opened."""

    name: str
    descriptor: int
    size: int

    def lines(self) -> Iterator[bytes]:
        """Yield its lines with their line ends, up to the size that it had then."""
        left = self.size
        with os.fdopen(os.dup(self.descriptor), "rb") as file:
            file.seek(0)
            while left > 0 and (line := file.readline(left)):
                left -= len(line)
                yield line


class LedgerFiles:
    """The paths of one ledger's files."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self._stem = stem_of(name)
        self.current = folder / f"{self._stem}.jsonl"
        self.head = folder / f"{self._stem}.head"
        # The prefix of the files that record what is under way.
        self.open_entries_prefix = f"{self._stem}~underway-"

    def older(self) -> list[Path]:
        """Return the full files, oldest first."""
        return [self.numbered(number) for number in sorted(self._numbers())]

    def numbered(self, number: int) -> Path:
        return self.folder / f"{self._stem}~{number}.jsonl"

    def next_number(self, follows: str | None) -> int:
        """Return a number that was never used, even if older files have been moved away."""
        known = _FILE.fullmatch(follows or "")
        return max([0, *self._numbers(), int(known["number"] or 0) if known else 0]) + 1

    def _numbers(self) -> Iterator[int]:
        for name in os.listdir(self.folder):  # noqa: PTH208
            found = _FILE.fullmatch(name)
            if found and found["stem"] == self._stem and found["number"]:
                yield int(found["number"])

    def is_current(self, descriptor: int) -> bool:
        """Whether an open file is still the one that is being written."""
        try:
            return identity(os.fstat(descriptor)) == identity(self.current.stat(follow_symlinks=False))
        except FileNotFoundError:
            return False


def stem_of(name: str) -> str:
    """Return how the names of a ledger's files begin: never with a folder, and different for each name."""
    return quote(name, safe="", errors="surrogatepass").replace("~", "%7E")


def names(folder: Path) -> list[str]:
    """Return the name of every ledger with a file in the folder."""
    try:
        found = [_FILE.fullmatch(name) for name in os.listdir(folder)]  # noqa: PTH208
    except FileNotFoundError:
        return []
    return sorted({unquote(match["stem"] or match["headed"], errors="surrogatepass") for match in found if match})


def identity(facts: os.stat_result) -> Identity:
    return facts.st_dev, facts.st_ino


def open_to_write(path: Path, flags: int = 0) -> int:
    """Open a file, or create it, readable and writable by its owner alone."""
    opened = _regular(os.open(path, os.O_RDWR | os.O_CREAT | _SAFE_FLAGS | flags, 0o600), path)
    if os.fstat(opened).st_mode & 0o077:
        os.fchmod(opened, 0o600)
    return opened


def open_to_read(path: Path) -> int:
    return _regular(os.open(path, os.O_RDONLY | _SAFE_FLAGS), path)


def _regular(opened: int, path: Path) -> int:
    if stat.S_ISREG(os.fstat(opened).st_mode):
        return opened
    os.close(opened)
    raise OSError(errno.EINVAL, "not a regular file", str(path))


class LockHeld(TimeoutError):
    """Another process holds the lock of a file."""

    def __init__(self) -> None:
        super().__init__(errno.ETIMEDOUT, "another process holds its lock")


@contextlib.contextmanager
def locked(descriptor: int, kind: int = fcntl.LOCK_EX, patience: float = PATIENCE) -> Generator[None]:
    """Hold the lock of an open file. With patience this sleeps, so an event loop must pass 0 or call it in a thread."""
    give_up = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            # flock takes no deadline, and a process that is stopped while it holds the lock would be waited for without
            # end; so it is tried again and again. Other processes hold it for microseconds.
            if time.monotonic() >= give_up:
                raise LockHeld from None
            time.sleep(RETRY_SECONDS)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
