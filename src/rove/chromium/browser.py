"""One Chromium process, and everything that dies with it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rove.chromium.context import Context, Keepsake
from rove.chromium.driver import Driver
from rove.chromium.installation import ensure
from rove.chromium.launch import FLAGS, Sandbox, decide_sandbox, has_display
from rove.chromium.runfolder import sweep
from rove.chromium.warmup import Warmup
from rove.errors import BrowserUnavailable
from rove.settings import Settings

if TYPE_CHECKING:
    import playwright.async_api as pw

CLOSING_PATIENCE = 3.0


class Browser:
    """A browser process with its driver, its keeper and its run folder."""

    def __init__(self, warmup: Warmup, driver: Driver, process: pw.Browser, sandbox: Sandbox) -> None:
        self._folder = warmup.folder
        self._driver = driver
        self._process = process
        self._pulse: pw.CDPSession | None = None
        self.sandbox = sandbox
        self.version = process.version

    @property
    def is_alive(self) -> bool:
        return self._process.is_connected() and self._driver.is_running

    def on_lost(self, callback: Callable[[], None]) -> None:
        """Be told when the process is gone, or out of reach for good because its driver is."""
        self._process.once("disconnected", lambda _: callback())
        self._driver.on_end(callback)

    async def new_context(self, settings: Settings, keepsake: Keepsake | None = None) -> Context:
        """An isolated context; with a keepsake, one that goes on where a lost one ended."""
        made = await self._process.new_context(
            viewport={"width": settings.viewport.width, "height": settings.viewport.height},
            accept_downloads=True,
            storage_state=keepsake.storage_state if keepsake else None,
        )
        context = Context(made, settings, self._folder.path)
        if keepsake:
            await context.reopen(keepsake)
        return context

    async def answers(self, patience: float) -> bool:
        """Whether the browser process itself, through its driver, still answers."""
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(patience):
                if self._pulse is None:
                    self._pulse = await self._process.new_browser_cdp_session()
                await self._pulse.send("Browser.getVersion")
        except (TimeoutError, Error):
            return False
        return True

    async def kill(self) -> None:
        """End everything that belongs to it, asking nobody."""
        await asyncio.to_thread(self._folder.close)

    async def close(self) -> None:
        """End the process and leave nothing behind; bounded, whatever state it is in."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_PATIENCE):
                await self._close_politely()
        await asyncio.to_thread(self._folder.close)

    async def _close_politely(self) -> None:
        from playwright.async_api import Error

        with contextlib.suppress(Error):  # it may be dead already, which is what is wanted
            await self._process.close()
        await self._driver.close()


async def launch(settings: Settings, warmup: Warmup, driver: Driver, progress: Callable[[str], None]) -> Browser:
    """Find a browser, or fetch one, and start it; if that fails nothing is left of the attempt."""
    try:
        return await _launch(settings, warmup, driver, progress)
    except BaseException:
        await asyncio.to_thread(warmup.abandon)
        raise


async def _launch(settings: Settings, warmup: Warmup, driver: Driver, progress: Callable[[str], None]) -> Browser:
    sweeping = asyncio.ensure_future(asyncio.to_thread(sweep, warmup.home / "run"))
    found = await asyncio.to_thread(ensure, settings.browser, settings.headless, settings.fetch_browser, progress)
    sandbox = await asyncio.to_thread(decide_sandbox, settings.sandbox, found.path)
    try:
        async with asyncio.timeout(settings.deadlines.launch):
            playwright = await driver.connected()
            process = await _start(playwright, settings, warmup, found.path, sandbox)
    except TimeoutError as error:
        raise BrowserUnavailable(f"{found.path} did not start within {settings.deadlines.launch:g} s.") from error
    await sweeping
    return Browser(warmup, driver, process, sandbox)


async def _start(
    playwright: pw.Playwright, settings: Settings, warmup: Warmup, path: Path, sandbox: Sandbox
) -> pw.Browser:
    from playwright.async_api import Error

    if not settings.headless and not has_display():
        raise BrowserUnavailable(
            "A browser with a window needs a display, and there is none.",
            hint="Leave --no-headless out, or start rove under `xvfb-run`.",
        )
    try:
        return await playwright.chromium.launch(
            executable_path=path,
            headless=settings.headless,
            chromium_sandbox=sandbox.on,
            args=list(FLAGS),
            env={**os.environ, **warmup.folder.environment},
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
    except Error as error:
        reason = next((line for line in error.message.splitlines() if line.strip()), "no reason given")
        raise BrowserUnavailable(f"{path} did not start: {reason}") from error
