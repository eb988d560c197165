"""The browsers of a process: started when needed, checked regularly, replaced when one dies."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from rove.browser.browser import ProfileLaunch
from rove.browser.context import DIED, FROZE
from rove.browser.engines import load_engine
from rove.browser.extensions import extensions_for
from rove.browser.sessions import WindowChoice
from rove.engine.session import Session
from rove.engine.video_and_har import with_captures
from rove.errors import BrowserUnavailable, InvalidArguments, RoveError
from rove.settings.sections import EngineName, Viewport
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks

if TYPE_CHECKING:
    from rove.browser.shared.browser import Browser
    from rove.browser.shared.process import BrowserProcess

log = logging.getLogger(__name__)
# Seconds between two checks. A browser that misses two in a row is frozen, so that is known within five seconds.
HEARTBEAT_INTERVAL = 1.2
# Seconds that a browser has to answer a check.
HEARTBEAT_TIMEOUT = 1.0
# A browser that no session has needed for this many seconds is closed to free its memory.
UNUSED_SECONDS = 60.0
# After this many failed starts in a row, rove waits this many seconds before it tries again.
MAX_FAILURES = 3
RETRY_AFTER_FAILURES = 30.0


class BrowserSupervisor:
    """Provides a running browser, and calls `on_lost` with the reason when it dies or freezes."""

    def __init__(
        self,
        settings: Settings,
        is_busy: Callable[[], bool],
        is_needed: Callable[[], bool],
        on_lost: Callable[[str], None],
        profile: Callable[[], ProfileLaunch] | None = None,
    ) -> None:
        """`profile` returns what each browser is started with, for the one session that has a profile."""
        self._settings = settings
        self._engine = load_engine(settings.engine)
        self._is_busy = is_busy
        self._is_needed = is_needed
        self._on_lost = on_lost
        self._profile = profile
        # A process that was started early, until a call uses it.
        self._early_process: asyncio.Task[BrowserProcess] | None = None
        self._browser: Browser | None = None
        self._launching = asyncio.Lock()
        self._tasks = BackgroundTasks("the browser supervisor")
        self._has_watch = False
        self._is_closed = False
        self._lost_browsers: list[Browser] = []
        # Failed starts in a row, and when the last of them was.
        self._failures = 0
        self._last_failure = 0.0
        # Checks in a row that the browser did not answer, and when a session last needed it.
        self._missed_heartbeats = 0
        self._last_needed = 0.0

    def start_early(self, process: BrowserProcess | None = None) -> None:
        """Start the process before the first call needs it, or use one that has been started."""
        if self._settings.attach is not None:
            if process is not None:
                process.release()
            return
        if self._early_process is None and self._browser is None:
            starting = _return(process) if process else self._engine.start_process(self._settings, None)
            self._early_process = asyncio.create_task(starting)
            self._start_watch()

    @property
    def current(self) -> Browser | None:
        """The browser, if one is running."""
        return self._browser

    async def browser(self, progress: Callable[[str], None]) -> Browser:
        """Return the browser; start one if there is none or it has died."""
        async with self._launching:
            if self._browser is not None and not self._browser.is_alive:
                self._lose(self._browser, DIED)
            if self._is_closed:
                raise BrowserUnavailable("rove is closing, and starts no browser.", hint="Open another session.")
            if self._browser is None:
                self._refuse_after_failures()
                self._browser = await self._start(progress)
                self._start_watch()
            return self._browser

    async def close(self) -> None:
        """End every process and remove its folder, also of a browser that is being started."""
        self._is_closed = True
        await self._tasks.close()
        async with self._launching:
            browser, self._browser = self._browser, None
            if browser is not None:
                await browser.close()
            await self._kill_lost_browsers()
            await self._release_early_process()

    async def _close_unused(self) -> None:
        """Close the browser while no session needs it; the next call starts another."""
        async with self._launching:
            browser, self._browser = self._browser, None
            if browser is not None:
                await browser.close()
            await self._release_early_process()

    async def _kill_lost_browsers(self) -> None:
        """End the processes of browsers that were lost, and remove their folders."""
        while self._lost_browsers:
            await self._lost_browsers.pop().kill()

    async def _start(self, progress: Callable[[str], None]) -> Browser:
        await self._kill_lost_browsers()
        try:
            browser = await self._attach_or_launch(progress)
        except RoveError:
            self._failures += 1
            self._last_failure = time.monotonic()
            raise
        self._failures = 0
        browser.on_lost(lambda reason: self._lose(browser, reason))
        return browser

    async def _attach_or_launch(self, progress: Callable[[str], None]) -> Browser:
        if self._settings.attach is not None:
            return await self._engine.attach(self._settings)
        process = await self._take_early_process() or await self._start_process(progress)
        return await self._engine.launch(self._settings, process)

    async def _start_process(self, progress: Callable[[str], None]) -> BrowserProcess:
        profile = self._profile() if self._profile is not None else None
        return await self._started(asyncio.create_task(self._engine.start_process(self._settings, progress, profile)))

    async def _take_early_process(self) -> BrowserProcess | None:
        """Return the process that was started early; None if it failed, as the caller may install a browser."""
        starting, self._early_process = self._early_process, None
        with contextlib.suppress(BrowserUnavailable):
            return await self._started(starting) if starting else None
        return None

    async def _started(self, starting: asyncio.Task[BrowserProcess]) -> BrowserProcess:
        """Return a process once it is started; if the call that needs it ends before, keep it for the next one."""
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            self._early_process = starting
            raise

    def _lose(self, browser: Browser, reason: str) -> None:
        """Report once that the browser is lost, unless rove closed it."""
        if self._browser is browser:
            self._browser = None
            self._lost_browsers.append(browser)
            self._on_lost(reason)

    def _refuse_after_failures(self) -> None:
        """Raise BrowserUnavailable for a while after several failed starts, which would only load the machine."""
        if self._settings.attach is not None:
            return  # a failed connection costs nothing, and the user may just have started their browser
        elapsed = time.monotonic() - self._last_failure
        if self._failures >= MAX_FAILURES and elapsed < RETRY_AFTER_FAILURES:
            raise BrowserUnavailable(
                f"The browser failed to start {self._failures} times in a row.",
                hint=f"Run `rove doctor`; another try is made in {RETRY_AFTER_FAILURES - elapsed:.0f} s.",
                retry_after=round(RETRY_AFTER_FAILURES - elapsed, 1),
            )

    async def _release_early_process(self) -> None:
        starting, self._early_process = self._early_process, None
        if starting is not None:
            with contextlib.suppress(RoveError):
                await asyncio.to_thread((await starting).release)

    def _start_watch(self) -> None:
        if not self._has_watch:
            self._has_watch = True
            self._tasks.start(self._watch())

    async def _watch(self) -> None:
        """Check the browser regularly; an error in one check is logged, and must not end the checks after it."""
        self._last_needed = time.monotonic()
        while True:
            await asyncio.sleep(HEARTBEAT_INTERVAL)
            try:
                await self._check()
            except Exception:
                log.exception("the browser could not be checked")

    async def _check(self) -> None:
        """Replace a browser that has stopped answering while a call waits for it; close one that no session needs."""
        if self._is_needed():
            self._last_needed = time.monotonic()
        elif time.monotonic() - self._last_needed > UNUSED_SECONDS:
            await self._close_unused()
        browser = self._browser
        if browser is None or not browser.is_alive or not self._is_busy():
            self._missed_heartbeats = 0
            return
        has_answered = await browser.answers_within(HEARTBEAT_TIMEOUT)
        self._missed_heartbeats = 0 if has_answered else self._missed_heartbeats + 1
        if self._missed_heartbeats >= 2:
            self._missed_heartbeats = 0
            self._lose(browser, FROZE)
            await self._kill_lost_browsers()


async def _return(process: BrowserProcess) -> BrowserProcess:
    return process


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
