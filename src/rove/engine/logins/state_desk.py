"""What actions may do with saved states, for one session and one client."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from rove.engine.logins.login import Logins, SessionLogin
from rove.errors import InvalidArguments, RoveError
from rove.outcome import Own
from rove.states.facts import StateFacts
from rove.states.state import BrowserState
from rove.states.storage_state import read_storage_state, write_storage_state
from rove.states.store import StateStore
from rove.workspace import Workspace

EXPORT_FOLDER = "states"
MAX_IMPORT_BYTES = 100_000_000


class LoginSession(Protocol):
    """What a session is to its states."""

    name: str
    login: SessionLogin

    async def read_state(self) -> BrowserState: ...
    async def load_state(self, state: BrowserState, label: str, /) -> None: ...


class StateDesk:
    """Saves, loads, lists and deletes states. Those of other clients count as not there."""

    def __init__(self, logins: Logins, session: Callable[[], LoginSession], owner: str | None, workspace: Path) -> None:
        self._logins = logins
        self._store = logins.store
        self._session = session
        self._owner = owner
        self._workspace = Workspace(workspace)

    async def save(self, name: str) -> StateFacts:
        """Save the state of the session under a name."""
        self._logins.refuse_if_attached()
        await asyncio.to_thread(self._logins.refuse_change, name, self._owner)
        session = self._session()
        return await self._write(name, await session.read_state(), session.name)

    async def load(self, name: str) -> StateFacts:
        """Replace cookies and storage of the session by a saved state."""
        self._logins.refuse_if_attached()
        session = self._session()
        if session.login.is_kept:
            raise InvalidArguments(
                f"The session {session.name} is saved as the {session.login.label}, which another state would replace.",
                hint="Open another session for it, with {open_session}.",
            )
        saved = await asyncio.to_thread(self._logins.find, name, self._owner)
        await session.load_state(saved.state, f"state {name}")
        return StateFacts.of(name, saved)

    async def list(self) -> list[StateFacts]:
        """Return the facts of every state that the client may use."""
        return await asyncio.to_thread(described, self._store, self._owner)

    async def show(self, name: str) -> StateFacts:
        """Return the facts of one state."""
        return StateFacts.of(name, await asyncio.to_thread(self._logins.find, name, self._owner))

    async def delete(self, name: str) -> None:
        """Delete a state."""
        await asyncio.to_thread(self._logins.refuse_change, name, self._owner)
        await asyncio.to_thread(self._store.delete, name)

    async def import_(self, name: str, path: str) -> StateFacts:
        """Save what a storage state of Playwright holds, a file in the workspace, under a name."""
        await asyncio.to_thread(self._logins.refuse_change, name, self._owner)
        content = await asyncio.to_thread(self._read, path)
        return await self._write(name, read_storage_state(content, path), self._session().name)

    async def export(self, name: str) -> Path:
        """Write a state to a new file in the workspace, as a storage state of Playwright; return its path."""
        saved = await asyncio.to_thread(self._logins.find, name, self._owner)
        content = write_storage_state(saved.state).encode()
        return await asyncio.to_thread(self._workspace.write, EXPORT_FOLDER, f"{name}.json", [content])

    async def _write(self, name: str, state: BrowserState, session: str) -> StateFacts:
        await asyncio.to_thread(self._store.write, name, state, session, self._owner)
        return await self.show(name)

    def _read(self, path: str) -> bytes:
        with self._workspace.reading(path) as file:
            if file.size > MAX_IMPORT_BYTES:
                raise InvalidArguments(f"{path} is larger than {MAX_IMPORT_BYTES} bytes.")
            with os.fdopen(os.dup(file.descriptor), "rb") as opened:
                return opened.read()


def described(store: StateStore, owner: str | None = None) -> list[StateFacts]:
    """Return the facts of every state that a client may use; to the person who runs rove, also what cannot be read."""
    return [facts for name in store.names() if (facts := _facts(store, name, owner)) is not None]


def _facts(store: StateStore, name: str, owner: str | None) -> StateFacts | None:
    try:
        saved = store.read(name)
    except RoveError as error:
        return StateFacts(Own(name), problem=Own(error.message)) if owner is None else None
    return StateFacts.of(name, saved) if saved.is_usable_by(owner) else None
