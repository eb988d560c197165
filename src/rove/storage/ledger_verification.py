"""Verify a ledger: read every line, and name the first that is not as it was written."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Generator
from dataclasses import field, replace
from pathlib import Path

from rove.records import dataclass
from rove.storage.ledger import (
    BEGINNING,
    ChainedLine,
    LedgerFile,
    LedgerFiles,
    digest_of,
    head_in,
    locked,
    open_to_read,
    parsed,
    unseal,
)
from rove.storage.ledger_writer import interrupted

UNREADABLE = "it cannot be read, and no broken-off write is on record here"


@dataclass(frozen=True)
class Break:
    """The first place where a ledger is not what was written."""

    file: str
    line: int
    why: str


@dataclass(frozen=True)
class Verdict:
    """The result. `last` is the last valid link; its hash covers everything before it."""

    files: tuple[str, ...]
    entries: int
    last: ChainedLine
    torn: tuple[str, ...]
    remarks: tuple[str, ...]
    broken: Break | None

    @property
    def is_whole(self) -> bool:
        return self.broken is None


@dataclass(frozen=True)
class _OpenLedger:
    """The open files of a ledger, as they were at one moment. `head` is None if there is no head file."""

    files: tuple[LedgerFile, ...]
    head: bytes | None
    is_complete: bool


def verify(files: LedgerFiles, anchor: str | None = None) -> Verdict:
    """Verify all files of a ledger. `anchor` is the hash of an entry, noted elsewhere, that must be among them."""
    with _opened_ledger(files) as ledger:
        verdict = _Verification(ledger, files.name, anchor, file=files.current.name).verdict()
    killed = tuple(f"a process was killed in the middle of: {each.get('action')}" for each in interrupted(files))
    return replace(verdict, remarks=(*verdict.remarks, *killed))


def verify_file(path: Path, anchor: str | None = None) -> Verdict:
    """Verify one file by itself, and the head file beside it if there is one."""
    with contextlib.ExitStack() as stack:
        file = _opened(path, stack)
        ledger = _OpenLedger((file,), _head(path.with_suffix(".head")), is_complete=False)
        return _Verification(ledger, None, anchor).verdict()


@contextlib.contextmanager
def _opened_ledger(files: LedgerFiles) -> Generator[_OpenLedger]:
    """Open every file under the lock, so that no line is half written and no file is being renamed."""
    with contextlib.ExitStack() as stack:
        while True:
            try:
                current = _opened(files.current, stack)
            except FileNotFoundError:
                yield _OpenLedger(_older(files, stack), _head(files.head), is_complete=True)
                return
            with locked(current.descriptor, fcntl.LOCK_SH):
                if files.is_current(current.descriptor):
                    current = LedgerFile(current.name, current.descriptor, os.fstat(current.descriptor).st_size)
                    ledger = _OpenLedger((*_older(files, stack), current), _head(files.head), is_complete=True)
                    break
        yield ledger


def _older(files: LedgerFiles, stack: contextlib.ExitStack) -> tuple[LedgerFile, ...]:
    return tuple(_opened(path, stack) for path in files.older())


def _opened(path: Path, stack: contextlib.ExitStack) -> LedgerFile:
    descriptor = open_to_read(path)
    stack.callback(os.close, descriptor)
    return LedgerFile(path.name, descriptor, os.fstat(descriptor).st_size)


def _head(path: Path) -> bytes | None:
    try:
        descriptor = open_to_read(path)
    except FileNotFoundError:
        return None
    try:
        return os.read(descriptor, 1024)
    finally:
        os.close(descriptor)


class _Broken(Exception):
    """Ends the verification. Without a line number, the line that is being read is the broken one."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.line = line


