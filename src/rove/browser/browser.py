"""A running browser, and the engine that starts one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Literal, Protocol

from rove.browser.context import SavedContext
from rove.browser.extensions import Extension
from rove.browser.shared.context import Context
from rove.settings.tree import Settings
from rove.validation.record import dataclass

Progress = Callable[[str], None]
# Called with the bytes received and the size of the whole, if that is known.
Meter = Callable[[int, int | None], None]
State = Literal["good", "worth knowing", "broken"]


@dataclass(frozen=True)
class Finding:
    """The result of one check of `rove doctor`, and how to fix what is broken."""

    subject: str
    state: State
    detail: str
    fix: str = ""


@dataclass(frozen=True)
class ProfileLaunch:
    """The folder in which a browser keeps its profile, the proxy of the one session that uses it, and extensions.

    The extensions are loaded before `launch` returns; the browser does not start without one of them.
    """

    folder: str
    proxy: str
    extensions: tuple[Extension, ...] = ()


class BrowserProcess(Protocol):
    """A browser process that has been started and may not answer yet."""

    def take_proxy_port(self) -> int | None:
        """Return the descriptor of the port reserved for the first page's proxy; the caller closes it."""
        ...

    def release(self) -> None:
        """End the process and remove what belongs to it."""


class Browser(Protocol):
    """A browser that answers commands."""

    version: str

    @property
    def is_alive(self) -> bool: ...
    @property
    def process_group(self) -> int | None:
        """The process group of a browser that rove started; None for one that it is attached to."""
        ...

    def on_lost(self, callback: Callable[[str], None], /) -> None:
        """Call `callback` when the browser is gone, with how it was lost (`rove.browser.context`)."""

    async def new_context(self, settings: Settings, proxy: str, saved: SavedContext | None = None, /) -> Context:
        """Open an isolated context whose requests all go through a proxy."""
        ...

    async def default_context(self, settings: Settings, saved: SavedContext | None, /) -> Context:
        """Open a context whose requests bypass rove's proxy: that of an attached browser, or of one without proxies."""
        ...

    async def answers_within(self, timeout: float, /) -> bool:
        """Return whether the browser process answers within `timeout` seconds."""
        ...

    def memory_in_use(self) -> int | None:
        """Return the bytes that the browser's processes hold; None where that is unknown."""
        ...

    def kill_largest_page(self) -> bool:
        """Kill the page process that holds the most memory; False if there is none."""
        ...

    async def kill(self) -> None: ...
    async def close(self) -> None: ...


class BrowserEngine(Protocol):
    """Starts browsers of one kind. A feature that the kind lacks raises `Unsupported`."""

    @property
    def isolates_scripts(self) -> bool:
        """Whether rove's script in a page is out of reach of the page's own scripts."""
        ...

    def takes_proxy(self, settings: Settings, /) -> bool:
        """Return whether the requests of its pages go through the proxy of their session."""
        ...

    async def start_process(
        self, settings: Settings, progress: Progress | None, profile: ProfileLaunch | None = None, /
    ) -> BrowserProcess:
        """Find a browser, or fetch one if `progress` can be shown, and start its process.

        With a profile, the browser has one context, which is kept in the profile's folder.
        """
        ...

    async def launch(self, settings: Settings, process: BrowserProcess, /) -> Browser:
        """Connect to a process that `start_process` returned; if it does not answer, end it and remove its files."""
        ...

    async def attach(self, settings: Settings, /) -> Browser:
        """Connect to the browser of a person that `settings.attach` names."""
        ...

    def install(
        self, settings: Settings, progress: Progress, meter: Meter | None = None, force: bool = False, /
    ) -> tuple[str, str]:
        """Find a usable browser or fetch one; return its version and its path. `force` fetches in any case."""
        ...

    def user_agent(self, settings: Settings, /) -> str:
        """Return the user agent of the browser that the settings choose, without starting it."""
        ...

    def installed(self, settings: Settings, /) -> str | None:
        """Return the version and the path of the browser that would be used; None if there is none."""
        ...

    def diagnose(self, settings: Settings, /) -> AsyncIterator[Finding]:
        """Check everything that starting a browser needs, for `rove doctor`."""
        ...
