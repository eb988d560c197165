"""The record of what was done: one line per action, chained to the line before it and never rewritten.

An action that cannot be recorded is not run. It is written down when it is over; should that fail, the caller is told,
the entry is kept in memory, and no other action runs before it has been written. That it begins is said beside the
ledger, so that a process which is killed meanwhile leaves word of it; the next one puts it on record.
"""

from __future__ import annotations

import contextlib
import logging
import time
from base64 import b64encode
from collections.abc import Callable, Generator
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any

from rove.action import AnyAction
from rove.engine.guard_notice import GUARDED
from rove.errors import JournalFailed, RoveError
from rove.ledger.files import LedgerFiles
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
        self._owed: list[dict[str, Any]] = []
        self._underway = OpenEntries(self._volumes)
        self._has_taken_over = False

    @contextlib.contextmanager
    def entry(self, action: AnyAction) -> Generator[Entry]:
        """An entry that is written when the action is over, however it ended; nothing begins that could not be."""
        entry = Entry(action.verb, action.arguments, guard=self._guard)
        number = self._begin(entry)
        began = time.monotonic()
        try:
            yield entry
        except RoveError as error:
            entry.note(error)
            self._record(entry, began)
            raise
        except BaseException as error:
            entry.outcome, entry.error = "broken off", type(error).__name__
            self._record_if_possible(entry, began)
            raise
        else:
            if entry.error is None:
                entry.outcome = "done"
            self._record(entry, began)
        finally:
            if not self._owed:
                self._underway.end(number)

    def close(self) -> None:
        """Let go of the files. Whatever is still recorded opens them again."""
        try:
            self._settle()
        except OSError as error:
            log.error("%s; %d action(s) are not in it", self._trouble(error), len(self._owed))
        self._underway.close()
        self._ledger.close()

    def _begin(self, entry: Entry) -> int:
        """Make sure that it can be recorded, and say that it begins."""
        try:
            self._settle()
            self._ledger.ready()
            self._take_over()
            return self._underway.begin(self._facts(entry))
        except OSError as error:
            raise JournalFailed(f"Nothing was done: {self._trouble(error)}.") from error

    def _take_over(self) -> None:
        """Put on record what processes had begun that were killed."""
        if self._has_taken_over:
            return
        for facts in self._underway.take_over():
            self._owed.append({**facts, "outcome": "broken off", "error": KILLED})
        self._has_taken_over = True
        self._settle()

    def _record(self, entry: Entry, began: float) -> None:
        entry.seconds = round(time.monotonic() - began, 4)
        self._owed.append(self._facts(entry))
        try:
            self._settle()
        except OSError as error:
            raise JournalFailed(
                f"It ended as {entry.outcome!r}, but is not on record: {self._trouble(error)}.",
                hint=f"Do not do it again. {JournalFailed.default_hint}",
            ) from error

    def _record_if_possible(self, entry: Entry, began: float) -> None:
        """What broke the action off, a cancellation for one, must reach whoever waits for it."""
        try:
            self._record(entry, began)
        except JournalFailed as failed:
            log.error("%s", failed.message)

    def _settle(self) -> None:
        while self._owed:
            self._ledger.append(self._owed[0])
            del self._owed[0]

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


def _concealed(value: Any, name: str = "") -> Any:
    """The same without its texts, but for where they were to go."""
    if isinstance(value, dict):
        parts: dict[str, Any] = value
        return {key: _concealed(part, key) for key, part in parts.items()}
    if isinstance(value, list):
        items: list[Any] = value
        return [_concealed(item) for item in items]
    return CONCEALED if isinstance(value, str) and name not in _TARGETS else value
