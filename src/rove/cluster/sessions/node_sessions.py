"""The sessions of a node: those of the engine, whose journal, people and saved states are the server's."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rove.browser.context import SavedContext
from rove.browser.sessions import AS_SET, SessionDirectory, WindowChoice
from rove.cluster.node.configuration import Configuration
from rove.cluster.sessions.messages import Opening, Orders, SavedSession, SessionFacts
from rove.cluster.sessions.node_files import SessionFiles
from rove.cluster.sessions.relays import (
    Outbox,
    RelayedApprover,
    RelayedDirectory,
    RelayedJournal,
    RelayedPeople,
    RelayedWatcher,
    login_writer,
)
from rove.engine.journal import JournalStore
from rove.engine.logins import SessionLogin
from rove.engine.session import Session
from rove.engine.sessions import Sessions
from rove.guard.policy import Approver, NoApprover
from rove.settings.tree import Settings

# Below the folder of the node: a folder for each session.
WORKSPACES = "workspaces"


class NodeSessions(Sessions):
    """Opens sessions as the server says. Each has a workspace of its own on the node."""

    def __init__(
        self,
        orders: Orders,
        configuration: Configuration,
        folder: Path,
        outbox: Outbox,
        on_changed: Callable[[str], None],
    ) -> None:
        self._folder = folder
        self._outbox = outbox
        self._folders = itertools.count(1)
        self._facts = itertools.count(1)
        self._logins: dict[str, SessionLogin] = {}
        self.files: dict[str, SessionFiles] = {}
        super().__init__(
            _settings_on(configuration, folder),
            configuration.policy,
            _approver(orders, outbox),
            watcher=RelayedWatcher(outbox, on_changed),
            people=RelayedPeople(outbox) if orders.has_people else None,
            secrets=configuration.named_secrets(),
        )
        for address, port in orders.ports:
            self.protect_port(address, port)

    async def open(self, opening: Opening) -> SessionFacts:
        """Open a session, with what was saved of it on another node."""
        name = opening.name
        write = login_writer(name, self._outbox) if opening.keeps_login else None
        self._logins[name] = SessionLogin(opening.begins_with, write, label=opening.login)
        if opening.is_unused:
            session = self.add_default(name, opening.owner)
        else:
            session = await self._open_used(opening)
        session.backup.on_saved = lambda saved: self._tell_saved(session, saved)
        if opening.saved is not None:
            session.begin_with(opening.saved.context(opening.reason))
        session.typed.withhold(opening.typed)
        for host in opening.hosts:
            await session.allow_host(host)
        if opening.is_paused:
            session.driver.pause()
        if opening.person is not None:
            await session.driver.take(opening.person)
        return self.facts(session)

    async def _open_used(self, opening: Opening) -> Session:
        """Open a session that takes its slot now."""
        await self.admission.admit_session()
        try:
            session = self._add(opening.name, opening.owner, self._logins[opening.name], opening.window)
        except BaseException:
            self.admission.release_slot()
            raise
        session.has_slot = True
        return session

    def facts(self, session: Session) -> SessionFacts:
        """Return what the server must know of a session."""
        tabs, current = session.backup.tabs()
        refs = session.backup.ref_numbers
        return SessionFacts(
            session.name,
            session.describe(),
            session.driver.state,
            session.driver.lease,
            session.handoffs.pending,
            session.has_slot,
            tabs,
            current,
            (refs.next, refs.frames, session.backup.ids_given) if refs is not None else (1, 0, 0),
            str(self.files[session.name].root),
            self.files[session.name].exist,
            session.typed.texts,
            next(self._facts),
        )

    def unfinished(self, session: Session) -> set[str]:
        """Return the files of a session that are being written."""
        return {str(path) for path in session.captures.files}

    def _tell_saved(self, session: Session, saved: SavedContext) -> None:
        self._outbox.tell("saved", session.name, SavedSession.of(saved), self.facts(session))

    def _settings_of(self, name: str, window: WindowChoice = AS_SET) -> Settings:
        files = SessionFiles(self._folder / WORKSPACES / str(next(self._folders)))
        self.files[name] = files
        return replace(super()._settings_of(name, window), workspace=files.root)

    def _directory_of(self, name: str, owner: str | None) -> SessionDirectory:
        return RelayedDirectory(name, self._outbox, lambda: self.session(name).captures)

    def _journal_store_of(self, name: str) -> JournalStore:
        return RelayedJournal(name, self._outbox)

    def _login_of_default(self, name: str, owner: str | None) -> SessionLogin:
        return self._logins.get(name) or SessionLogin()


def _settings_on(configuration: Configuration, folder: Path) -> Settings:
    """Return the settings of the node's sessions, of which there may be as many as are placed on one node."""
    settings = configuration.settings_on(folder)
    limits = replace(settings.limits, sessions=settings.cluster.sessions_per_node)
    return replace(settings, workspace=folder / WORKSPACES, limits=limits)


def _approver(orders: Orders, outbox: Outbox) -> Approver | None:
    if orders.approval == "owner":
        return RelayedApprover(outbox, None)
    return NoApprover() if orders.approval == "none" else None
