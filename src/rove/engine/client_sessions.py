"""The sessions of the clients of a server: each has names, limits and settings of its own.

The limits of the server itself are shared by all. These keep one client from using up what the others need, and from
learning by it how much the others use. The person who runs the server has none.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from rove.action import AnyAction, CompositeAction, Effect, FetchAction
from rove.browser.sessions import AS_SET, WindowChoice
from rove.engine.logins import Logins, StateDesk
from rove.engine.people import held_by
from rove.engine.session_errors import not_open, refuse_other_start
from rove.engine.session_interface import ServedSession
from rove.errors import LimitReached
from rove.owned_names import SIGN, mark_of, own_name
from rove.settings.tree import Settings
from rove.storage.state import NO_LOGIN, LoginChoice

if TYPE_CHECKING:
    from rove.settings.sections import Serving

Listener = Callable[[], None]
HOUR = 3600.0
# Seconds after which a client is told to try again when the server is full, whatever there is room for until then.
FULL_SECONDS = 5.0

# The folder of the workspace in which each client, besides the person who runs the server, has one of its own.
FOLDER = "tokens"
DEFAULT = "default"
S_co = TypeVar("S_co", bound=ServedSession, covariant=True)


class SessionChanges:
    """Listeners, each for the sessions of one owner."""

    def __init__(self) -> None:
        self._listeners: dict[object, tuple[str | None, Listener]] = {}
        # The owners that have a session open.
        self._owners: set[str | None] = set()

    def subscribe(self, owner: str | None, listener: Listener) -> Callable[[], None]:
        """Call the listener when an owner has its first session, or none any more; the returned function ends that."""
        key = object()
        self._listeners[key] = (owner, listener)
        return lambda: self._listeners.pop(key, None) and None

    def report(self, owner: str | None, has_session: bool) -> None:
        """Tell the listeners of an owner, if it had no session before, or has none now."""
        if has_session == (owner in self._owners):
            return
        (self._owners.add if has_session else self._owners.discard)(owner)
        for listens_to, listener in list(self._listeners.values()):
            if listens_to == owner:
                listener()


class _Hour:
    """How much was used in the last hour."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._uses: deque[tuple[float, int]] = deque()

    def add(self, number: int) -> None:
        if number:
            self._uses.append((self._clock(), number))

    @property
    def used(self) -> int:
        while self._uses and self._uses[0][0] <= self._clock() - HOUR:
            self._uses.popleft()
        return sum(number for _, number in self._uses)

    def seconds_until_below(self, limit: int) -> float:
        """Return after how many seconds less than the limit was used in the hour before."""
        left = self.used
        for at, number in self._uses:
            left -= number
            if left < limit:
                return round(at + HOUR - self._clock(), 1)
        return HOUR


