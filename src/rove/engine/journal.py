"""The journal of a session: one line per action or message, chained to the line before it and never rewritten.

An action that cannot be recorded is not run. Its entry is written when it is over. If that fails, the caller gets an
error, the entry is kept in memory, and no other action runs until it has been written. When an action begins, a file
beside the journal says so: if the process is killed meanwhile, the next process that opens the journal records it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from base64 import b64encode
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Protocol

from rove.action import AnyAction
from rove.engine.guard_notice import GUARDED
from rove.engine.redaction import Redactor
from rove.errors import JournalFailed, RoveError
from rove.outcome import Attachment
from rove.records import dataclass
from rove.settings.tree import Journaling
from rove.storage.ledger import PATIENCE, LedgerFiles, LockHeld
from rove.storage.ledger_writer import Ledger, OpenEntries

log = logging.getLogger(__name__)
KILLED = "the process was killed in the middle of it"
KILOBYTE = 1024
REDACTION_FAILED = "(not kept: removing secrets from it failed)"
# Recorded instead of a text that an action was not allowed to type into a password field.
PASSWORD_TEXT = "(not kept: it was refused to a password field)"
_KEPT_ARGUMENTS = ("target", "action")
# The parts of an entry that may hold text of a page or of the agent.
_PAGE_TEXTS = ("arguments", "summary", "url", "error", "changes", "elements")
# Most characters that are kept of what an action changed on the page.
MOST_CHANGES = 2000
# Of an entry that is no action: the digests of its attachments that are in earlier entries.
EARLIER = "earlierAttachments"
MOST_REMEMBERED = 200


class StepWatcher(Protocol):
    """Is told of every step. Its methods are called on the event loop; they must return at once and not raise.

    A step is the entry of the journal, without secrets: `session`, `step` (its id), `action`, `arguments`, `summary`,
    `actor`, `tab`, `url`, `decision`, `outcome`, `error`, `began`, `seconds`, `attachments`. When it begins, it says
    what is known until then.
    """

    def step_began(self, step: Mapping[str, Any], /) -> None: ...
    def step_ended(self, step: Mapping[str, Any], /) -> None: ...
    def session_opened(self, session: str, /) -> None: ...
    def session_closed(self, session: str, /) -> None: ...
    def session_changed(self, session: str, /) -> None:
        """Another page, another tab, or another driver. What it is now is in `Session.describe()`."""

    def guard_refused(self, session: str, refused: Mapping[str, Any], /) -> None:
        """A page or an agent asked for a host that the guard refuses: `host`, `reason`, `message`, `flag`.

        `flag` is the flag that allows it; None if none does.
        """


class Unwritable(OSError):
    """A journal cannot be written; `sentence` says which, and why."""

    @property
    def sentence(self) -> str:
        return str(self.strerror)


class JournalStore(Protocol):
    """Keeps entries, as JSON data without secrets. Raises Unwritable."""

    async def begin(self, facts: dict[str, Any], /) -> int:
        """Make sure that an action can be recorded, and note that it begins; return the number to end it by."""
        ...

    async def end(self, number: int | None, facts: dict[str, Any], /) -> None:
        """Keep an entry for good. `number`: that of the action which is over, if it tells of one."""

    async def close(self) -> None:
        """Keep what is not kept yet. An action that ends later, as the one that closes a session, is kept too."""


class LedgerStore:
    """Appends to `sessions/<name>.jsonl`, readable by its owner only."""

    def __init__(self, folder: Path, session: str, settings: Journaling) -> None:
        self._files = LedgerFiles(folder, session)
        self._ledger = Ledger(self._files, settings.file_megabytes * KILOBYTE * KILOBYTE, settings.keep_files)
        # Entries that are not written yet, each with the number under which its action has begun.
        self._unwritten: list[tuple[int | None, dict[str, Any]]] = []
        self._open_entries = OpenEntries(self._files)
        self._has_recorded_killed = False
        self._is_closed = False
        # Held while the files are used, as a thread may use them.
        self._lock = asyncio.Lock()

    async def begin(self, facts: dict[str, Any], /) -> int:
        try:
            await self._acquire()
            try:
                await self._write_all()
                self._ledger.ready()
                await self._record_killed()
                return self._open_entries.begin(facts)
            finally:
                self._lock.release()
        except OSError as error:
            raise self._unwritable(error) from error

    async def end(self, number: int | None, facts: dict[str, Any], /) -> None:
        self._unwritten.append((number, facts))
        try:
            await self._write_in_turn()
        except OSError as error:
            raise self._unwritable(error) from error

    async def close(self) -> None:
        async with self._lock:
            self._is_closed = True
            try:
                await self._write_all()
            except OSError as error:
                log.error("%s; %d action(s) are not in it", self._unwritable(error).sentence, len(self._unwritten))
            self._close_files()

    def _close_files(self) -> None:
        if self._open_entries.is_empty:  # else the file stays locked, as this process lives
            self._open_entries.close()
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

    async def _record_killed(self) -> None:
        """Record the actions of processes that were killed while they ran."""
        if self._has_recorded_killed:
            return
        for facts in self._open_entries.take_over():
            # What a process was killed while noting cannot be read, and does not say whose it is.
            whose = {"session": self._files.name}
            self._unwritten.append((None, {**whose, **facts, "outcome": "broken off", "error": KILLED}))
        self._has_recorded_killed = True
        await self._write_all()

    async def _write_in_turn(self) -> None:
        await self._acquire()
        try:
            await self._write_all()
        finally:
            if self._is_closed:
                self._close_files()
            self._lock.release()

    async def _write_all(self) -> None:
        """Write the entries that are not written yet, oldest first.

        This takes microseconds. If another process holds the lock, a thread waits for it instead of the event loop.
        """
        while self._unwritten:
            try:
                self._write_oldest(patience=0)
            except LockHeld:
                await _wait_uninterrupted(asyncio.to_thread(self._write_oldest, PATIENCE))

    def _write_oldest(self, patience: float) -> None:
        number, facts = self._unwritten[0]
        self._ledger.append(facts, patience)
        del self._unwritten[0]
        if number is not None:
            self._open_entries.end(number)

    def _unwritable(self, error: OSError) -> Unwritable:
        return Unwritable(
            error.errno, f"the journal {self._files.current} cannot be written: {error.strerror or error}"
        )


async def _wait_uninterrupted(work: Coroutine[Any, Any, None]) -> None:
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


@dataclass
class Entry:
    """What is known of an action so far. `actor`: the agent, or the person who drives the session."""

    action: str
    arguments: dict[str, Any]
    summary: str = ""
    actor: Literal["agent", "person"] = "agent"
    step: str = field(default_factory=lambda: os.urandom(8).hex())
    tab: str | None = None
    url: str | None = None
    decision: str = "undecided"
    outcome: str = "unfinished"
    error: str | None = None
    began: float = field(default_factory=time.time)
    seconds: float = 0.0
    attachments: tuple[Attachment, ...] = ()
    changes: str = ""
    # Where in the viewport the element was that the action targets, if that was looked for.
    box: dict[str, float] | None = None
    # What the elements that it targets can be found by later, by the paths of its arguments.
    elements: dict[str, Any] = field(default_factory=dict[str, Any])
    guard: str = GUARDED

    def add_error(self, error: RoveError | None) -> None:
        """Note the error that the action ended with, if there is one."""
        if error is None:
            return
        self.outcome, self.error = error.code, error.message
        if error.conceals:
            self.arguments, self.summary, self.elements = _hide_texts(self.arguments), self.action, {}


class Journal:
    """Turns what happens in a session into entries without secrets, and tells a watcher of its steps."""

    def __init__(
        self,
        folder: Path,
        session: str,
        settings: Journaling | None = None,
        redactor: Redactor | None = None,
        guard: str = GUARDED,
        watcher: StepWatcher | None = None,
        store: JournalStore | None = None,
    ) -> None:
        """`store`: keeps the entries, instead of the ledger of this session in `folder`."""
        settings = settings or Journaling()
        self.store = store or LedgerStore(folder, session, settings)
        self._session = session
        self._largest_attachment = settings.attachment_kilobytes * KILOBYTE
        self._redactor = redactor
        self._guard = guard
        self._watcher = watcher
        # The digests of the last attachments of actions that are on record.
        self._attached: deque[str] = deque(maxlen=MOST_REMEMBERED)

    @contextlib.asynccontextmanager
    async def entry(self, action: AnyAction) -> AsyncGenerator[Entry]:
        """Record an action when it is over, however it ended. Raises JournalFailed before it begins if it cannot."""
        async with self.writing(Entry(action.verb, action.recorded, action.describe(), guard=self._guard)) as entry:
            yield entry

    @contextlib.asynccontextmanager
    async def writing(self, entry: Entry) -> AsyncGenerator[Entry]:
        """Write an entry when what it tells of is over, however it ended."""
        number = await self.begin(entry)
        began = time.monotonic()
        try:
            yield entry
        except RoveError as error:
            entry.add_error(error)
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

    async def record(self, kind: str, data: Mapping[str, Any], attachments: tuple[Attachment, ...] = ()) -> None:
        """Write an entry that is no action, such as a message of a chat. Raises JournalFailed.

        `kind` says what it is; `data` has no key of its own that every entry has. Attachments that the entries of
        actions have already are named by their digests: each is in the record once.
        """
        facts = {"session": self._session, "kind": kind, "began": time.time(), **self.redacted(dict(data))}
        all_data = [self._attachment_data(attachment) for attachment in attachments]
        facts["attachments"] = [each for each in all_data if each["sha256"] not in self._attached]
        if earlier := [each["sha256"] for each in all_data if each["sha256"] in self._attached]:
            facts[EARLIER] = earlier
        try:
            await self.store.end(None, facts)
        except Unwritable as error:
            raise JournalFailed(f"A {kind} is not on record: {error.sentence}.") from error

    async def close(self) -> None:
        """Close the files. An action that ends later, such as the one that closes the session, opens them once more."""
        await self.store.close()

    async def begin(self, entry: Entry) -> int:
        """Make sure that an action can be recorded, and that it is known to begin. Raises JournalFailed."""
        data = self.data_of(entry)
        try:
            number = await self.store.begin(data)
        except Unwritable as error:
            raise JournalFailed(f"Nothing was done: {error.sentence}.") from error
        if self._watcher is not None:
            _tell(self._watcher.step_began, data)
        return number

    async def _record(self, number: int, entry: Entry, began: float) -> None:
        entry.seconds = round(time.monotonic() - began, 4)
        await self.end(number, self.data_of(entry))

    async def end(self, number: int, data: dict[str, Any]) -> None:
        """Write the entry of an action that is over. Raises JournalFailed."""
        outcome: str = data["outcome"]
        if self._watcher is not None:
            _tell(self._watcher.step_ended, data)
        try:
            await self.store.end(number, data)
            self.note_attachments(data)
        except Unwritable as error:
            raise JournalFailed(
                f"It ended as {outcome!r}, but is not on record: {error.sentence}.",
                hint=f"Do not do it again. {JournalFailed.default_hint}",
            ) from error

    def note_attachments(self, data: Mapping[str, Any]) -> None:
        """Note that the entry of an action with these attachments is written."""
        self._attached.extend(each["sha256"] for each in data.get("attachments", ()))

    async def _record_if_possible(self, number: int, entry: Entry, began: float) -> None:
        """Record an action that was broken off. What broke it off, such as a cancellation, must reach the caller."""
        try:
            await self._record(number, entry, began)
        except JournalFailed as failed:
            log.error("%s", failed.message)

    def data_of(self, entry: Entry) -> dict[str, Any]:
        """Return an entry as JSON data, without secrets."""
        data = {"session": self._session, "kind": "action", **vars(entry)}
        if entry.box is None:
            del data["box"]
        data["attachments"] = [self._attachment_data(attachment) for attachment in entry.attachments]
        data |= self.redacted({name: data[name] for name in _PAGE_TEXTS})
        if not data["elements"]:
            del data["elements"]
        # After secrets are removed, or half of one could be left at the end.
        return data | {"changes": _shortened(data["changes"])}

    def redacted(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return data with secrets removed from every text in it."""
        if self._redactor is None or not self._redactor.names:
            return data
        return {name: self._redact_value(value) for name, value in data.items()}

    def _attachment_data(self, attachment: Attachment) -> dict[str, Any]:
        """Return an attachment as JSON data: always its size and hash, and its content if that is small enough."""
        data: dict[str, Any] = {
            "type": attachment.kind,
            "mimeType": attachment.mime,
            "name": self._redact_value(attachment.name),
            "bytes": len(attachment.data),
            "sha256": sha256(attachment.data).hexdigest(),
        }
        if len(attachment.data) <= self._largest_attachment:
            data["data"] = b64encode(attachment.data).decode("ascii")
        return data

    def _redact_value(self, value: Any) -> Any:
        """Return a value with secrets removed from every text in it."""
        if isinstance(value, str):
            return self._redact_text(value)
        if isinstance(value, dict):
            return {self._redact_value(key): self._redact_value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._redact_value(item) for item in value]
        return value

    def _redact_text(self, text: str) -> str:
        if self._redactor is None:
            return text
        try:
            return self._redactor.redact(text)
        except Exception:
            log.exception("secrets could not be removed from a journal entry")
            return REDACTION_FAILED


def _tell(told: Callable[[Mapping[str, Any]], None], step: Mapping[str, Any]) -> None:
    """Tell a watcher of a step. A fault of the watcher must keep no action from running, nor from being written."""
    try:
        told(step)
    except Exception:
        log.exception("the watcher failed on a step")


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_CHANGES else text[:MOST_CHANGES] + "…"


def _hide_texts(value: Any, name: str = "") -> Any:
    """Replace every text in the arguments of an action, except its targets and the names of actions."""
    if isinstance(value, dict):
        parts: dict[str, Any] = value
        return {key: _hide_texts(part, key) for key, part in parts.items()}
    if isinstance(value, list):
        items: list[Any] = value
        return [_hide_texts(item) for item in items]
    return PASSWORD_TEXT if isinstance(value, str) and name not in _KEPT_ARGUMENTS else value
