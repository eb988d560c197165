"""What an engine is to the layers above: it starts browsers of one kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from rove.browser.browser import Finding, Meter, ProfileLaunch, Progress
from rove.errors import Unsupported
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.shared.browser import Browser
    from rove.browser.shared.process import BrowserProcess


class BrowserEngine(ABC):
    """Starts browsers of one kind. A feature that the kind lacks raises `Unsupported`."""

    # Whether rove's script in a page is out of reach of the page's own scripts.
    isolates_scripts = True

    def takes_proxy(self, settings: Settings) -> bool:
        """Return whether the requests of its pages go through the proxy of their session."""
        return True

    @abstractmethod
    async def start_process(
        self, settings: Settings, progress: Progress | None, profile: ProfileLaunch | None = None
    ) -> BrowserProcess:
        """Find a browser, or fetch one if `progress` can be shown, and start its process.

        With a profile, the browser has one context, which is kept in the profile's folder.
        """

    @abstractmethod
    async def launch(self, settings: Settings, process: BrowserProcess) -> Browser:
        """Connect to a process that `start_process` returned; if it does not answer, end it and remove its files."""

    async def attach(self, settings: Settings) -> Browser:
        """Connect to the browser of a person that `settings.attach` names."""
        raise Unsupported(
            "rove attaches only to Chromium and Chrome.", hint="Leave out --engine, or leave out --attach."
        )

    @abstractmethod
    def install(
        self, settings: Settings, progress: Progress, meter: Meter | None = None, force: bool = False
    ) -> tuple[str, str]:
        """Find a usable browser or fetch one; return its version and its path. `force` fetches in any case."""

    @abstractmethod
    def user_agent(self, settings: Settings) -> str:
        """Return the user agent of the browser that the settings choose, without starting it."""

    @abstractmethod
    def installed(self, settings: Settings) -> str | None:
        """Return the version and the path of the browser that would be used; None if there is none."""

    @abstractmethod
    def diagnose(self, settings: Settings) -> AsyncIterator[Finding]:
        """Check everything that starting a browser needs, for `rove doctor`."""
