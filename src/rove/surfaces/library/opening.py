"""Opening a browser from Python: as a context manager, or with `start()` and `close()`."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from types import TracebackType
from typing import Any, NoReturn

from rove.engine.sessions.sessions import Sessions
from rove.errors import InvalidSettings, NotOpen
from rove.guard.policy.approval import Approver
from rove.guard.policy.policy import Policy
from rove.settings.tree import Settings, load
from rove.surfaces.approvers import appointed
from rove.surfaces.library.python_errors import for_python
from rove.surfaces.library.session import Session


class Opening(AbstractAsyncContextManager[Session]):
    """A browser that is opened with `async with`, or with `start()` and then closed with `close()`."""

    def __init__(self, settings: Settings, policy: Policy | None = None, approver: Approver | None = None) -> None:
        self._settings = settings
        self._policy = policy
        self._approver = approver
        self._sessions: Sessions | None = None

    async def start(self) -> Session:
        """Open the browser and return its first session; closing that session closes the browser."""
        if self._sessions is None:
            sessions = Sessions(self._settings, self._policy, self._approver or appointed(self._settings))
            self._sessions = await sessions.__aenter__()
            sessions.start_early()
        return Session(self._sessions, None, closing=self.close)

    async def session(
        self,
        name: str | None = None,
        *,
        state: str | None = None,
        save_on_close: bool = False,
        profile: str | None = None,
    ) -> Session:
        """Open a further session, which shares no cookies and no pages with the others."""
        if self._sessions is None:
            raise NotOpen("The browser is not open.", hint="Call start() first, or use `async with`.")
        first = Session(self._sessions, None)
        return await first.another(name, state=state, save_on_close=save_on_close, profile=profile)

    async def close(self) -> None:
        """Close all sessions and the browser."""
        if self._sessions is not None:
            sessions = self._sessions
            try:
                sessions.refuse_other_loop()
            except NotOpen as error:
                raise for_python(error) from None
            self._sessions = None
            await sessions.close()

    async def __aenter__(self) -> Session:
        return await self.start()

    def __enter__(self) -> NoReturn:
        raise TypeError("use `async with rove.open()`, or `with rove.sync.open()` for methods that wait")

    def __exit__(self, *error: object) -> None: ...

    def __await__(self) -> NoReturn:
        raise TypeError("use `async with rove.open()`, or `await rove.open().start()`")

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def open_with(settings: Settings, policy: Policy | None = None, approver: Approver | None = None) -> Opening:
    """Open a browser session with settings that have been read already."""
    return Opening(settings, policy, approver)


def open(*, policy: Policy | None = None, approver: Approver | None = None, **settings: Any) -> Opening:
    """Open a browser session: `async with rove.open() as session`, or `session = await rove.open().start()`.

    policy: Decides what the agent may do; by default the rules of the settings.
    approver: Answers where the policy asks a person.
    settings: Those of `rove config show`, with `__` for the dot: `limits__tabs=3`.
    """
    with reading_settings():
        return Opening(load(**settings), policy, approver)


@contextmanager
def reading_settings() -> Generator[None]:
    """Let the traceback of a wrong setting show its code and its hint."""
    try:
        yield
    except InvalidSettings as error:
        raise for_python(error) from None
