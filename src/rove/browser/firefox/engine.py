"""Firefox as a browser engine, which `rove.browser.browser.load_engine` imports by name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from rove.browser.browser import Finding, Meter, ProfileLaunch, Progress
from rove.browser.firefox.install import ensure, fetch, installed, version
from rove.browser.firefox.launch import FirefoxProcess
from rove.browser.shared import process as shared_process
from rove.browser.shared.engine import BrowserEngine
from rove.errors import BrowserUnavailable
from rove.patterns import pattern
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.firefox.browser import Browser

_MAJOR = pattern(r"(\d+)\.")
# Where no Firefox is found, so that none can be asked.
_USUAL_MAJOR = "153"


class FirefoxEngine(BrowserEngine):
    """Starts Firefox."""

    async def start_process(
        self, settings: Settings, progress: Progress | None, profile: ProfileLaunch | None = None
    ) -> FirefoxProcess:
        from rove.browser.firefox.browser import start_process

        return await start_process(settings, progress, profile)

    async def launch(self, settings: Settings, process: shared_process.BrowserProcess) -> Browser:
        from rove.browser.firefox.browser import launch

        assert isinstance(process, FirefoxProcess), "a process of another engine"
        return await launch(settings, process)

    def install(
        self, settings: Settings, progress: Progress, meter: Meter | None = None, force: bool = False
    ) -> tuple[str, str]:
        installation = fetch(settings, progress) if force else ensure(settings, True, progress)
        printed = version(installation.path)
        if printed is None:
            raise BrowserUnavailable(
                f"{installation.path} is there, but does not start.",
                hint="Run it with --version to see why, or name another Firefox with --browser or ROVE_BROWSER.",
            )
        return printed, f"{installation.path} ({installation.origin})"

    def user_agent(self, settings: Settings) -> str:
        found = installed(settings)
        printed = (version(found.path) if found is not None else None) or ""
        match = _MAJOR.search(printed)
        major = match[1] if match else _USUAL_MAJOR
        return f"Mozilla/5.0 (X11; Linux x86_64; rv:{major}.0) Gecko/20100101 Firefox/{major}.0"

    def installed(self, settings: Settings) -> str | None:
        found = installed(settings)
        return f"{version(found.path) or 'a browser that does not start'}: {found.path}" if found else None

    def diagnose(self, settings: Settings) -> AsyncIterator[Finding]:
        from rove.browser.firefox.diagnosis import diagnose

        return diagnose(settings)


ENGINE: BrowserEngine = FirefoxEngine()