class OwnLimits:
    """Counts what each client uses, and refuses more than one may use."""

    def __init__(self, serve: Serving, clock: Callable[[], float] = time.monotonic) -> None:
        self._serve = serve
        self._clock = clock
        self._pages: dict[str, _Hour] = {}
        self._tokens: dict[str, _Hour] = {}

    def refuse_session(self, owner: str | None, idle_seconds: list[float], closed_after: float) -> None:
        """Raise LimitReached if a client has as many sessions as it may, each idle for so long."""
        limit = self._serve.token_sessions
        if owner is not None and limit is not None and len(idle_seconds) >= limit:
            wait = round(max(closed_after - max(idle_seconds), 0.1), 1)
            raise LimitReached(
                f"{len(idle_seconds)} sessions of this token are open, which is the limit for one token.",
                hint="Close one with {close_session}. An idle one is closed after a time.",
                retry_after=wait,
            )

    @contextlib.contextmanager
    def apart_from_others(self, owner: str | None) -> Generator[None]:
        """Do not tell a client, in the error that the server is full, how much of it others use."""
        try:
            yield
        except LimitReached as error:
            if owner is None:
                raise
            raise LimitReached(
                "The server has as many sessions and pages as it may have.",
                hint=f"Try again in {FULL_SECONDS:g} s, or close what is not needed ({{tabs}}, {{close_session}}).",
                retry_after=FULL_SECONDS,
            ) from error

    def count_pages(self, owner: str | None, action: AnyAction) -> None:
        """Count the pages that an action opens. Raises LimitReached if they are more than the client may open."""
        limit, pages = self._serve.token_pages, pages_of(action)
        if owner is None or limit is None or not pages:
            return
        opened = self._pages.setdefault(owner, _Hour(self._clock))
        if opened.used + pages > limit:
            raise LimitReached(
                f"This token has opened {opened.used} pages in the last hour, and {limit} is the limit for one token.",
                hint="Go on with the pages that are open, or wait.",
                retry_after=opened.seconds_until_below(limit - pages + 1),
            )
        opened.add(pages)

    def refuse_tokens(self, owner: str | None) -> None:
        """Raise LimitReached if the chats of a client have used as many tokens of models as they may."""
        if (left := self.tokens_left(owner)) is not None and left <= 0:
            limit = self._serve.token_model_tokens or 0
            assert owner is not None
            raise LimitReached(
                f"The chats of this token have used {limit} tokens of the model in the last hour, which is the limit "
                "for one token.",
                hint="Wait, or ask the owner of the server to raise `serve.token_model_tokens`.",
                retry_after=self._tokens[owner].seconds_until_below(limit),
            )

    def tokens_left(self, owner: str | None) -> int | None:
        """Return how many tokens of models the chats of a client may still use; None if there is no limit."""
        limit = self._serve.token_model_tokens
        if owner is None or limit is None:
            return None
        used = self._tokens.setdefault(owner, _Hour(self._clock)).used
        return max(limit - used, 0)

    def count_tokens(self, owner: str | None, number: int) -> None:
        """Count tokens of a model that a chat of a client has used."""
        if owner is not None and self._serve.token_model_tokens is not None:
            self._tokens.setdefault(owner, _Hour(self._clock)).add(number)


def pages_of(action: AnyAction) -> int:
    """Return how many pages an action asks for, with those of its steps."""
    if isinstance(action, CompositeAction):
        # What a recording opens is not known before its file is read.
        return sum(map(pages_of, action.actions)) or int(action.effect is Effect.NAVIGATE)
    return int(isinstance(action, FetchAction) or action.effect is Effect.NAVIGATE)


def own_settings(settings: Settings, mark: str) -> Settings:
    """Return the settings for sessions whose names end with a mark; those of the server itself if there is none."""
    if not mark:
        return settings
    return replace(settings, workspace=settings.workspace_folder / FOLDER / mark.removeprefix(SIGN))


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


class ClusterControl(Protocol):
    """The nodes of a cluster. `rove.cluster` has it; where sessions run in the same process there is none."""

    def status(self) -> dict[str, Any]:
        """Return how the nodes, the line of waiting sessions and the store of states are, as plain data."""
        ...

    def drain(self, node: str, /) -> dict[str, Any]:
        """Place nothing on a node any more, and move its sessions away; return its status. Raises InvalidArguments.

        `node`: its id, or a part at the beginning that no other node has.
        """
        ...

    def end_draining(self, node: str, /) -> dict[str, Any]:
        """Leave on a node what is still there, and place sessions there again. Raises InvalidArguments."""
        ...


class ServedSessions(OwnableSessions[ServedSession], Protocol):
    """What a surface uses. `engine.sessions.sessions.Sessions` has the sessions of this process."""

    @property
    def changes(self) -> SessionChanges: ...
    @property
    def cluster_control(self) -> ClusterControl | None:
        """The nodes that sessions run on; None where they run in this process."""
        ...

    async def __aenter__(self) -> Self: ...
    async def close(self) -> None: ...
    def protect_port(self, address: str, port: int, /) -> None:
        """Let no page and no agent reach a port that the server listens on, whatever hosts are allowed."""

    def owned_by(self, owner: str | None, default: str | None = None, /) -> OwnedSessions[ServedSession]:
        """Return the sessions of one owner. `default`: the one that it need not open, instead of `default`."""
        ...

    def sessions(self) -> list[dict[str, Any]]:
        """Return the facts that are listed of each open session."""
        ...
