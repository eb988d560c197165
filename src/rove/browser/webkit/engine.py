"""WebKit as a browser engine, which `rove.browser.browser.load_engine` imports by name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from rove.browser.browser import Finding, Meter, ProfileLaunch, Progress
from rove.browser.shared import process as shared_process
from rove.browser.shared.engine import BrowserEngine
from rove.browser.webkit.install import ensure, find, installed, user_agent
from rove.browser.webkit.launch import ProcessGroup
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.webkit.browser import Browser


class WebKitEngine(BrowserEngine):
    """Starts WebKit through its WebDriver server."""

    isolates_scripts = False

    def takes_proxy(self, settings: Settings) -> bool:
        found = find(settings.browser)
        return found is None or not found.is_safari

    async def start_process(
        self, settings: Settings, progress: Progress | None, profile: ProfileLaunch | None = None
    ) -> ProcessGroup:
        from rove.browser.webkit.browser import start_process

        return await start_process(settings, profile)

    async def launch(self, settings: Settings, process: shared_process.BrowserProcess) -> Browser:
        from rove.browser.webkit.browser import launch

        assert isinstance(process, ProcessGroup), "a process of another engine"
        return await launch(settings, process)

    def install(
        self, settings: Settings, progress: Progress, meter: Meter | None = None, force: bool = False
    ) -> tuple[str, str]:
        return ensure(settings.browser, progress)

    def user_agent(self, settings: Settings) -> str:
        return user_agent(settings.browser)

    def installed(self, settings: Settings) -> str | None:
        found = installed(settings.browser)
        return f"{found[0]}: {found[1]}" if found else None

    def diagnose(self, settings: Settings) -> AsyncIterator[Finding]:
        from rove.browser.webkit.diagnosis import diagnose

        return diagnose(settings)


ENGINE: BrowserEngine = WebKitEngine()
