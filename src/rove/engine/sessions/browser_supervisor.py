"""The one browser process that all sessions share: started when needed, watched, replaced when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable

from rove.browser.browser import Browser, BrowserProcess, load_engine
from rove.errors import BrowserUnavailable, RoveError
from rove.settings import Settings

log = logging.getLogger(__name__)
# Two beats missed in a row mean that a browser is frozen: it is known within five seconds.
HEARTBEAT = 1.2
# A browser that no session has needed for this long is not worth its memory.
UNUSED = 60.0
ANSWER = 1.0
# As many failed starts in a row as this are no accident, and trying again soon would only burn the machine.
MOST_FAILURES = 3
REST_AFTER_FAILURES = 30.0


class BrowserSupervisor:
    """Gives out a living browser, and tells when it is lost."""

    def __init__(
        self,
        settings: Settings,
        is_busy: Callable[[], bool],
        is_needed: Callable[[], bool],
        on_lost: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._engine = load_engine()
        self._is_busy = is_busy
        self._is_needed = is_needed
        self._on_lost = on_lost
        self._starting: asyncio.Task[BrowserProcess] | None = None
        self._browser: Browser | None = None
        self._launching = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None
        self._remains: list[Browser] = []
        self._failures = 0
        self._failed_at = 0.0
        # Checks in a row that the browser did not answer, and when a session last needed it.
        self._missed = 0
        self._needed_at = 0.0

    def start_early(self, begun: BrowserProcess | None = None) -> None:
        """Start the process before the first call needs it, or go on with one that has been started."""
        if self._settings.attach is not None:
            if begun is not None:
                begun.release()
            return
        if self._starting is None and self._browser is None:
            starting = _same(begun) if begun else self._engine.start_process(self._settings, None)
            self._starting = asyncio.ensure_future(starting)
            self._watching = self._watching or asyncio.ensure_future(self._watch())

    @property
    def current(self) -> Browser | None:
        """The browser, if one is running."""
        return self._browser

    async def browser(self, progress: Callable[[str], None]) -> Browser:
        """The browser, started anew if there is none or it died."""
        async with self._launching:
            if self._browser is not None and not self._browser.is_alive:
                self._lose(self._browser)
            if self._browser is None:
                self._refuse_to_loop()
                self._browser = await self._start(progress)
                self._watching = self._watching or asyncio.ensure_future(self._watch())
            return self._browser

    async def close(self) -> None:
        """End everything; nothing is left running and no folder behind."""
        if self._watching is not None:
            self._watching.cancel()
        browser, self._browser = self._browser, None
        if browser is not None:
            await browser.close()
        await self._reap_browser()
        await self._release_process()

    async def _rest(self) -> None:
        """Close what nobody uses; the next call starts another."""
        async with self._launching:
            browser, self._browser = self._browser, None
            if browser is not None:
                await browser.close()
            await self._release_process()

    async def _reap_browser(self) -> None:
        """End what is left of browsers that were lost."""
        while self._remains:
            await self._remains.pop().kill()

    async def _start(self, progress: Callable[[str], None]) -> Browser:
        await self._reap_browser()
        starting, self._starting = self._starting, None
        try:
            browser = await self._found(starting, progress)
        except RoveError:
            self._failures += 1
            self._failed_at = time.monotonic()
            raise
        self._failures = 0
        browser.on_lost(lambda: self._lose(browser))
        return browser

    async def _found(self, starting: asyncio.Task[BrowserProcess] | None, progress: Callable[[str], None]) -> Browser:
        if self._settings.attach is not None:
            return await self._engine.attach(self._settings)
        process = await self._started_process(starting) or await self._engine.start_process(self._settings, progress)
        return await self._engine.launch(self._settings, process)

    async def _started_process(self, starting: asyncio.Task[BrowserProcess] | None) -> BrowserProcess | None:
        """What was started ahead; None if there was no browser to start, which the caller may fetch."""
        with contextlib.suppress(BrowserUnavailable):
            return await starting if starting else None
        return None

    def _lose(self, browser: Browser) -> None:
        """Tell of the loss, once, unless it was we who closed it."""
        if self._browser is browser:
            self._browser = None
            self._remains.append(browser)
            self._on_lost()

    def _refuse_to_loop(self) -> None:
        rested = time.monotonic() - self._failed_at
        if self._settings.attach is not None:
            return  # to knock costs nothing, and the person may just have started theirs
        if self._failures >= MOST_FAILURES and rested < REST_AFTER_FAILURES:
            raise BrowserUnavailable(
                f"The browser failed to start {self._failures} times in a row.",
                hint=f"Run `rove doctor`; another try is made in {REST_AFTER_FAILURES - rested:.0f} s.",
                retry_after=round(REST_AFTER_FAILURES - rested, 1),
            )

    async def _release_process(self) -> None:
        starting, self._starting = self._starting, None
        if starting is not None:
            with contextlib.suppress(RoveError):
                await asyncio.to_thread((await starting).release)

    async def _watch(self) -> None:
        """Check the browser regularly; an error in one check is logged, and must not end the checks after it."""
        self._needed_at = time.monotonic()
        while True:
            await asyncio.sleep(HEARTBEAT)
            try:
                await self._check()
            except Exception:
                log.exception("the browser could not be checked")

    async def _check(self) -> None:
        """Replace a browser that has stopped answering while a call waits for it; close one that no session needs."""
        if self._is_needed():
            self._needed_at = time.monotonic()
        elif time.monotonic() - self._needed_at > UNUSED:
            await self._rest()
        browser = self._browser
        if browser is None or not browser.is_alive or not self._is_busy():
            self._missed = 0
            return
        self._missed = 0 if await browser.answers_within(ANSWER) else self._missed + 1
        if self._missed >= 2:
            self._missed = 0
            self._lose(browser)
            await self._reap_browser()


async def _same(begun: BrowserProcess) -> BrowserProcess:
    return begun
