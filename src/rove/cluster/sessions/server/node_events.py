"""What nodes tell and ask the server about sessions."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol

from rove.cluster.payload import encode
from rove.cluster.placement.state_saver import StateSaver
from rove.cluster.sessions.messages import Event, FileFacts, SessionFacts
from rove.cluster.sessions.saved_session import SavedSession
from rove.cluster.sessions.server.remote_run import RemoteRun
from rove.cluster.sessions.server.remote_session import RemoteSession
from rove.engine.journal_store import Unwritable
from rove.engine.people.handoffs import HandoffEnd, HandoffRequest, People
from rove.engine.served.owned_sessions import OwnedSessions
from rove.engine.watcher import StepWatcher
from rove.errors import Denied, JournalFailed, NotOpen
from rove.guard.policy.approval import ApprovalAnswer, ApprovalRequest, Approver
from rove.states.state import BrowserState
from rove.tasks import BackgroundTasks

DIRECTORY = ("open_session", "refuse_if_full", "close_session", "sessions")
STATES = ("save", "load", "list", "show", "delete", "import_", "export")


class RemoteSessions(Protocol):
    """All sessions of the server."""

    def find(self, name: str, /) -> RemoteSession | None: ...
    def owned_by(self, owner: str | None, default: str | None = None, /) -> OwnedSessions[RemoteSession]: ...
    def node_of(self, session: str, /) -> str | None: ...
    async def ended(self, session: RemoteSession, node: str, /) -> None:
        """Drop a session that its node has closed."""


class NodeEvents:
    """Takes events and answers questions of nodes. Without a person to ask, the answer is no."""

    def __init__(
        self,
        sessions: RemoteSessions,
        calls: dict[str, RemoteRun],
        approver: Approver | None,
        people: People | None,
        watcher: StepWatcher | None,
        saver: StateSaver,
    ) -> None:
        self._sessions = sessions
        self._calls = calls
        self._approver = approver
        self._people = people
        self._watcher = watcher
        self._saver = saver
        self._tasks = BackgroundTasks("the events of nodes", expected=(NotOpen,))
        self._takers: dict[str, Callable[..., None]] = {
            "facts": self._facts,
            "closed": self._closed,
            "refused": self._refused,
            "saved": self._saved,
            "files": self._files,
            "progress": self._progress,
            "handoff_ended": self._handoff_ended,
            "log": self._log,
        }

    def receive(self, node: str, event: Event) -> None:
        """Take an event; returns at once."""
        kind, *told = event
        self._takers[kind](node, *told)

    async def reply(self, node: str, question: str, arguments: tuple[Any, ...]) -> Any:
        """Answer a question. Raises RoveError."""
        answers: dict[str, Callable[..., Any]] = {
            "journal_begin": self._journal_begin,
            "journal_end": self._journal_end,
            "approve": self._approve,
            "has_approved": self._has_approved,
            "hand_off": self._hand_off,
            "directory": self._directory,
            "keep_login": self._keep_login,
        }
        return await answers[question](node, *arguments)

    # Events

    def _facts(self, node: str, facts: SessionFacts) -> None:
        if (session := self._here(node, facts.name)) is not None:
            session.update(facts)
            if self._watcher is not None:
                self._watcher.session_changed(facts.name)

    def _closed(self, node: str, name: str) -> None:
        if (session := self._here(node, name)) is not None:
            self._tasks.start(self._sessions.ended(session, node))

    def _refused(self, node: str, name: str, refused: dict[str, Any]) -> None:
        if self._watcher is not None and self._here(node, name) is not None:
            self._watcher.guard_refused(name, refused)

    def _saved(self, node: str, name: str, saved: SavedSession, facts: SessionFacts) -> None:
        if (session := self._here(node, name)) is not None:
            session.update(facts)
            self._saver.save(name, encode(saved))

    def _files(self, node: str, name: str, files: tuple[FileFacts, ...]) -> None:
        if (session := self._here(node, name)) is not None:
            self._tasks.start(session.files.fetch(files))

    def _progress(self, node: str, call: str, message: str, done: int, total: int) -> None:
        if (run := self._calls.get(call)) is not None:
            run.report(message, done, total)

    def _handoff_ended(self, node: str, request: HandoffRequest, outcome: HandoffEnd) -> None:
        if self._people is not None:
            self._people.end(request, outcome)

    def _log(self, node: str, logger: str, level: int, message: str, session: str) -> None:
        where = f"node {node}, session {session}" if session else f"node {node}"
        # The node chooses the words, so they are no format.
        logging.getLogger(logger).log(level, "%s: %s", where, message, extra={"node": node, "session": session})

    # Questions

    async def _journal_begin(self, node: str, name: str, facts: dict[str, Any]) -> int:
        session = self._required(node, name)
        line = {**facts, "node": node}
        try:
            number = await session.journal.store.begin(line)
        except Unwritable as error:
            raise JournalFailed(error.sentence) from error
        if self._watcher is not None:
            self._watcher.step_began(line)
        return number

    async def _journal_end(self, node: str, name: str, number: int | None, facts: dict[str, Any]) -> None:
        session = self._required(node, name)
        line = session.files.from_node({**facts, "node": node})
        if self._watcher is not None and number is not None:
            self._watcher.step_ended(line)
        try:
            await session.journal.store.end(number, line)
            session.journal.note_attachments(line)
        except Unwritable as error:
            raise JournalFailed(error.sentence) from error

    async def _approve(self, node: str, call: str | None, request: ApprovalRequest) -> ApprovalAnswer:
        if call is None:
            return ApprovalAnswer.NO if self._approver is None else await self._approver.answer(request)
        run = self._calls.get(call)
        return ApprovalAnswer.NO if run is None else await run.ask(request)

    async def _has_approved(self, node: str, call: str, request: ApprovalRequest) -> bool:
        run = self._calls.get(call)
        return run is not None and await run.has_approved(request)

    async def _hand_off(self, node: str, request: HandoffRequest) -> None:
        if self._people is None:
            raise Denied("There is no person to hand over to.")
        await self._people.ask(request)

    async def _directory(self, node: str, name: str, what: str, *arguments: Any) -> Any:
        """Do for a session what its client may: with the client's own sessions and states alone."""
        session = self._required(node, name)
        owned = self._sessions.owned_by(session.owner, name)
        if what == "states" and arguments[0] in STATES:
            return await getattr(owned.states, arguments[0])(*arguments[1:])
        if what not in DIRECTORY:
            raise NotOpen(f"Sessions have no directory {what}.")
        return await getattr(owned, what)(*arguments)

    async def _keep_login(self, node: str, name: str, state: BrowserState, is_final: bool) -> None:
        if (session := self._here(node, name)) is not None:  # else it is on another node, which has its state
            await session.login.keep(state, is_final)

    def _here(self, node: str, name: str) -> RemoteSession | None:
        """Return a session, if it is open and on that node: another node has no say in it."""
        session = self._sessions.find(name)
        return session if session is not None and self._sessions.node_of(name) == node else None

    def _required(self, node: str, name: str) -> RemoteSession:
        if (session := self._here(node, name)) is None:
            raise NotOpen(f"The session {name} is not open on this node.")
        return session
