"""The sessions of a server on the nodes of a cluster, in place of those of its own process."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from types import TracebackType
from typing import Any, Protocol, Self

from rove.browser.network import files_for
from rove.browser.sessions import AS_SET, WindowChoice
from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import ClusterOptions
from rove.cluster.node.configuration import Configuration
from rove.cluster.payload import decode, encode
from rove.cluster.placement.placement import Placement
from rove.cluster.placement.relocation import NodeWatch, Relocation
from rove.cluster.placement.state_store import SessionStateStore, StateSaver
from rove.cluster.placement.status import NodeControl
from rove.cluster.sessions.messages import Approval, Event, FileFacts, Orders, SavedSession, SessionFacts
from rove.cluster.sessions.node_links import NodeLinks
from rove.cluster.sessions.remote_run import RemoteRun
from rove.cluster.sessions.remote_session import Parts, RemoteSession
from rove.engine.client_sessions import DEFAULT, OwnedSessions, OwnLimits, SessionChanges, own_settings
from rove.engine.gate import Gate
from rove.engine.journal import Journal, StepWatcher, Unwritable
from rove.engine.logins import Logins, SessionLogin
from rove.engine.people import HandoffEnd, HandoffRequest, People
from rove.engine.session_errors import SessionNames, checked_name, closed_error, not_open, refuse_login
from rove.errors import Denied, JournalFailed, NodeLost, NotOpen, RoveError, StateUnusable, Unsupported
from rove.guard.network.addresses import own_addresses
from rove.guard.policy import ApprovalAnswer, ApprovalRequest, Approver, NoApprover
from rove.owned_names import mark_of
from rove.settings.tree import Settings
from rove.storage.state import NO_LOGIN, BrowserState, LoginChoice
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
DIRECTORY = ("open_session", "refuse_if_full", "close_session", "sessions")
STATES = ("save", "load", "list", "show", "delete", "import_", "export")
LOST = "The machine that ran the session's browser was lost"
MOVED = "The session was moved to another machine"


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


class ClusterSessions:
    """Opens sessions on nodes, finds them, and opens them again elsewhere when their node is lost."""

    def __init__(
        self,
        settings: Settings,
        cluster: Cluster,
        approver: Approver | None = None,
        *,
        watcher: StepWatcher | None = None,
        people: People | None = None,
    ) -> None:
        _refuse_unsupported(settings)
        self.settings = settings
        self.cluster = cluster
        self.logins = Logins(settings)
        self.changes = SessionChanges()
        self.own_limits = OwnLimits(settings.serve)
        self._watcher = watcher
        configuration = Configuration.of(settings)
        self._secrets = configuration.named_secrets()
        self._gate = Gate(configuration.policy, approver, settings.deadlines.approval, files=files_for(settings))
        self._open: dict[str, RemoteSession] = {}
        # Those that are being closed, whose nodes still have entries for the journal and logins to save.
        self._closing: dict[str, RemoteSession] = {}
        self._names = SessionNames()
        self._ports: list[tuple[str, int]] = []
        self._calls: dict[str, RemoteRun] = {}
        approval: Approval = "caller" if approver is None else "owner"
        self._approval: Approval = "none" if isinstance(approver, NoApprover) else approval
        self._has_people = people is not None
        self.placement = Placement(settings.cluster, settings.limits.idle)
        self.relocation = Relocation(self.placement, self)
        self.saver = StateSaver(SessionStateStore.of(settings), settings.cluster.save_seconds)
        self.watch = NodeWatch(cluster, self.placement, self.relocation, self)
        self.cluster_control = NodeControl(cluster, self.relocation, self.saver, settings.cluster.queue)
        events = NodeEvents(self, self._calls, approver, people, watcher, self.saver)
        self.links = NodeLinks(cluster, self._orders, configuration, events)
        self._tasks = BackgroundTasks("the sessions of the cluster")
        self._is_closed = False

    async def __aenter__(self) -> Self:
        await self.cluster.__aenter__()
        self.saver.start()
        self.links.start()
        self.watch.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every session, and end what the nodes hold for this server."""
        if self._is_closed:
            return
        self._is_closed = True
        self.placement.close(closed_error())
        await self.relocation.close()
        await asyncio.gather(*(self._close_at_end(session) for session in [*self._open.values()]))
        await self.watch.close()
        await self.links.close()
        await self._tasks.close()
        await self.saver.close()
        await self.cluster.close()

    async def _close_at_end(self, session: RemoteSession) -> None:
        try:
            await self._close(session)
        except RoveError:
            log.exception("the session %s could not be closed in order", session.name)

    def protect_port(self, address: str, port: int) -> None:
        """Let no page reach a port of this server, at any of its addresses. Nodes are told with their orders."""
        self._ports += [(str(each), port) for each in {address, *map(str, own_addresses())}]

    def session(self, name: str | None = None) -> RemoteSession:
        """Return the session of that name, or the default one, which clients need not open."""
        if name is None or name == DEFAULT:
            return self.add_default(DEFAULT, None)
        if self._is_closed:
            raise closed_error()
        if name not in self._open:
            raise not_open(name, self._open)
        return self._open[name]

    def find(self, name: str) -> RemoteSession | None:
        """Return the session of that name, if it is open or being closed."""
        return self._open.get(name) or self._closing.get(name)

    def owned_by(self, owner: str | None, default: str | None = None) -> OwnedSessions[RemoteSession]:
        """Return the sessions of one owner. `default`: the one that it need not open, instead of `default`."""
        return OwnedSessions(self, owner, default or DEFAULT)

    def add_default(self, name: str, owner: str | None) -> RemoteSession:
        """Return the session that an owner need not open; it gets a node when it is first used."""
        if self._is_closed:
            raise closed_error()
        return self._open.get(name) or self._add(checked_name(name, owner), owner, self._login_of_default(name, owner))

    def open_sessions(self, owner: str | None) -> Mapping[str, RemoteSession]:
        """Return the open sessions of an owner by their names."""
        return {name: session for name, session in self._open.items() if session.owner == owner}

    def sessions(self) -> list[dict[str, Any]]:
        """Return the facts that are listed of each open session."""
        return [session.describe() for session in self._open.values()]

    def refuse_if_full(self) -> None:
        """Raise LimitReached if every node is full, and so is the line for one."""
        self.placement.refuse_if_full()

    async def open_session(
        self,
        name: str | None,
        owner: str | None = None,
        login: LoginChoice = NO_LOGIN,
        window: WindowChoice = AS_SET,
    ) -> str:
        """Open a session on a node and return its name; one that is open already is left as it is."""
        name = self._names.choose(name, owner, self._open)
        if name in self._open or (name == DEFAULT and (login, window) == (NO_LOGIN, AS_SET)):
            refuse_login(name, login)
            return self.session(name).name
        _refuse_profile(login)
        opened = await asyncio.to_thread(self._open_login, login, name, owner)
        if name in self._open:  # another call may have opened it while this one waited
            opened.release()
            refuse_login(name, login)
            return name
        session = self._add(name, owner, opened, window)
        session.has_slot = True
        try:
            await session.ready()
        except BaseException:
            await self._forget(session)
            raise
        self.changes.report(owner, has_session=True)
        return name

    async def close_session(self, name: str | None) -> str:
        """Close a session on its node; return its name."""
        session = self.session(name)
        await self._close(session)
        return session.name

    async def _close(self, session: RemoteSession) -> None:
        self._open.pop(session.name, None)
        self._closing[session.name] = session
        try:
            if (node := session.live_node) is not None:
                await self._close_on(node, session)
        finally:
            self._closing.pop(session.name, None)
            await self._forget(session)

    async def _close_on(self, node: str, session: RemoteSession) -> None:
        """Close a session on a node, and fetch the files that it has written at its end."""
        try:
            files = await self.links.call(node, "close_session", session.name)
            await session.files.fetch(files)
            await self.links.call(node, "drop", session.name)
        except (NodeLost, NotOpen):
            log.info("the session %s was closed with its node %s", session.name, node)

    async def ended(self, session: RemoteSession, node: str) -> None:
        """Drop a session that its node has closed, as one that was idle for too long."""
        if self._open.get(session.name) is session and session.node == node:
            await self._forget(session)
            await self.links.call(node, "drop", session.name)

    async def _forget(self, session: RemoteSession) -> None:
        if self._open.get(session.name) is session:
            del self._open[session.name]
        session.end()
        self.relocation.forget(session.name)
        self.saver.forget(session.name)
        session.login.release()
        self.changes.report(session.owner, any(own.has_slot for own in self.open_sessions(session.owner).values()))
        if self._watcher is not None:
            self._watcher.session_closed(session.name)
        await session.journal.close()

    def _add(self, name: str, owner: str | None, login: SessionLogin, window: WindowChoice = AS_SET) -> RemoteSession:
        settings = own_settings(self.settings, mark_of(owner))
        journal = Journal(settings.journal_folder, name, settings.journal, self._secrets, watcher=self._watcher)
        parts = Parts(settings, self._gate, journal, self.links, self, login, window, self._calls)
        session = self._open[name] = RemoteSession(name, owner, parts)
        session.before_call = partial(self.own_limits.count_pages, owner)
        if self._watcher is not None:
            self._watcher.session_opened(name)
        return session

    def _open_login(self, login: LoginChoice, name: str, owner: str | None) -> SessionLogin:
        """Return the login that is asked for; of the default session, else that which the settings choose."""
        if login == NO_LOGIN and name == DEFAULT:
            return self._login_of_default(name, owner)
        return self.logins.open(login, name, owner)

    def _login_of_default(self, name: str, owner: str | None) -> SessionLogin:
        """Return the login that the settings choose for the default session; others have none unless they ask."""
        if name != DEFAULT:
            return SessionLogin()
        choice = LoginChoice(self.settings.logins.state, None, self.settings.logins.save_on_close)
        self._gate.refuse_login(choice, name)
        return self.logins.open(choice, name, owner)

    def _orders(self) -> Orders:
        return Orders(self._approval, self._has_people, tuple(self._ports))

    # Where sessions are

    def _refuse_more(self, session: RemoteSession) -> None:
        """Raise LimitReached if a client has as many sessions as one may have."""
        now, others = time.monotonic(), self.open_sessions(session.owner).values()
        idle = [
            0.0 if each.running_calls else now - each.last_used
            for each in others
            if each is not session and each.node is not None
        ]
        self.own_limits.refuse_session(session.owner, idle, self.settings.limits.idle)

    async def place(self, session: RemoteSession) -> None:
        """Open a session that has no node yet on one. Raises LimitReached if there is no room."""
        self._refuse_more(session)
        with self.own_limits.apart_from_others(session.owner):
            node = await self.placement.place(session.name)
        try:
            await self._when_live(node)
            await session.open_on(node, session.opening())
        except BaseException:
            self.placement.release(session.name)
            raise

    async def _when_live(self, node: str) -> None:
        while not self.links.is_live(node):
            await self.links.changed.wait()

    def node_of(self, session: str) -> str | None:
        """Return the node that a session was opened on last."""
        found = self.find(session)
        return found.node if found is not None else None

    def seek_node(self, session: str) -> None:
        if not self.placement.has_place(session) and session not in self.relocation.moving:
            self.relocation.open_elsewhere(session)

    # What failover and draining do

    def last_used(self, session: str) -> float:
        found = self._open.get(session)
        return found.last_used if found is not None else 0.0

    async def open_again(self, session: str, node: str) -> None:
        """Open a session whose node is lost on another node, as it was saved last."""
        lost = self.session(session)
        saved = await self._saved(session)
        await self._when_live(node)
        await lost.open_on(node, lost.opening(saved, LOST))

    async def _saved(self, session: str) -> SavedSession | None:
        """Return what was saved of a session last; without its cookies and storage if the store does not give them."""
        try:
            content = await self.saver.latest(session)
        except StateUnusable as error:
            log.error("the session %s is opened again without its logins: %s", session, error.message)
            return SavedSession()
        saved: SavedSession | None = decode(content) if content is not None else None
        return saved

    async def move(self, session: str, node: str) -> None:
        """Move an open session to another node, between two calls."""
        moved = self.session(session)
        before = moved.live_node
        if before is None:
            raise NodeLost(f"The session {session} is on no node that answers.")
        async with moved.held():
            saved, facts = await self.links.call(before, "saved", session)
            moved.update(facts)
            await self._when_live(node)
            await moved.open_on(node, moved.opening(saved, MOVED))
        self._tasks.start(self._leave(before, session))

    async def _leave(self, node: str, session: str) -> None:
        """Close what a node has of a session that is on another now."""
        await self.links.call(node, "close_session", session)
        await self.links.call(node, "drop", session)

    def cannot_open(self, session: str, reason: str) -> None:
        if (found := self._open.get(session)) is not None:
            found.cannot_open(reason)

    async def close_strays(self, node: str) -> None:
        """Close what a node still has of sessions that are elsewhere now."""
        for name in await self.links.call(node, "names"):
            if self.node_of(name) != node:
                await self._leave(node, name)


def _refuse_unsupported(settings: Settings) -> None:
    """Raise Unsupported for settings that only make sense on one machine."""
    told = {"attach": settings.attach, "profile": settings.profile, "extension": settings.extension}
    for name, value in told.items():
        if value:
            raise Unsupported(
                f"`{name}` does not go with --cluster: it is about a browser of one machine.",
                hint="Leave it out; for logins, save a state and open sessions with it.",
            )


def _refuse_profile(login: LoginChoice) -> None:
    if login.profile is not None:
        raise Unsupported(
            "A profile is a folder of one machine, and sessions of a cluster have none.",
            hint="Use `state` instead, with `save_on_close` to keep it.",
        )


def sessions_on(
    address: str, settings: Settings, approver: Approver | None, watcher: StepWatcher, people: People
) -> ClusterSessions:
    """Return sessions on the nodes of a cluster, to which it connects when they are entered."""
    options = ClusterOptions(
        address,
        connect_seconds=settings.cluster.head_seconds,
        head_seconds=None,  # a server waits for its head for as long as it takes
        lease_seconds=settings.cluster.lease,
    )
    return ClusterSessions(settings, Cluster(options), approver, watcher=watcher, people=people)
