"""The sessions of one client of a server that has several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar

from rove.browser.sessions import AS_SET, WindowChoice
from rove.engine.logins.login import Logins
from rove.engine.logins.state_desk import StateDesk
from rove.engine.people.driver import held_by
from rove.engine.served.own_limits import OwnLimits
from rove.engine.served.own_settings import own_settings
from rove.engine.served.refusals import not_open, refuse_other_start
from rove.engine.served.served_session import ServedSession
from rove.owned_names import mark_of, own_name
from rove.settings.tree import Settings
from rove.states.choice import NO_LOGIN, LoginChoice

DEFAULT = "default"
S_co = TypeVar("S_co", bound=ServedSession, covariant=True)


class OwnableSessions(Protocol[S_co]):
    """All sessions of a server, each of one owner."""

    @property
    def settings(self) -> Settings: ...
    @property
    def logins(self) -> Logins: ...
    @property
    def own_limits(self) -> OwnLimits: ...
    def session(self, name: str | None = None, /) -> S_co:
        """Return the session of that name, or the default one, which clients need not open."""
        ...

    def add_default(self, name: str, owner: str | None, /) -> S_co:
        """Return the session that an owner need not open, which takes its slot when it is first used."""
        ...

    def open_sessions(self, owner: str | None, /) -> Mapping[str, S_co]:
        """Return the open sessions of an owner by their names."""
        ...

    def refuse_if_full(self) -> None:
        """Raise LimitReached if no more sessions can be opened, nor waited for."""

    async def open_session(
        self,
        name: str | None,
        owner: str | None = None,
        login: LoginChoice = NO_LOGIN,
        window: WindowChoice = AS_SET,
        /,
    ) -> str:
        """Open a session and return its name; one that is open already is left as it is."""
        ...

    async def close_session(self, name: str | None, /) -> str:
        """Close a session; return its name."""
        ...


class OwnedSessions(Generic[S_co]):
    """The sessions of one owner, which can use, list and close these alone.

    `current`: the session that is meant where a call names none.
    """

    def __init__(self, sessions: OwnableSessions[S_co], owner: str | None, current: str) -> None:
        self._sessions = sessions
        self._owner = owner
        self._current = own_name(current, owner)

    @property
    def settings(self) -> Settings:
        """The settings of its sessions, as far as they are the same in all of them."""
        return own_settings(self._sessions.settings, mark_of(self._owner))

    def session(self, name: str | None, must_be_open: bool = False) -> S_co:
        """Return the session of that name, or the current one, which need not be opened.

        `must_be_open`: of those that are named, only one that was opened or used already.
        """
        full_name = self.full_name(name)
        if must_be_open and name is not None and full_name not in self._opened:
            raise not_open(full_name, self._opened)
        if full_name == self._current:
            return self._sessions.add_default(full_name, self._owner)
        if (found := self.open.get(full_name)) is None:
            raise not_open(full_name, self._opened)
        return found

    def full_name(self, name: str | None) -> str:
        """Return the name by which the server knows what this owner calls by a name."""
        return self._current if name is None or name == DEFAULT else own_name(name, self._owner)

    @property
    def _opened(self) -> list[str]:
        """The names of those that were opened or used, without a default session that was not."""
        return [name for name, session in self.open.items() if session.has_slot]

    @property
    def open(self) -> Mapping[str, S_co]:
        """Those that are open, by their names."""
        return self._sessions.open_sessions(self._owner)

    async def open_session(self, name: str | None, login: LoginChoice = NO_LOGIN, window: WindowChoice = AS_SET) -> str:
        if name == DEFAULT:
            return await self._open_current(login, window)
        session = self._sessions.session(await self._sessions.open_session(name, self._owner, login, window))
        if window.starts_now:
            await self._start(session)
        return session.name

    async def _open_current(self, login: LoginChoice, window: WindowChoice) -> str:
        """Open the session that is meant where a call names none, unless it is open as it is asked for."""
        current = self.session(None)
        if current.has_slot or (login == NO_LOGIN and replace(window, starts_now=False) == AS_SET):
            refuse_other_start(current, login, window)
            if window.starts_now:
                await current.start()
            return current.name
        # It has been no more than a name until now.
        await self._sessions.close_session(current.name)
        name = await self._sessions.open_session(current.name, self._owner, login, window)
        session = self._sessions.session(name)
        if window.starts_now:
            await self._start(session)
        return session.name

    async def refuse_if_full(self, name: str | None) -> None:
        if name != DEFAULT:  # which is not opened
            with self._sessions.own_limits.apart_from_others(self._owner):
                self._sessions.refuse_if_full()

    async def _start(self, session: ServedSession) -> None:
        """Start the browser of a session; close the session if that fails."""
        try:
            await session.start()
        except BaseException:
            await self._sessions.close_session(session.name)
            raise

    @property
    def states(self) -> StateDesk:
        """The saved states, for the session that is meant where a call names none."""
        workspace = self.settings.workspace_folder
        return StateDesk(self._sessions.logins, lambda: self.session(None), self._owner, workspace)

    async def close_session(self, name: str | None) -> str:
        full_name = own_name(name, self._owner) if name else self._current
        if (session := self.open.get(full_name)) is None:
            raise not_open(full_name, self._opened)
        if (lease := session.control.lease) is not None:
            raise held_by(lease)
        return await self._sessions.close_session(full_name)

    async def sessions(self) -> list[dict[str, Any]]:
        """Return the facts that are listed of each open session."""
        return [session.describe() for session in self.open.values()]
