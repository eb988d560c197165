"""The login of a session: the state or profile that it begins with, where it is saved, what actions may ask."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

from rove.browser.extensions import extensions_for
from rove.engine.gate import Gate
from rove.errors import InvalidArguments, ProfileInUse, RoveError, StateUnusable, Unsupported
from rove.owned_names import mark_of
from rove.page_text import Own
from rove.settings.tree import Settings
from rove.storage.playwright_state import read_storage_state, write_storage_state
from rove.storage.profiles import LockedProfile, lock_profile
from rove.storage.saved_states import (
    FOLDER,
    OwnedStates,
    SavedState,
    StateCipher,
    StateFacts,
    StateStore,
    missing_state,
)
from rove.storage.state import BrowserState, LoginChoice
from rove.workspace import Workspace

# The name of the state beside a profile: cookies, which browsers write late, and those that end with the browser.
BESIDE_PROFILE = "last"
# In the setting `logins.shared`: every state and profile.
ALL = "*"
EXPORT_FOLDER = "states"
MAX_IMPORT_BYTES = 100_000_000


class SessionLogin:
    """What one session begins with. `write`, if given, saves its state: after calls, and when the session is closed."""

    def __init__(
        self,
        begins_with: BrowserState | None = None,
        write: Callable[[BrowserState, bool], None] | None = None,
        profile: LockedProfile | None = None,
        label: str = "",
        extensions: tuple[Own, ...] = (),
    ) -> None:
        """`label` names the state or the profile, in the words of messages; `extensions` are those of the profile."""
        self.extensions = extensions
        self.begins_with = begins_with
        self.profile = profile
        self.label = label
        self._write = write
        self._written = ""
        self._lock = asyncio.Lock()

    @property
    def is_kept(self) -> bool:
        """Whether the state of the session is saved."""
        return self._write is not None

    def stop(self) -> None:
        """Save nothing from now on: what was restored is incomplete, and must not replace what was saved."""
        self._write = None

    async def keep(self, state: BrowserState, is_final: bool = False) -> None:
        """Save the state, if it is to be saved and has changed since. Raises StateUnusable."""
        # A thread that writes cannot be cancelled. Its task goes on with the lock, so that a later save comes after it.
        await asyncio.shield(self._keep(state, is_final))

    async def _keep(self, state: BrowserState, is_final: bool) -> None:
        async with self._lock:
            text = await asyncio.to_thread(state.to_json) if self._write is not None else ""
            if self._write is not None and (is_final or text != self._written):
                await asyncio.to_thread(self._write, state, is_final)
                self._written = text

    def release(self) -> None:
        """Let another session use the profile."""
        if self.profile is not None:
            self.profile.release()


class Logins:
    """Opens the states and profiles of a home for sessions."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._home = settings.home_folder
        self._cipher = StateCipher(self._home / FOLDER, settings.logins.key)
        self.store = StateStore(self._home / FOLDER, self._cipher)
        self._is_attached = settings.attach is not None

    def open(self, choice: LoginChoice, session: str, owner: str | None) -> SessionLogin:
        """Return the login of a new session. Raises InvalidArguments, StateUnusable or ProfileInUse."""
        if not choice.is_made:
            if choice.keeps_state:
                raise InvalidArguments("`save_on_close` needs `state`, the name to save it as.")
            return SessionLogin()
        self.refuse_if_attached()
        if choice.state is not None and choice.profile is not None:
            raise InvalidArguments("`state` and `profile` exclude each other: a profile has logins of its own.")
        if choice.profile is not None:
            return self._open_profile(choice.profile, session, owner)
        assert choice.state is not None
        return self._open_state(choice.state, choice.keeps_state, session, owner)

    def refuse_if_attached(self) -> None:
        """Raise Unsupported in a browser that a person runs: its logins stay there, and are not replaced."""
        if self._is_attached:
            raise Unsupported(
                "The logins of a browser that rove is attached to stay in that browser.",
                hint="Use rove without --attach.",
            )

    def of(self, owner: str | None) -> OwnedStates:
        """Return the states that a client may use."""
        return OwnedStates(self.store, owner, self._is_shared)

    def _is_shared(self, name: str) -> bool:
        """Whether every client of a server may use what the person who runs it has saved under a name."""
        return not {name, ALL}.isdisjoint(self._settings.logins.shared)

    def _open_state(self, name: str, keeps: bool, session: str, owner: str | None) -> SessionLogin:
        states = self.of(owner)
        saved = states.find(name)
        if saved is None and not keeps:
            raise missing_state(name)
        begins_with = saved.state if saved else None
        if not keeps:
            return SessionLogin(begins_with, label=f"state {name}")
        states.refuse_change(name)
        return SessionLogin(begins_with, partial(_write_owned, states, name, session), label=f"state {name}")

    def _open_profile(self, name: str, session: str, owner: str | None) -> SessionLogin:
        own_mark = "" if owner is None or self._is_shared(name) else mark_of(owner)
        try:
            profile = lock_profile(self._home, name, session, own_mark)
        except ProfileInUse:
            if owner is None or own_mark:
                raise
            # Which session of another client has it is not theirs to know.
            raise ProfileInUse(f"The profile {name} is in use.", hint="Try again later, or use another one.") from None
        try:
            store = StateStore(profile.folder, self._cipher)
            last = store.read(BESIDE_PROFILE) if store.exists(BESIDE_PROFILE) else None
            if last is not None and not last.is_usable_by(owner):
                raise InvalidArguments(f"The name {name} is taken.", hint="Choose another name for the profile.")
        except BaseException:
            profile.release()
            raise
        begins_with = None
        if last is not None:
            # A browser that was closed has written its storage to the disk; cookies it keeps only in part.
            begins_with = last.state.without_storage() if last.is_final else last.state
        write = partial(_write, store, BESIDE_PROFILE, session, owner)
        extensions = tuple(Own(each) for each in extensions_for(self._settings, profile.folder.name))
        return SessionLogin(begins_with, write, profile, f"profile {name}", extensions)


def _write(store: StateStore, name: str, session: str, owner: str | None, state: BrowserState, is_final: bool) -> None:
    store.write(name, state, session, owner, is_final)


def _write_owned(states: OwnedStates, name: str, session: str, state: BrowserState, is_final: bool) -> None:
    states.write(name, state, session, is_final)


def not_restored(label: str, reason: object) -> StateUnusable:
    """Return the error for a state that the browser does not take."""
    return StateUnusable(
        f"The {label} could not be restored: {reason}. What was saved is as it was.",
        hint="Open a session without it, log in again and save it anew.",
    )


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
