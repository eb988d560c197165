"""A running WebKit: its process group, and a driver with a browser for each context."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from rove.browser.browser import ProfileLaunch
from rove.browser.context import DIED, SavedContext
from rove.browser.shared.browser import BrowserOf, keep, opened, spawned
from rove.browser.shared.machine import refuse_without_display, sweep_leftovers
from rove.browser.shared.process import reserved_port
from rove.browser.webkit.connection import Driver, DriverLost, HttpClient, WebDriverError
from rove.browser.webkit.context import Context
from rove.browser.webkit.install import ACCEPT_SAFARI, ENABLE_SAFARI, require
from rove.browser.webkit.launch import (
    ProcessGroup,
    decide_sandbox,
    end_driver,
    minibrowser_capabilities,
    safari_capabilities,
)
from rove.browser.webkit.resources import SharedResources
from rove.errors import BrowserUnavailable, Unsupported
from rove.settings.tree import Settings

# Seconds between two attempts to reach a driver that is starting.
ATTEMPT_SECONDS = 0.02
# Seconds between two looks at whether the processes are alive.
WATCH_SECONDS = 0.5


class Browser(BrowserOf[Context]):
    """The processes of WebKit, in which every context has a browser of its own."""

    def __init__(self, process: ProcessGroup) -> None:
        super().__init__(process, "WebKit")
        self._group = process
        self._is_closed = False

    @property
    def is_alive(self) -> bool:
        return not self._is_closed and self._group.is_running

    def on_lost(self, callback: Callable[[str], None]) -> None:
        """Call `callback` when the display, or what keeps the processes together, has ended."""
        self._tasks.start(self._watch(callback))

    async def _watch(self, callback: Callable[[str], None]) -> None:
        while self.is_alive:  # noqa: ASYNC110 - the end of a process is no event of the loop
            await asyncio.sleep(WATCH_SECONDS)
        if not self._is_closed:
            callback(DIED)

    async def new_context(self, settings: Settings, proxy: str, saved: SavedContext | None = None) -> Context:
        """Start a browser whose requests all go through a proxy."""
        if self._group.installation.is_safari:
            raise Unsupported("Safari's driver takes no proxy.")
        return await self._open_context(settings, minibrowser_capabilities(self._group.installation, proxy), saved)

    async def default_context(self, settings: Settings, saved: SavedContext | None) -> Context:
        """Start Safari, whose driver takes no proxy. Raises `Unsupported` for others: rove attaches to no WebKit."""
        if not self._group.installation.is_safari:
            raise Unsupported("rove attaches only to Chromium and Chrome.")
        return await self._open_context(settings, safari_capabilities(), saved)

    async def _open_context(
        self, settings: Settings, capabilities: dict[str, Any], saved: SavedContext | None
    ) -> Context:
        return await opened(await self._start_context(settings, capabilities), saved)

    async def _start_context(self, settings: Settings, capabilities: dict[str, Any]) -> Context:
        port = _free_port()
        process, home = await asyncio.to_thread(self._group.start_driver, port)
        driver, uploads = Driver(HttpClient(port)), home / "uploads"

        def end() -> None:
            end_driver(process, home)

        try:
            await _start_session(driver, capabilities, settings.deadlines.launch)
        except (WebDriverError, TimeoutError) as error:
            driver.close()
            await asyncio.to_thread(end)
            raise self._start_failure(error) from error
        self.version = f"WebKit {driver.capabilities.get('browserVersion', '')}".strip()
        uploads.mkdir(mode=0o700)
        context = Context(driver, settings, SharedResources(uploads, home / "downloads"), end)
        return keep(self._contexts, str(home), context)

    def _start_failure(self, error: Exception) -> BrowserUnavailable:
        if self._group.installation.is_safari and isinstance(error, WebDriverError):
            return BrowserUnavailable(f"Safari did not start: {error}", hint=ENABLE_SAFARI)
        return BrowserUnavailable(f"WebKit did not start: {self._group.last_log_line()}")

    async def answers_within(self, timeout: float) -> bool:
        """Return whether the processes are there: each context has a driver of its own, which may be busy."""
        return self.is_alive

    def kill_largest_page(self) -> bool:
        """Return False: a page that is killed takes the driver's session with it."""
        return False

    def disconnect(self) -> None:
        self._is_closed = True

    async def close(self) -> None:
        """Close every context, then end the processes."""
        await asyncio.gather(*(context.close() for context in list(self._contexts.values())), return_exceptions=True)
        await self.kill()


async def start_process(settings: Settings, profile: ProfileLaunch | None) -> ProcessGroup:
    """Find a driver, and start the display that its browsers are drawn on."""
    if profile is not None:
        raise Unsupported("WebKit over WebDriver keeps no profile.", hint="Use the engine chromium for profiles.")
    if not settings.headless:
        refuse_without_display()
    installation = require(settings.browser)
    if installation.is_safari and settings.guard.safari != "unguarded":
        raise Unsupported("Safari takes no proxy from its driver, so that rove cannot guard it.", hint=ACCEPT_SAFARI)
    runs = settings.home_folder / "run"

    def start() -> ProcessGroup:
        return ProcessGroup(runs, installation, settings.headless, decide_sandbox(settings.sandbox, installation))

    return await spawned(settings, start)


async def launch(settings: Settings, process: ProcessGroup) -> Browser:
    """Wait until the display can be used; if it cannot, end it and remove its files."""
    await sweep_leftovers(settings.home_folder / "run")
    try:
        await asyncio.to_thread(process.wait_for_display)
    except BaseException:
        await asyncio.to_thread(process.release)
        raise
    return Browser(process)


def _free_port() -> int:
    taken = reserved_port()
    try:
        port: int = taken.getsockname()[1]
        return port
    finally:
        taken.close()


async def _start_session(driver: Driver, capabilities: dict[str, Any], seconds: float) -> None:
    """Start the browser, once its driver listens."""
    async with asyncio.timeout(seconds):
        while True:
            try:
                return await driver.start(capabilities, seconds)
            except DriverLost as error:
                if error.code != "connection refused":
                    raise
            await asyncio.sleep(ATTEMPT_SECONDS)
