"""What actions may do with saved states, for one session and one client."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from rove.engine.approval.gate import Gate
from rove.engine.logins.login import Logins, SessionLogin
from rove.errors import InvalidArguments, RoveError
from rove.outcome import Own
from rove.states.facts import StateFacts
from rove.states.owned_states import OwnedStates
from rove.states.state import BrowserState
from rove.states.storage_state import read_storage_state, write_storage_state
from rove.states.store import SavedState, missing_state
from rove.workspace import Workspace

EXPORT_FOLDER = "states"
MAX_IMPORT_BYTES = 100_000_000


class LoginSession(Protocol):
    """What a session is to its states."""

    @property
    def name(self) -> str: ...
    @property
    def login(self) -> SessionLogin: ...
    @property
    def gate(self) -> Gate: ...
    async def read_state(self) -> BrowserState: ...
    async def load_state(self, state: BrowserState, label: str, /) -> None: ...


class StateDesk:
    """Saves, loads, lists and deletes states. Those of other clients count as not there."""

    def __init__(self, logins: Logins, session: Callable[[], LoginSession], owner: str | None, workspace: Path) -> None:
        self._logins = logins
        self._states = logins.of(owner)
        self._session = session
        self._workspace = Workspace(workspace)

    async def save(self, name: str) -> StateFacts:
        """Save the state of the session under a name."""
        self._logins.refuse_if_attached()
        await asyncio.to_thread(self._states.refuse_change, name)
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
        saved = await asyncio.to_thread(self._find, name)
        await session.load_state(saved.state, f"state {name}")
        return StateFacts.of(name, saved)

    async def list(self) -> list[StateFacts]:
        """Return the facts of every state that the client and the session may use."""
        return await asyncio.to_thread(described, self._states, self._may_show)

    async def show(self, name: str) -> StateFacts:
        """Return the facts of one state."""
        return StateFacts.of(name, await asyncio.to_thread(self._find, name))

    async def delete(self, name: str) -> None:
        """Delete a state."""
        await asyncio.to_thread(self._delete, name)

    async def import_(self, name: str, path: str) -> StateFacts:
        """Save what a storage state of Playwright holds, a file in the workspace, under a name."""
        await asyncio.to_thread(self._states.refuse_change, name)
        content = await asyncio.to_thread(self._read, path)
        return await self._write(name, read_storage_state(content, path), self._session().name)

    async def export(self, name: str) -> Path:
        """Write a state to a new file in the workspace, as a storage state of Playwright; return its path."""
        saved = await asyncio.to_thread(self._find, name)
        content = write_storage_state(saved.state).encode()
        return await asyncio.to_thread(self._workspace.write, EXPORT_FOLDER, f"{name}.json", [content])

    async def _write(self, name: str, state: BrowserState, session: str) -> StateFacts:
        await asyncio.to_thread(self._states.write, name, state, session)
        return await self.show(name)

    def _find(self, name: str) -> SavedState:
        saved = self._states.find(name)
        if saved is None:
            raise self._missing(name)
        return saved

    def _delete(self, name: str) -> None:
        self._states.refuse_change(name)
        if not self._states.has_own(name):
            raise self._missing(name)
        self._states.delete(name)

    def _missing(self, name: str) -> InvalidArguments:
        return missing_state(name, filter(self._may_show, self._states.names()))

    def _may_show(self, name: str) -> bool:
        """Whether the policy lets the session know of a state."""
        session = self._session()
        return session.gate.may_show_state(name, session.name)

    def _read(self, path: str) -> bytes:
        with self._workspace.reading(path) as file:
            if file.size > MAX_IMPORT_BYTES:
                raise InvalidArguments(f"{path} is larger than {MAX_IMPORT_BYTES} bytes.")
            with os.fdopen(os.dup(file.descriptor), "rb") as opened:
                return opened.read()


def described(states: OwnedStates, may_show: Callable[[str], bool] = lambda name: True) -> list[StateFacts]:
    """Return the facts of every state that a client may use, or why one cannot be read."""
    return [_facts(states, name) for name in states.names() if may_show(name)]


def _facts(states: OwnedStates, name: str) -> StateFacts:
    try:
        saved = states.find(name)
    except RoveError as error:
        return StateFacts(Own(name), problem=Own(error.message))
    return StateFacts.of(name, saved) if saved else StateFacts(Own(name), problem=Own("deleted just now"))
