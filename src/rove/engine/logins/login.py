"""The login of a session: the state or the profile that it begins with, and where its state is saved again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from rove.browser.extensions import extensions_for
from rove.errors import InvalidArguments, ProfileInUse, StateUnusable, Unsupported
from rove.owned_names import mark_of
from rove.page_text import Own
from rove.settings.tree import Settings
from rove.states.choice import LoginChoice
from rove.states.encryption import StateCipher
from rove.states.owned_states import OwnedStates
from rove.states.profiles import LockedProfile, lock_profile
from rove.states.state import BrowserState
from rove.states.store import FOLDER, StateStore, missing_state

# The name of the state beside a profile: cookies, which browsers write late, and those that end with the browser.
BESIDE_PROFILE = "last"
# In the setting `logins.shared`: every state and profile.
ALL = "*"


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
