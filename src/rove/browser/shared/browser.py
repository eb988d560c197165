"""A running browser: its process, its contexts, how it is lost; and starting one."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from rove.browser.context import DIED, SavedContext
from rove.browser.failures import BrowserError
from rove.browser.shared.connection import Connection
from rove.browser.shared.context import Context
from rove.browser.shared.machine import kill_largest_page, memory_in_use, sweep_leftovers
from rove.browser.shared.process import BrowserProcess
from rove.errors import BrowserUnavailable, Unsupported, unwritable
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks

C = TypeVar("C", bound=Context)
C_co = TypeVar("C_co", bound=Context, covariant=True)
P = TypeVar("P", bound=BrowserProcess)
# Seconds that a launch waits for the removal of what earlier processes left; the rest goes on in the background.
SWEEP_SECONDS = 0.5


class BrowserOf(ABC, Generic[C_co]):
    """A browser that answers commands: its process, the connection to it and its contexts."""

    _connection: Connection

    def __init__(self, process: BrowserProcess, version: str = "") -> None:
        self._process = process
        self._contexts: dict[str, C_co] = {}
        self._tasks = BackgroundTasks("browser", expected=(BrowserError,))
        self.version = version

    # Primitives of an engine

    @abstractmethod
    async def new_context(self, settings: Settings, proxy: str, saved: SavedContext | None = None) -> C_co:
        """Open an isolated context whose requests all go through a proxy, or restore a lost one."""

    @abstractmethod
    async def answers_within(self, timeout: float) -> bool:
        """Return whether the browser process answers within `timeout` seconds, or at least still sends events."""

    @abstractmethod
    async def close(self) -> None:
        """Close the browser in a bounded time, whatever state it is in."""

    # What follows from them

    @property
    def is_alive(self) -> bool:
        return self._connection.is_open and self._process.is_running

    @property
    def process_group(self) -> int | None:
        """The process group of a browser that rove started; None for one that it is attached to."""
        return self._process.process_group

    def memory_in_use(self) -> int | None:
        """Return the bytes that the browser's processes hold; None if unknown or in an attached browser."""
        group = self.process_group
        return memory_in_use(group) if group is not None else None

    def kill_largest_page(self) -> bool:
        """Kill the page process that holds the most memory; False if there is none."""
        group = self.process_group
        return group is not None and kill_largest_page(group)

    def on_lost(self, callback: Callable[[str], None]) -> None:
        """Call `callback` when the connection to the browser ends, with how it was lost (`rove.browser.context`)."""
        self._connection.on_end(lambda: callback(self._connection.loss or DIED))

    async def default_context(self, settings: Settings, saved: SavedContext | None) -> C_co:
        """Open a context whose requests bypass rove's proxy: that of an attached browser, or of one without proxies."""
        raise Unsupported("This browser was started by rove, which gives every session a context behind its proxy.")

    def disconnect(self) -> None:
        """End the connection to the browser."""
        self._connection.close()

    async def kill(self) -> None:
        """Disconnect and end the process without asking the browser to close."""
        self.disconnect()
        await asyncio.gather(*(context.release() for context in self._contexts.values()), self._tasks.close())
        await asyncio.to_thread(self._process.release)


# A browser as the layers above see it.
Browser = BrowserOf[Context]
B = TypeVar("B", bound=Browser)


async def opened(context: C, saved: SavedContext | None) -> C:
    """Open a context with what was saved of it, and return it; close it if that fails."""
    try:
        await context.open(saved)
    except BaseException:
        await context.close()
        raise
    return context


def keep(contexts: dict[str, C], identity: str, context: C) -> C:
    """Keep a context among others until it is closed; return it."""
    contexts[identity] = context
    context.on_closed = lambda: contexts.pop(identity, None)
    return context


def require_version(where: str, engine: str, version: str, least: int, hint: str) -> None:
    """Raise if a version such as `156.0.1.2` is older than rove needs."""
    major = version.partition(".")[0]
    if major.isdigit() and int(major) < least:
        raise BrowserUnavailable(f"{where} is version {major} of {engine}, and rove needs {least} or newer.", hint=hint)


async def spawned(settings: Settings, make: Callable[[], P]) -> P:
    """Start a process in a thread. Raises if rove's folder cannot be written to."""
    try:
        return await asyncio.to_thread(make)
    except OSError as error:
        raise unwritable(settings.home_folder, error) from error


async def launched(
    settings: Settings,
    process: BrowserProcess,
    path: object,
    connecting: Coroutine[Any, Any, B],
    failures: tuple[type[Exception], ...],
) -> B:
    """Return the browser that was connected to; if it does not answer, end its process and remove its files.

    `path`: that of the program. `failures`: what says that the browser did not start.
    """
    sweeping = BackgroundTasks("launch")
    sweeping.start(sweep_leftovers(settings.home_folder / "run"))
    try:
        async with asyncio.timeout(settings.deadlines.launch):
            browser = await connecting
        # A slow or failed clean-up must not keep the caller from a browser that works.
        await sweeping.finish(SWEEP_SECONDS)
    except failures as error:
        reason = await asyncio.to_thread(process.last_log_line)
        await _clean_up(process)
        raise BrowserUnavailable(f"{path} did not start: {reason}") from error
    except BaseException:
        await _clean_up(process)
        raise
    return browser


async def _clean_up(process: BrowserProcess) -> None:
    if process.connection is not None:
        process.connection.close()
    await asyncio.to_thread(process.release)
