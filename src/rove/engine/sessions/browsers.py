"""The browsers of a process: one that sessions share, and one more for each session with a profile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from rove.browser.browser import Browser, ProfileLaunch
from rove.engine.sessions.browser_supervisor import BrowserSupervisor
from rove.engine.sessions.session import Session
from rove.settings.tree import Settings


class Browsers:
    """Finds the supervisor of a session's browser, and tells sessions when their browser is lost."""

    def __init__(self, settings: Settings, sessions: Callable[[], Collection[Session]]) -> None:
        self._settings = settings
        self._sessions = sessions
        self.shared = BrowserSupervisor(settings, self._is_busy, self._is_needed, self._mark_lost)
        self._own: dict[Session, BrowserSupervisor] = {}

    @property
    def running(self) -> list[Browser]:
        """The browsers that are running."""
        supervisors = (self.shared, *self._own.values())
        return [browser for supervisor in supervisors if (browser := supervisor.current) is not None]

    def of(self, session: Session) -> BrowserSupervisor:
        """Return the supervisor of the browser that a session uses."""
        if session.login.profile is None:
            return self.shared
        if session not in self._own:
            self._own[session] = self._supervise(session, str(session.login.profile.data))
        return self._own[session]

    async def close_own(self, session: Session) -> None:
        """Close the browser that only this session uses, if it has one."""
        supervisor = self._own.pop(session, None)
        if supervisor is not None:
            await supervisor.close()

    async def close(self) -> None:
        """Close every browser."""
        supervisors = (self.shared, *self._own.values())
        await asyncio.gather(*(supervisor.close() for supervisor in supervisors))

    def _supervise(self, session: Session, folder: str) -> BrowserSupervisor:
        return BrowserSupervisor(
            self._settings,
            lambda: session.is_used,
            lambda: session.is_used or session.has_pages,
            session.mark_lost,
            # The proxy is open by then, and has the same address as long as the session is open.
            lambda: ProfileLaunch(folder, session.network.open()[0]),
        )

    def _sharing(self) -> list[Session]:
        return [session for session in self._sessions() if session.login.profile is None]

    def _is_needed(self) -> bool:
        return any(session.is_used or session.has_pages for session in self._sharing())

    def _is_busy(self) -> bool:
        return any(session.is_used for session in self._sharing())

    def _mark_lost(self, reason: str) -> None:
        for session in self._sharing():
            session.mark_lost(reason)
