"""The service `sessions` of a node: what a server calls there to open sessions and to use them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Coroutine
from typing import Any

from rove.action import parse
from rove.browser.input_event import InputEvent
from rove.browser.page_data import Box
from rove.cluster.node.configuration import Configuration
from rove.cluster.node.node import Node, offered, ray_ports
from rove.cluster.sessions.messages import (
    Event,
    FileFacts,
    Opening,
    Orders,
    RunAnswer,
    RunRequest,
    SavedSession,
    SessionFacts,
)
from rove.cluster.sessions.node_files import SessionFiles
from rove.cluster.sessions.node_sessions import NodeSessions
from rove.cluster.sessions.relays import OPENED, SESSION, OpenedEntry, Outbox, RelayedApprover, RelayedLog
from rove.engine.live_view import LiveFrame, LiveView
from rove.engine.people import Lease
from rove.engine.run_request import Report, ignore_progress
from rove.engine.session import Session
from rove.errors import ClusterUnavailable, NotOpen, RoveError
from rove.outcome import AnyOutcome
from rove.snapshot.tree import Snapshot
from rove.storage.state import BrowserState
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)
# Seconds between two looks for files that pages have downloaded since the last call.
FILES_INTERVAL = 1.0
# Seconds between two looks for Ray's ports of nodes that have come.
PORTS_INTERVAL = 15.0


class Service:
    """The sessions of one server on this node."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._outbox = Outbox()
        self._sessions: NodeSessions | None = None
        self._views: dict[str, LiveView] = {}
        self._tasks = BackgroundTasks("the sessions of a node")
        self._changed: set[str] = set()
        self._log = RelayedLog(self._outbox)

    async def describe(self) -> dict[str, Any]:
        """Return what placement must know: how many sessions there are, and the memory that their browsers hold."""
        if self._sessions is None:
            return {"open": 0, "bytes": 0}
        return {"open": len(self._sessions.sessions()), "bytes": await self._sessions.admission.memory_in_use() or 0}

    @offered
    async def begin(self, orders: Orders, sealed: bytes) -> None:
        """Open sessions by these orders from now on. Sessions that are open here are of a server that has lost them."""
        await self._end()
        configuration: Configuration = self._node.keys.unseal(sealed)
        self._sessions = NodeSessions(orders, configuration, self._node.folder, self._outbox, self._note_change)
        await self._protect_ray(self._sessions)
        await self._sessions.__aenter__()
        self._tasks = BackgroundTasks("the sessions of a node")
        self._tasks.start(self._follow_files())
        self._tasks.start(self._follow_ray(self._sessions))
        logging.getLogger("rove").addHandler(self._log)

    async def _protect_ray(self, sessions: NodeSessions) -> None:
        """Let no page reach a port of Ray, whatever hosts are allowed."""
        for address, port in await asyncio.to_thread(ray_ports):
            sessions.protect_port(address, port)

    async def _follow_ray(self, sessions: NodeSessions) -> None:
        """Protect the ports of nodes that come later too."""
        while True:
            await asyncio.sleep(PORTS_INTERVAL)
            try:
                await self._protect_ray(sessions)
            except ClusterUnavailable as error:  # the head is away, and no node comes without it
                log.info("%s", error.message)

    async def close(self) -> None:
        """Close every session."""
        await self._end()

    async def _end(self) -> None:
        logging.getLogger("rove").removeHandler(self._log)
        sessions, self._sessions = self._sessions, None
        await self._tasks.close()
        if sessions is not None:
            await sessions.close()
            for files in sessions.files.values():
                files.remove()

    @offered
    async def events(self) -> AsyncGenerator[list[Event]]:
        """Yield what the server must know, and its questions, until the server goes."""
        async with contextlib.aclosing(self._outbox.read()) as batches:
            async for events in batches:
                yield events

    @offered
    async def names(self) -> list[str]:
        """Return the sessions that are open here."""
        return [known["session"] for known in self._opened.sessions()]

    @offered
    async def answer(self, number: int, value: Any, error: RoveError | None = None) -> None:
        """Take the server's answer to a question."""
        self._outbox.answer(number, value, error)

    # One session

    @offered
    async def open(self, opening: Opening) -> SessionFacts:
        """Open a session."""
        return await self._opened.open(opening)

    @offered
    async def close_session(self, name: str) -> tuple[FileFacts, ...]:
        """Close a session; return its files, which stay until it is dropped."""
        sessions = self._opened
        await sessions.close_session(self._session(name).name)
        files = sessions.files.get(name)
        return files.take_changed(()) if files is not None else ()

    @offered
    async def drop(self, name: str) -> None:
        """Forget a session that is closed, with its files."""
        if (files := self._opened.files.pop(name, None)) is not None:
            await asyncio.to_thread(files.remove)

    @offered
    async def start(self, name: str) -> SessionFacts:
        """Start the browser of a session."""
        await self._session(name).start()
        return self._facts(name)

    @offered
    async def run(self, name: str, request: RunRequest) -> RunAnswer:
        """Run an action and return what came of it, an error too."""
        opened = OpenedEntry(name, request.number)
        OPENED.set(opened)
        SESSION.set(name)
        outcome: AnyOutcome | None = None
        failed: RoveError | None = None
        try:
            outcome = await self._run(self._session(name), request)
        except RoveError as error:
            error.__traceback__ = error.__cause__ = error.__context__ = None
            failed = error
        return self._answer_of(name, outcome, failed, opened)

    def _run(self, session: Session, request: RunRequest) -> Coroutine[Any, Any, AnyOutcome]:
        return session.run(
            parse(request.action, request.arguments),
            tab=request.tab,
            timeout=request.timeout,
            report=self._report(request.call) if request.reports else ignore_progress,
            quiet=request.quiet,
            channel=RelayedApprover(self._outbox, request.call) if request.asks else None,
            names=request.names,
            view=request.view,
        )

    def _answer_of(
        self, name: str, outcome: AnyOutcome | None, error: RoveError | None, opened: OpenedEntry
    ) -> RunAnswer:
        sessions = self._opened
        files = sessions.files.get(name)
        session = sessions.find(name)
        if session is None or files is None:  # it was closed by the action, and `close_session` has told of its files
            return RunAnswer(None, outcome, error, opened.line)
        changed = files.take_changed(sessions.unfinished(session))
        return RunAnswer(sessions.facts(session), outcome, error, opened.line, changed)

    def _report(self, call: str) -> Report:
        return lambda message, done, total: self._outbox.tell("progress", call, message, done, total)

    # People at a session

    @offered
    async def control(self, name: str, what: str, *arguments: Any) -> tuple[Any, SessionFacts]:
        """Take, release, pause, resume, step, stop or decline; return what it returns, and how the session is then."""
        if what not in ("take", "release", "pause", "resume", "step", "stop", "decline"):
            raise NotOpen(f"Sessions have no control {what}.")
        result = await getattr(self._session(name).control, what)(*arguments)
        return result, self._facts(name)

    @offered
    async def drive(self, name: str, lease: Lease, event: InputEvent, tab: str | None) -> None:
        await self._session(name).drive(lease, event, tab)

    @offered
    async def picture(self, name: str, tab: str | None, quality: int) -> bytes:
        return await self._session(name).picture(tab, quality)

    @offered
    async def element_box(self, name: str, ref: str, tab: str | None) -> Box:
        return await self._session(name).element_box(ref, tab)

    @offered
    async def locate(self, name: str, target: str, tab: str | None) -> tuple[str, str, Box]:
        return await self._session(name).locate(target, tab)

    @offered
    async def seen(self, name: str, tab: str | None) -> Snapshot | None:
        return await self._session(name).seen(tab)

    @offered
    async def allow_host(self, name: str, host: str) -> None:
        await self._session(name).allow_host(host)

    @offered
    async def frames(
        self, view: str, name: str, tab: str | None, max_width: int, quality: int
    ) -> AsyncGenerator[LiveFrame]:
        """Yield frames of a tab, at the pace of `acknowledge`."""
        shown = self._views[view] = self._session(name).watch(tab, max_width, quality)
        try:
            async with shown:
                async for frame in shown:
                    yield frame
        finally:
            del self._views[view]

    @offered
    async def acknowledge(self, view: str, frame: int) -> None:
        if (shown := self._views.get(view)) is not None:
            shown.acknowledge(frame)

    # State and files of a session

    @offered
    async def read_state(self, name: str) -> BrowserState:
        return await self._session(name).read_state()

    @offered
    async def load_state(self, name: str, state: BrowserState, label: str) -> None:
        await self._session(name).load_state(state, label)

    @offered
    async def saved(self, name: str) -> tuple[SavedSession, SessionFacts]:
        """Return all that a session needs to be opened on another node."""
        saved = await self._session(name).backup.complete()
        return SavedSession.of(saved) if saved is not None else SavedSession(), self._facts(name)

    @offered
    async def read_file(self, name: str, path: str, offset: int) -> bytes:
        return await asyncio.to_thread(self._files(name).read, path, offset)

    @offered
    async def write_file(self, name: str, path: str, data: bytes, is_first: bool) -> None:
        await asyncio.to_thread(self._files(name).write, path, data, is_first)

    @property
    def _opened(self) -> NodeSessions:
        if self._sessions is None:
            raise NotOpen("This node has no orders yet.", hint="Call again.")
        return self._sessions

    def _session(self, name: str) -> Session:
        session = self._opened.find(name)
        if session is None:
            raise NotOpen(f"There is no session {name} on this node.", hint="Open it with {open_session}.")
        return session

    def _files(self, name: str) -> SessionFiles:
        files = self._opened.files.get(name)
        if files is None:
            raise NotOpen(f"There is no session {name} on this node.")
        return files

    def _facts(self, name: str) -> SessionFacts:
        return self._opened.facts(self._session(name))

    def _note_change(self, name: str) -> None:
        """Tell the server of a session that has changed, once for all changes of this moment."""
        if name not in self._changed:
            self._changed.add(name)
            asyncio.get_running_loop().call_soon(self._tell_change, name)

    def _tell_change(self, name: str) -> None:
        self._changed.discard(name)
        if self._sessions is not None and (session := self._sessions.find(name)) is not None:
            self._outbox.tell("facts", self._sessions.facts(session))

    async def _follow_files(self) -> None:
        """Tell the server of files that are complete after the call that began them."""
        while True:
            await asyncio.sleep(FILES_INTERVAL)
            sessions = self._opened
            for name, files in [*sessions.files.items()]:
                session = sessions.find(name)
                unfinished = sessions.unfinished(session) if session is not None else set[str]()
                if session is not None and (changed := files.take_changed(unfinished)):
                    self._outbox.tell("files", name, changed)
