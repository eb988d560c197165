"""The browsers of a process: one of each engine, which sessions share, and one for each session that needs its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from rove.browser.browser import ProfileLaunch
from rove.browser.extensions import extensions_for
from rove.browser.sessions import WindowChoice
from rove.engine.capture.captures import with_captures
from rove.engine.sessions.browser_supervisor import BrowserSupervisor
from rove.engine.sessions.session import Session
from rove.errors import InvalidArguments
from rove.settings.sections import EngineName, Viewport
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.shared.browser import Browser


class Browsers:
    """Finds the supervisor of a session's browser, and tells sessions when their browser is lost."""

    def __init__(self, settings: Settings, sessions: Callable[[], Collection[Session]]) -> None:
        self._settings = settings
        self._sessions = sessions
        # By their engines.
        self._shared: dict[EngineName, BrowserSupervisor] = {}
        self._own: dict[Session, BrowserSupervisor] = {}

    @property
    def shared(self) -> BrowserSupervisor:
        """The supervisor of the browser that sessions share unless they ask for another engine."""
        return self._shared_of(self._settings)

    @property
    def running(self) -> list[Browser]:
        """The browsers that are running."""
        supervisors = (*self._shared.values(), *self._own.values())
        return [browser for supervisor in supervisors if (browser := supervisor.current) is not None]

    def of(self, session: Session) -> BrowserSupervisor:
        """Return the supervisor of the browser that a session uses."""
        if not self._has_own(session):
            return self._shared_of(session.settings)
        if session not in self._own:
            self._own[session] = self._supervise(session)
        return self._own[session]

    def _has_own(self, session: Session) -> bool:
        """Whether a session cannot share a browser: for its profile, its window, or because the settings say so."""
        if self._settings.attach is not None:
            return False
        is_shown_otherwise = session.settings.headless != self._settings.headless
        return session.login.profile is not None or is_shown_otherwise or self._settings.browser_per_session

    async def close_own(self, session: Session) -> None:
        """Close the browser that only this session uses, if it has one."""
        supervisor = self._own.pop(session, None)
        if supervisor is not None:
            await supervisor.close()

    async def close(self) -> None:
        """Close every browser."""
        supervisors = (*self._shared.values(), *self._own.values())
        await asyncio.gather(*(supervisor.close() for supervisor in supervisors))

    def _shared_of(self, settings: Settings) -> BrowserSupervisor:
        engine = settings.engine
        if engine not in self._shared:
            # Of the settings of a session, only those that name the engine and its browser are not its own.
            chosen = replace(self._settings, engine=engine, browser=settings.browser)
            self._shared[engine] = BrowserSupervisor(
                chosen,
                lambda: any(session.is_used for session in self._sharing(engine)),
                lambda: any(session.is_used or session.has_pages for session in self._sharing(engine)),
                lambda reason: self._mark_lost(engine, reason),
            )
        return self._shared[engine]

    def _supervise(self, session: Session) -> BrowserSupervisor:
        profile = session.login.profile
        extensions = extensions_for(self._settings, profile.name) if profile is not None else ()
        return BrowserSupervisor(
            session.settings,
            lambda: session.is_used,
            lambda: session.is_used or session.has_pages,
            session.mark_lost,
            # The proxy is open by then, and has the same address as long as the session is open.
            None
            if profile is None
            else lambda: ProfileLaunch(str(profile.data), session.network.open()[0], extensions),
        )

    def _sharing(self, engine: EngineName) -> list[Session]:
        sharing = [session for session in self._sessions() if not self._has_own(session)]
        return [session for session in sharing if session.settings.engine == engine]

    def _mark_lost(self, engine: EngineName, reason: str) -> None:
        for session in self._sharing(engine):
            session.mark_lost(reason)


def settings_for(settings: Settings, window: WindowChoice) -> Settings:
    """Return the settings of a session, with what it has instead. Raises InvalidArguments in an attached browser."""
    if window.headless is not None and settings.attach is not None:
        raise InvalidArguments("`headless`: rove is attached to a browser that is running already.")
    if window.engine is not None and window.engine != settings.engine:
        settings = _with_engine(settings, window.engine)
    if window.headless is not None:
        settings = replace(settings, headless=window.headless)
    if window.viewport is not None:
        settings = replace(settings, viewport=Viewport(window.viewport.width, window.viewport.height))
    return with_captures(settings, window.video, window.har)


def _with_engine(settings: Settings, engine: EngineName) -> Settings:
    if settings.attach is not None:
        raise InvalidArguments("`engine`: rove is attached to a browser that is running already.")
    # The browser that was given by its path is one of the engine that is set.
    return replace(settings, engine=engine, browser=None)
