"""A ledger: append-only files of hash-chained lines, their names, order and locks, and how they are read.

    {"seq": 2, "prev": "<hash of line 1>", ..., "hash": "<SHA-256 of this line up to here, closed with a brace>"}

The hash covers the bytes of the line, so that it does not depend on how a program writes JSON.

`mine.jsonl` is the file that is being written. When it is full it is renamed to `mine~1.jsonl`, its successor to
`mine~2.jsonl`, and so on; with a tilde, because a session may be called `mine.1`. `mine.head` names the last line, so
that a missing end is noticed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import stat
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from rove.patterns import pattern
from rove.records import dataclass

# ASCII only: text of a page cannot control a terminal, and no reader takes U+2028 for the end of a line.
_encoder = json.JSONEncoder(ensure_ascii=True, default=str)
_SEAL = pattern(rb', "hash": "([0-9a-f]{64})"\}')
_SEAL_LENGTH = len(', "hash": "') + 64 + len('"}')
_HEAD = pattern(rb"(\d{20}) ([0-9a-f]{64})\n")

# Seconds to wait for a lock: long enough for a writer on a busy machine, and not too long for the caller of an action.
PATIENCE = 2.0
RETRY_SECONDS = 0.001
_FILE = pattern(r"(?P<stem>[^~]+)(?:~(?P<number>[1-9]\d*))?\.jsonl|(?P<headed>[^~]+)\.head")
# Symbolic links are not followed, and opening a pipe that has the file's name does not block.
_SAFE_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
Identity = tuple[int, int]
# Bytes of a stem: with `~underway-` and two numbers after it, the name of a file has at most 255.
LONGEST_STEM = 200
Wanted = Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True)
class ChainedLine:
    """One line of a chain."""

    seq: int
    hash: str
    facts: Mapping[str, Any]

    @property
    def beginning(self) -> bytes:
        """Return the first bytes of the line that follows this one."""
        return f'{{"seq": {self.seq + 1}, "prev": "{self.hash}"'.encode()

    @property
    def head(self) -> bytes:
        """Return the content of the head file while this is the last link. Its length is always the same."""
        return f"{self.seq:020d} {self.hash}\n".encode()


# The link that the first line is chained to.
BEGINNING = ChainedLine(0, "0" * 64, {})


def seal(before: ChainedLine, facts: Mapping[str, Any]) -> tuple[ChainedLine, bytes]:
    """Chain facts to a link; return the new link and its line."""
    fields = {"seq": before.seq + 1, "prev": before.hash, **facts}
    body = _encoder.encode(fields).encode("ascii")
    digest = sha256(body).hexdigest()
    return ChainedLine(before.seq + 1, digest, fields), b'%b, "hash": "%b"}\n' % (body[:-1], digest.encode())


def unseal(line: bytes) -> ChainedLine | None:
    """Read a line, without its line end, as a link; None if it is not one or does not match its own hash."""
    found = _SEAL.fullmatch(line, max(len(line) - _SEAL_LENGTH, 0))
    if found is None:
        return None
    digest = found[1].decode()
    body = line[:-_SEAL_LENGTH] + b"}"
    fields = parsed(body) if sha256(body).hexdigest() == digest else None
    if fields is None or type(fields.get("seq")) is not int or not isinstance(fields.get("prev"), str):
        return None
    return ChainedLine(fields["seq"], digest, fields)


def parsed(line: bytes) -> dict[str, Any] | None:
    """Read a line as a JSON object, with or without a valid hash; None if it is not one."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def head_in(text: bytes) -> ChainedLine | None:
    """Read the last link from the head file; None if the file is empty or not valid."""
    found = _HEAD.fullmatch(text)
    return ChainedLine(int(found[1]), found[2].decode(), {}) if found else None


def digest_of(torn: bytes) -> dict[str, Any]:
    """Describe a broken-off write for the line after it, so that it can be told from tampering."""
    return {"bytes": len(torn), "sha256": sha256(torn).hexdigest()}


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


@dataclass(frozen=True)
class Recent:
    """The last entries, oldest first, and how many lines among them are not entries."""

    links: tuple[ChainedLine, ...]
    unreadable: int


def recent(files: LedgerFiles, count: int, wanted: Wanted) -> Recent:
    """Return the last `count` entries for which `wanted` holds. Older files are read only if needed."""
    found: deque[ChainedLine] = deque()
    unreadable = 0
    for path in [files.current, *reversed(files.older())]:
        try:
            links = [unseal(line) for line in _lines(path)]
        except FileNotFoundError:
            continue  # it was renamed or removed a moment ago
        unreadable += links.count(None)
        fitting = [link for link in links if link is not None and wanted(link.facts)]
        found.extendleft(reversed(fitting[-(count - len(found)) :]))
        if len(found) >= count:
            break
    return Recent(tuple(found), unreadable)


def _lines(path: Path) -> list[bytes]:
    with os.fdopen(open_to_read(path), "rb") as file:
        return file.read().removesuffix(b"\n").split(b"\n")


class Feed:
    """Follows a ledger: first all entries of its current file, then those that are appended."""

    def __init__(self, files: LedgerFiles) -> None:
        self._files = files
        self._descriptor: int | None = None
        self._rest = b""

    def new_entries(self) -> list[ChainedLine]:
        """Return the entries that were appended since the last call."""
        found = self._read()
        # The file may have been numbered since: then it is complete, and a new one has been started.
        while self._descriptor is not None and not self._files.is_current(self._descriptor):
            found += self._read()
            self.close()
            found += self._read()
        return found

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._rest = None, b""

    def _read(self) -> list[ChainedLine]:
        if self._descriptor is None:
            try:
                self._descriptor = open_to_read(self._files.current)
            except FileNotFoundError:
                return []
        data = self._rest
        while chunk := os.read(self._descriptor, 1 << 20):
            data += chunk
        *lines, self._rest = data.split(b"\n")
        return [link for line in lines if (link := unseal(line)) is not None]
