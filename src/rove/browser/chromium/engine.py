"""Chromium as a browser engine, which `rove.browser.browser.load_engine` imports by name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from rove.browser.browser import Finding, Meter, ProfileLaunch, Progress
from rove.browser.chromium.browser import Browser, ProfileBrowser, launch, start_process
from rove.browser.chromium.emulation import own_user_agent
from rove.browser.chromium.launch import BrowserProcess
from rove.browser.shared import process as shared_process
from rove.browser.shared.engine import BrowserEngine
from rove.settings.chrome_version import PINNED
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.chromium.attachment import AttachedBrowser


class ChromiumEngine(BrowserEngine):
    """Starts Chromium, or attaches to one that a person runs."""

    async def start_process(
        self, settings: Settings, progress: Progress | None, profile: ProfileLaunch | None = None
    ) -> BrowserProcess:
        return await start_process(settings, progress, profile)

    async def launch(self, settings: Settings, process: shared_process.BrowserProcess) -> Browser:
        assert isinstance(process, BrowserProcess), "a process of another engine"
        if process.profile is None:
            return await launch(settings, process, Browser)
        browser = await launch(settings, process, ProfileBrowser)
        try:
            await browser.load_extensions(process.profile.extensions)
        except BaseException:
            await browser.close()
            raise
        return browser

    async def attach(self, settings: Settings) -> AttachedBrowser:
        from rove.browser.chromium.attachment import attach  # imports a WebSocket library that only attaching needs

        return await attach(settings)

    def install(
        self, settings: Settings, progress: Progress, meter: Meter | None = None, force: bool = False
    ) -> tuple[str, str]:
        from rove.browser.chromium.install import ensure, fetch, working_version

        installation = (
            fetch(settings, progress, meter, again=True) if force else ensure(settings, True, progress, meter)
        )
        return working_version(installation.path), f"{installation.path} ({installation.origin})"

    def user_agent(self, settings: Settings) -> str:
        from rove.browser.chromium.install import installed, version

        installation = installed(settings)
        printed = version(installation.path) if installation is not None else None
        is_shell = installation is not None and installation.headless_only
        return own_user_agent(printed or PINNED, settings.headless and not settings.stealth, is_shell)

    def installed(self, settings: Settings) -> str | None:
        from rove.browser.chromium.install import installed, version

        found = installed(settings)
        return f"{version(found.path) or 'a browser that does not start'}: {found.path}" if found else None

    def diagnose(self, settings: Settings) -> AsyncIterator[Finding]:
        from rove.browser.chromium.diagnosis import diagnose

        return diagnose(settings)


ENGINE: BrowserEngine = ChromiumEngine()
