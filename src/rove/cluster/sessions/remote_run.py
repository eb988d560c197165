"""One action of a session on a node, with the files that it reads there and writes."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import os
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, Protocol, TypeVar

from rove.action import AnyAction, Effect
from rove.advice import Names, insert_names
from rove.cluster.sessions.messages import FileFacts, RunAnswer, RunRequest, SessionFacts
from rove.cluster.sessions.node_files import CHUNK_BYTES
from rove.engine.journal import Entry, Journal
from rove.engine.run_request import Report, ignore_progress
from rove.errors import JournalFailed, NodeLost, RoveError
from rove.guard.policy import ApprovalAnswer, ApprovalRequest, Approver, InformedApprover
from rove.outcome import AnyOutcome, ViewKind
from rove.page_text import of_same_author
from rove.workspace import Workspace

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from rove.cluster.sessions.node_links import NodeLinks

log = logging.getLogger(__name__)
V = TypeVar("V")
# Bytes of a file that are held in memory on their way.
MEMORY_BYTES = 16 * 2**20
Call = Callable[..., Awaitable[Any]]


class SessionFiles:
    """The server's side of one session's files. `call` reaches the node that the session is on."""

    def __init__(self, workspace: Path, call: Call) -> None:
        self._workspace = Workspace(workspace)
        self._call = call
        # The versions of files that the node has, and the names that files of the node have here.
        self._sent: dict[str, tuple[int, int]] = {}
        self._names: dict[str, str] = {}
        self._root = ""
        # Whether there are files on the node, whose paths may be told.
        self.has_some = False
        self._lock = asyncio.Lock()

    def begin(self, root: str) -> None:
        """Note where the files are on the node that the session has been opened on, which has none of them yet."""
        if root != self._root:
            self._root = root
            self._sent.clear()
            self._names.clear()

    async def send(self, paths: Sequence[str]) -> None:
        """Send the files that an action may read, as far as they exist and the node does not have them."""
        for path in dict.fromkeys(paths):
            if (relative := self._relative(path)) is not None:
                await self._send(relative)

    async def fetch(self, files: Sequence[FileFacts]) -> None:
        """Copy files of the node into the workspace. One that is new gets a name that is not taken."""
        async with self._lock:  # also to wait for those that were told before
            for file in files:
                await self._fetch(file)

    def to_node(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments in which paths of the workspace are those of the node."""
        return _replaced(arguments, ((str(self._workspace.root), self._root),)) if self._root else arguments

    def from_node(self, value: V) -> V:
        """Return an outcome, an error or an entry in which paths of the node are those of the workspace."""
        if not self._root or not self.has_some:
            return value
        root = str(self._workspace.root)
        renamed = [(f"{self._root}/{node}", f"{root}/{here}") for node, here in self._names.items() if node != here]
        replaced: V = _replaced(value, (*renamed, (self._root, root)))
        return replaced

    def _relative(self, path: str) -> str | None:
        """Return a path relative to the workspace; None if it is not in it."""
        if not self._workspace.names(path):
            return None
        given = PurePosixPath(path)
        return str(given.relative_to(str(self._workspace.root)) if given.is_absolute() else given)

    async def _send(self, path: str) -> None:
        try:
            with self._workspace.reading(path) as file:
                version = file.size, file.changed
                if self._sent.get(path) == version:
                    return
                for offset in range(0, max(file.size, 1), CHUNK_BYTES):
                    data = await asyncio.to_thread(os.pread, file.descriptor, CHUNK_BYTES, offset)
                    await self._call("write_file", path, data, offset == 0)
        except RoveError:
            # The action says what is wrong with the path, as it does where the workspace is its own.
            if (self._workspace.root / path).exists():
                raise
            return
        self._sent[path], self._names[path] = version, path

    async def _fetch(self, file: FileFacts) -> None:
        with tempfile.SpooledTemporaryFile(MEMORY_BYTES) as copy:
            for offset in range(0, file.size, CHUNK_BYTES):
                copy.write(await self._call("read_file", file.path, offset))
            written = await asyncio.to_thread(self._write, file, copy)
        self._names[file.path] = written
        with contextlib.suppress(RoveError), self._workspace.reading(written) as here:
            self._sent[written] = here.size, here.changed

    def _write(self, file: FileFacts, copy: IO[bytes]) -> str:
        copy.seek(0)
        known = self._names.get(file.path)
        folder, _, name = (known or file.path).rpartition("/")
        path = self._workspace.write(folder or ".", name, _chunks(copy), replaces=known is not None)
        return str(path.relative_to(self._workspace.root))


def _chunks(copy: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: copy.read(CHUNK_BYTES), b"")


def _replaced(value: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    """Return a value in which each text has one path instead of another. Whose words a text is stays as it was."""
    if isinstance(value, str):
        return _replaced_text(value, pairs)
    if isinstance(value, RoveError):
        value.parts = tuple(_replaced(part, pairs) for part in value.parts)
        value.hint = _replaced(value.hint, pairs)
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.init}
        new = {name: _replaced(old, pairs) for name, old in fields.items()}
        changed = {name: each for name, each in new.items() if each is not fields[name]}
        return dataclasses.replace(value, **changed) if changed else value
    return _replaced_items(value, pairs)