@dataclass
class _Verification:
    """Reads from the first line to the last and checks each against the one before."""

    ledger: _OpenLedger
    session: str | None
    anchor: str | None
    last: ChainedLine = BEGINNING
    entries: int = 0
    file: str = ""
    line: int = 0
    absent: str | None = None
    dropped: set[str] = field(default_factory=set)
    torn: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    # Lines that are not links, until the next link records them as a broken-off write.
    loose: list[bytes] = field(default_factory=list)

    def verdict(self) -> Verdict:
        """Check every file, and return the result."""
        names = tuple(file.name for file in self.ledger.files)
        broken = None
        try:
            for before, file in zip((None, *names), self.ledger.files, strict=False):
                self._read(file, before)
            self._end()
        except _Broken as found:
            broken = Break(self.file, found.line or self.line, found.why)
        return Verdict(names, self.entries, self.last, tuple(self.torn), tuple(self.remarks), broken)

    def _read(self, file: LedgerFile, before: str | None) -> None:
        self.file, self.line = file.name, 0
        is_first, is_ended = True, True
        for self.line, line in enumerate(file.lines(), 1):
            is_ended = line.endswith(b"\n")
            if (link := unseal(line.removesuffix(b"\n"))) is None:
                self._set_aside(line)
                continue
            self._check_file(link, before, is_first)
            self._check(link)
            is_first = False
        if self.loose:
            self._check_end(may_be_torn=file is self.ledger.files[-1] and not is_ended)

    def _set_aside(self, line: bytes) -> None:
        if (fields := parsed(line)) is not None:
            raise _Broken(
                "it does not match its own hash: it was changed" if "hash" in fields else "it carries no hash"
            )
        self.loose.append(line)

    def _check_file(self, link: ChainedLine, before: str | None, is_first: bool) -> None:
        """Check that the first line of a file names the file before it, and that no other line does."""
        follows = link.facts.get("follows")
        if is_first and before is None and follows is not None:
            self.absent = str(follows)
            self.last = ChainedLine(link.seq - 1, str(link.facts["prev"]), {})
        elif is_first and follows != before:
            raise _Broken(f"it follows {follows or 'no file'}, where the file before it is {before}")
        elif not is_first and follows is not None:
            raise _Broken(f"it began a file of its own, after {follows}")

    def _check(self, link: ChainedLine) -> None:
        self._check_torn(link)
        if link.seq != self.last.seq + 1:
            raise _Broken(f"it is entry {link.seq}, where entry {self.last.seq + 1} should be")
        if link.facts["prev"] != self.last.hash:
            raise _Broken("it is not chained to the entry before it: one of the two was replaced")
        if isinstance(lost := link.facts.get("lost"), dict):
            raise _Broken(_loss(lost))
        if self.session is not None and link.facts.get("session") != self.session:
            raise _Broken("it belongs to the journal of another session")
        if (head := self._head()) and head.seq == link.seq and head.hash != link.hash:
            raise _Broken("it is not the entry that was written: the head names another")
        if isinstance(dropped := link.facts.get("dropped"), list):
            self.dropped.update(map(str, dropped))
        if self.anchor == link.hash:
            self.anchor = None
        self.last, self.entries = link, self.entries + 1

    def _check_torn(self, link: ChainedLine) -> None:
        """Check that lines which are not links are torn writes: the next link records what its writer found there."""
        recorded = link.facts.get("torn")
        first = self.line - len(self.loose)
        if self.loose and (recorded != digest_of(b"".join(self.loose)) or not self._are_beginnings()):
            raise _Broken(UNREADABLE, first)
        if recorded is not None and not self.loose:
            raise _Broken("it records a broken-off write before it, which is gone")
        self._count_torn(first)

    def _check_end(self, may_be_torn: bool) -> None:
        first = self.line - len(self.loose) + 1
        if not may_be_torn or not self._are_beginnings():
            raise _Broken(UNREADABLE, first)
        self._count_torn(first)

    def _are_beginnings(self) -> bool:
        """Whether each is the beginning of the next link. After a power cut a file may end in zeros."""
        due = self.last.beginning
        begun = [line.rstrip(b"\n\0") for line in self.loose]
        return b"\n" not in self.loose and all(text[: len(due)] == due[: len(text)] for text in begun)

    def _count_torn(self, first: int) -> None:
        self.torn += [f"{self.file} line {first + index}" for index in range(len(self.loose))]
        self.loose = []

    def _end(self) -> None:
        self._check_head()
        if self.absent is not None and self.absent not in self.dropped:
            if self.ledger.is_complete:
                raise _Broken(f"the journal goes on from {self.absent}, which is not here", 1)
            self.remarks.append(f"looked at by itself: it goes on from {self.absent}")
        if self.anchor is not None:
            raise _Broken("the entry that you named is not among these: they were rewritten or cut off")

    def _check_head(self) -> None:
        head = self._head()
        if head is not None and head.seq > self.last.seq:
            raise _Broken(f"entries up to {head.seq} were written; after {self.last.seq} they are gone")
        if head is not None and head.seq < self.last.seq:
            self.remarks.append(
                f"the head stands at entry {head.seq}: the process that wrote the next entry died before it moved it"
            )
        if head is None and self.ledger.is_complete and self.last.seq > (0 if self.ledger.head is None else 1):
            raise _Broken("the head file is gone, so it is unknown whether the end was cut off")

    def _head(self) -> ChainedLine | None:
        return head_in(self.ledger.head) if self.ledger.head is not None else None


def _loss(lost: dict[str, object]) -> str:
    if lost.get("head") is None:
        return "when it was written the head was gone: entries before it may have been cut off"
    return f"when it was written, entries up to {lost['head']} had been there and were gone"
