"""The record of what was done: one line per action, chained to the line before it and never rewritten.

An action that cannot be recorded is not run. It is written down when it is over; should that fail, the caller is told,
the entry is kept in memory, and no other action runs before it has been written. That it begins is said beside the
ledger, so that a process which is killed meanwhile leaves word of it; the next one puts it on record.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any

from rove.action import AnyAction
from rove.engine.guard_notice import GUARDED
from rove.errors import JournalFailed, RoveError
from rove.ledger.files import PATIENCE, LedgerFiles, LockHeld
from rove.ledger.open_entries import OpenEntries
from rove.ledger.writer import Ledger
from rove.outcome import Attachment
from rove.record import dataclass
from rove.settings import Journaling

log = logging.getLogger(__name__)
Redact = Callable[[str], str]
WITHHELD = "(withheld: what removes secrets failed on it)"
KILLED = "the process was killed in the middle of it"
KILOBYTE = 1024
# Of what was refused to a password field, this much is kept.
CONCEALED = "(not kept: it was refused to a password field)"
_TARGETS = ("target", "action")


@dataclass
class Entry:
    """What is known of one action so far."""

    action: str
    arguments: dict[str, Any]
    tab: str | None = None
    url: str | None = None
    decision: str = "undecided"
    outcome: str = "unfinished"
    error: str | None = None
    began: float = field(default_factory=time.time)
    seconds: float = 0.0
    attachments: tuple[Attachment, ...] = ()
    guard: str = GUARDED

    def note(self, error: RoveError | None) -> None:
        """How it ended, if not well."""
        if error is None:
            return
        self.outcome, self.error = error.code, error.message
        if error.conceals:
            self.arguments = _concealed(self.arguments)


class Journal:
    """Appends to `sessions/<name>.jsonl`, readable by its owner only."""

    def __init__(
        self,
        folder: Path,
        session: str,
        settings: Journaling | None = None,
        redact: Redact | None = None,
        guard: str = GUARDED,
    ) -> None:
        settings = settings or Journaling()
        self._session = session
        self._volumes = LedgerFiles(folder, session)
        self._ledger = Ledger(self._volumes, settings.file_megabytes * KILOBYTE * KILOBYTE, settings.keep_files)
        self._largest_attachment = settings.attachment_kilobytes * KILOBYTE
        self._redact = redact
        self._guard = guard
        # Entries that are not written yet, each with the number under which the action is said to be under way.
        self._owed: list[tuple[int | None, dict[str, Any]]] = []
        self._underway = OpenEntries(self._volumes)
        self._has_taken_over = False
        # Held while the files are used, as a thread may use them.
        self._lock = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def entry(self, action: AnyAction) -> AsyncGenerator[Entry]:
        """Record an action when it is over, however it ended. Raises JournalFailed before it begins if that is not
        possible.
        """
        entry = Entry(action.verb, action.arguments, guard=self._guard)
        number = await self._begin(entry)
        began = time.monotonic()
        try:
            yield entry
        except RoveError as error:
            entry.note(error)
            await self._record(number, entry, began)
            raise
        except BaseException as error:
            entry.outcome, entry.error = "broken off", type(error).__name__
            await self._record_if_possible(number, entry, began)
            raise
        else:
            if entry.error is None:
                entry.outcome = "done"
            await self._record(number, entry, began)

    async def close(self) -> None:
        """Close the files. An action that ends later opens them again."""
        async with self._lock:
            try:
                await self._settle()
            except OSError as error:
                log.error("%s; %d action(s) are not in it", self._trouble(error), len(self._owed))
            self._underway.close()
            self._ledger.close()

    async def _acquire(self) -> None:
        """Wait to use the files alone. Raises LockHeld if an entry before this one waits too long for its turn."""
        if not self._lock.locked():
            await self._lock.acquire()
            return
        try:
            async with asyncio.timeout(PATIENCE):
                await self._lock.acquire()
        except TimeoutError:
            raise LockHeld from None

    async def _begin(self, entry: Entry) -> int:
        """Make sure that the action can be recorded, and write beside the ledger that it begins."""
        try:
            await self._acquire()
            try:
                await self._settle()
                self._ledger.ready()
                await self._take_over()
                return self._underway.begin(self._facts(entry))
            finally:
                self._lock.release()
        except OSError as error:
            raise JournalFailed(f"Nothing was done: {self._trouble(error)}.") from error

    async def _take_over(self) -> None:
        """Record what processes had begun that were killed since."""
        if self._has_taken_over:
            return
        for facts in self._underway.take_over():
            self._owed.append((None, {**facts, "outcome": "broken off", "error": KILLED}))
        self._has_taken_over = True
        await self._settle()

    async def _record(self, number: int, entry: Entry, began: float) -> None:
        entry.seconds = round(time.monotonic() - began, 4)
        self._owed.append((number, self._facts(entry)))
        try:
            await self._acquire()
            try:
                await self._settle()
            finally:
                self._lock.release()
        except OSError as error:
            raise JournalFailed(
                f"It ended as {entry.outcome!r}, but is not on record: {self._trouble(error)}.",
                hint=f"Do not do it again. {JournalFailed.default_hint}",
            ) from error

    async def _record_if_possible(self, number: int, entry: Entry, began: float) -> None:
        """Record an action that was broken off. What broke it off, such as a cancellation, must reach the caller."""
        try:
            await self._record(number, entry, began)
        except JournalFailed as failed:
            log.error("%s", failed.message)

    async def _settle(self) -> None:
        """Write the entries that are not written yet, oldest first.

        This takes microseconds. If another process holds the lock, a thread waits for it instead of the event loop.
        """
        while self._owed:
            try:
                self._write_oldest(patience=0)
            except LockHeld:
                await _uninterrupted(asyncio.to_thread(self._write_oldest, PATIENCE))

    def _write_oldest(self, patience: float) -> None:
        number, facts = self._owed[0]
        self._ledger.append(facts, patience)
        del self._owed[0]
        if number is not None:
            self._underway.end(number)

    def _trouble(self, error: OSError) -> str:
        return f"the journal {self._volumes.current} cannot be written: {error.strerror or error}"

    def _facts(self, entry: Entry) -> dict[str, Any]:
        said = {"session": self._session, **vars(entry)}
        said["attachments"] = [self._attached(attachment) for attachment in entry.attachments]
        if self._redact is not None:
            said |= {name: self._cleared(said[name]) for name in ("arguments", "url", "error")}
        return said

    def _attached(self, attachment: Attachment) -> dict[str, Any]:
        """The thing itself where it is small enough, and always what it can be known by."""
        said: dict[str, Any] = {
            "kind": attachment.kind,
            "mime": attachment.mime,
            "name": self._cleared(attachment.name),
            "bytes": len(attachment.data),
            "sha256": sha256(attachment.data).hexdigest(),
        }
        if len(attachment.data) <= self._largest_attachment:
            said["data"] = b64encode(attachment.data).decode("ascii")
        return said

    def _cleared(self, value: Any) -> Any:
        """A value with every string in it rid of secrets."""
        if isinstance(value, str):
            return self._without_secrets(value)
        if isinstance(value, dict):
            return {self._cleared(key): self._cleared(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._cleared(item) for item in value]
        return value

    def _without_secrets(self, text: str) -> str:
        if self._redact is None:
            return text
        try:
            return self._redact(text)
        except Exception:
            log.exception("secrets could not be removed from a journal entry")
            return WITHHELD


async def _uninterrupted(work: Coroutine[Any, Any, None]) -> None:
    """Wait for work to end, also when the caller is cancelled meanwhile: a thread cannot be cancelled."""
    working = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not working.done():
        try:
            await asyncio.wait({working})
        except asyncio.CancelledError as error:
            cancelled = error
    failed = working.exception()
    if cancelled is not None:
        raise cancelled
    if failed is not None:
        raise failed


def _concealed(value: Any, name: str = "") -> Any:
    """The same without its texts, but for where they were to go."""
    if isinstance(value, dict):
        parts: dict[str, Any] = value
        return {key: _concealed(part, key) for key, part in parts.items()}
    if isinstance(value, list):
        items: list[Any] = value
        return [_concealed(item) for item in items]
    return CONCEALED if isinstance(value, str) and name not in _TARGETS else value