def _replaced_items(value: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    """Return a collection with paths replaced; the same one if nothing in it has changed."""
    if isinstance(value, dict):
        entries: dict[Any, Any] = value
        made = {key: _replaced(item, pairs) for key, item in entries.items()}
        return made if any(made[key] is not item for key, item in entries.items()) else value
    if isinstance(value, list | tuple):
        items: Sequence[Any] = value
        new = [_replaced(item, pairs) for item in items]
        if all(each is old for each, old in zip(new, items, strict=True)):
            return value
        return new if isinstance(value, list) else tuple(new)
    return value


def _replaced_text(text: str, pairs: Sequence[tuple[str, str]]) -> str:
    for old, new in pairs:
        if old in text:
            text = of_same_author(text.replace(old, new), text)
    return text


class CallingSession(Protocol):
    """A session as one run sees it."""

    @property
    def name(self) -> str: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def files(self) -> SessionFiles: ...
    @property
    def links(self) -> NodeLinks: ...
    @property
    def calls(self) -> dict[str, RemoteRun]:
        """The actions that run now, by the ids of their calls."""
        ...

    def calling(self) -> AbstractAsyncContextManager[str]: ...
    def update(self, facts: SessionFacts, /) -> None: ...


class RemoteRun:
    """Runs one action on a node."""

    def __init__(
        self,
        session: CallingSession,
        action: AnyAction,
        tab: str | None,
        timeout: float | None,
        report: Report,
        quiet: bool,
        channel: Approver | None,
        names: Names,
        view: ViewKind | None,
    ) -> None:
        self._session = session
        self._action = action
        self._tab = tab
        self._timeout = timeout
        self.report = report
        self._quiet = quiet
        self._channel = channel
        self._names = names
        self._view: ViewKind | None = view
        self._call = uuid.uuid4().hex
        # The node that it was sent to.
        self._node = ""

    async def run(self) -> AnyOutcome:
        """Return the outcome. An action that cannot be recorded is not sent."""
        journal = self._session.journal
        entry = Entry(self._action.verb, self._action.recorded, self._action.describe())
        number = await journal.begin(entry)
        began = time.monotonic()
        try:
            answer = await self._answered(number)
        except RoveError as error:
            error.hint = insert_names(error.hint, self._names)
            entry.add_error(error)
            await journal.end(number, self._own_line(entry, began))
            raise
        except BaseException as error:
            entry.outcome, entry.error = "broken off", type(error).__name__
            await self._record_if_possible(number, self._own_line(entry, began))
            raise
        await journal.end(number, self._line_of(answer, entry, began))
        if answer.error is not None:
            raise answer.error
        assert answer.outcome is not None, "an answer has an outcome or an error"
        return answer.outcome

    async def ask(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Return what the person of the caller answers; without one, no."""
        return ApprovalAnswer.NO if self._channel is None else await self._channel.answer(request)

    async def has_approved(self, request: ApprovalRequest) -> bool:
        """Whether the person of the caller has approved this as a part of the call that they were shown."""
        return isinstance(self._channel, InformedApprover) and await self._channel.has_approved(request)

    async def _answered(self, number: int) -> RunAnswer:
        """Send the action to the session's node, with the files that it may read; fetch those that it has written."""
        session = self._session
        session.calls[self._call] = self
        try:
            async with session.calling() as self._node:
                await session.files.send(self._action.files_read)
                answer = await self._sent(number)
                await session.files.fetch(answer.files)
            return session.files.from_node(answer)
        finally:
            del session.calls[self._call]

    async def _sent(self, number: int) -> RunAnswer:
        session = self._session
        try:
            answer: RunAnswer = await session.links.call(self._node, "run", session.name, self._request(number))
        except NodeLost as error:
            raise _lost(self._node, self._action) from error
        if answer.facts is not None:
            session.update(answer.facts)
        return answer

    def _request(self, number: int) -> RunRequest:
        return RunRequest(
            self._call,
            self._action.verb,
            self._session.files.to_node(self._action.arguments),
            number,
            self._tab,
            self._timeout,
            self._quiet,
            dict(self._names),
            self._view,
            self._channel is not None,
            self.report is not ignore_progress,
        )

    def _line_of(self, answer: RunAnswer, entry: Entry, began: float) -> dict[str, Any]:
        """Return the node's line, as that of the entry which was opened here."""
        if answer.line is None:  # the node refused it before it had an entry
            entry.add_error(answer.error)
            return self._own_line(entry, began)
        return {**answer.line, "step": entry.step, "began": entry.began, "node": self._node}

    def _own_line(self, entry: Entry, began: float) -> dict[str, Any]:
        entry.seconds = round(time.monotonic() - began, 4)
        node = {"node": self._node} if self._node else {}
        return {**self._session.journal.data_of(entry), **node}

    async def _record_if_possible(self, number: int, line: dict[str, Any]) -> None:
        """Record an action that was broken off. What broke it off, such as a cancellation, must reach the caller."""
        try:
            await self._session.journal.end(number, line)
        except JournalFailed as failed:
            log.error("%s", failed.message)


def _lost(node: str, action: AnyAction) -> NodeLost:
    """Return the error for an action whose node was lost, or could not be heard any more, while it ran."""
    hint = "Call again: the session is opened on another node, with its logins and at its last pages."
    only_reads = action.effects == (Effect.READ,)
    said = "" if only_reads else " It may be half done."
    more = "" if only_reads else " Look at the page with {snapshot} before you do it again."
    return NodeLost(
        f"The node {node} was lost while this ran.{said}", hint=hint + more, retryable=only_reads, retry_after=None
    )
