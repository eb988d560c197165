"""A running Firefox: starting its process, connecting to it, and opening and closing its contexts."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from typing import Any

from rove.browser.browser import ProfileLaunch
from rove.browser.context import SavedContext
from rove.browser.firefox.connection import MAX_MESSAGE_BYTES, BidiConnection, BidiError
from rove.browser.firefox.context import Context
from rove.browser.firefox.install import ensure
from rove.browser.firefox.interception import Interceptions
from rove.browser.firefox.launch import FirefoxProcess
from rove.browser.firefox.profiler import Recorder
from rove.browser.shared.browser import BrowserOf, keep, launched, opened, require_version, spawned
from rove.browser.shared.machine import refuse_without_display
from rove.browser.shared.websocket import HandshakeFailed, WebSocketTransport
from rove.errors import BrowserUnavailable, Unsupported
from rove.settings.debug_port import DebugPort
from rove.settings.tree import Settings

log = logging.getLogger(__name__)
# How many times longer than Chromium it may take to answer.
PATIENCE = 3
# The first version that has all that rove uses, such as a proxy for each user context.
MIN_VERSION = 153
# Dialogs wait until rove answers them.
CAPABILITIES = {"alwaysMatch": {"unhandledPromptBehavior": {"default": "ignore"}}}
# Those of the console are asked for by each context (`browser/firefox/console.py`).
EVENTS = ("browsingContext", "input", "network", "script")


class Browser(BrowserOf[Context]):
    """A Firefox: its process, the connection to it and its contexts."""

    def __init__(self, process: FirefoxProcess, connection: BidiConnection) -> None:
        super().__init__(process)
        self._connection: BidiConnection = connection
        self.interceptions = Interceptions(connection, self._tasks)
        self._recorder = Recorder(process.process, process.recordings)
        self.user_agent = ""
        connection.on("browsingContext.contextCreated", self._on_context_created)
        connection.on("browsingContext.contextDestroyed", self._on_context_destroyed)
        connection.on("browsingContext.downloadWillBegin", self._on_download_started)
        connection.on("browsingContext.downloadEnd", self._on_download_ended)

    async def new_context(self, settings: Settings, proxy: str, saved: SavedContext | None = None) -> Context:
        # Of a manual proxy, Firefox uses the one for HTTP for all schemes; a second one would be a second answer.
        params = {"proxy": {"proxyType": "manual", "httpProxy": proxy.removeprefix("http://"), "noProxy": []}}
        identity = (await self._connection.send("browser.createUserContext", params))["userContext"]
        scratch = self._process.scratch
        context = Context(
            self._connection, identity, settings, scratch, self.interceptions, self.user_agent, self._recorder
        )
        return await opened(keep(self._contexts, identity, context), saved)

    async def answers_within(self, timeout: float) -> bool:
        began = time.monotonic()
        # One thread of Firefox does what Chromium does in several: opening a window takes it a second where it is busy.
        timeout *= PATIENCE
        try:
            await self._connection.send("session.status", timeout=timeout)
        except BidiError:
            # The answer may wait behind events of pages. Events from before `began` were read at once, so an event in
            # the second half of the time shows that the browser still works.
            return self._connection.is_open and self._connection.last_received_at > began + timeout / 2
        return True

    async def close(self) -> None:
        """Close Firefox. Nothing of it is kept, so it need not write its files first."""
        await self.kill()

    def _on_context_created(self, event: dict[str, Any]) -> None:
        context = self._contexts.get(event["userContext"])
        if context is not None and event.get("parent") is None:
            context.on_page_created(event)

    def _on_context_destroyed(self, event: dict[str, Any]) -> None:
        context = self._contexts.get(event["userContext"])
        if context is not None and event.get("parent") is None:
            context.on_page_destroyed(event["context"])

    def _on_download_started(self, event: dict[str, Any]) -> None:
        if (context := self._context_of(event)) is not None:
            context.on_download_started(event)

    def _on_download_ended(self, event: dict[str, Any]) -> None:
        # The page may be gone by now, and the download belongs to one context only.
        for context in self._contexts.values():
            context.on_download_ended(event)

    def _context_of(self, event: dict[str, Any]) -> Context | None:
        page = self._connection.page_of(event["context"])
        return self._contexts.get(page.user_context) if page is not None else None


async def start_process(
    settings: Settings, progress: Callable[[str], None] | None, profile: ProfileLaunch | None = None
) -> FirefoxProcess:
    """Find a Firefox, or install one if `progress` can be shown, and start its process."""
    if profile is not None and profile.extensions:
        raise Unsupported(
            "Firefox would run an extension in the pages of all sessions, so that rove loads none into it.",
            hint="Leave out --extension, or open the session with the engine chromium.",
        )
    if profile is not None:
        raise Unsupported(
            "A session on Firefox has no profile.",
            hint="Save its logins as a state instead (`save_state`), or open the session with the engine chromium.",
        )
    if settings.stealth:
        raise Unsupported(
            "Firefox tells pages that it is automated, so it cannot be driven with stealth.",
            hint="Leave out --stealth, or the engine firefox.",
        )
    if not settings.headless:
        refuse_without_display()
    may_fetch = settings.fetch_browser and progress is not None
    installation = await asyncio.to_thread(ensure, settings, may_fetch, progress or (lambda message: None))
    runs, sandbox = settings.home_folder / "run", settings.sandbox != "off"
    return await spawned(settings, lambda: FirefoxProcess(runs, installation, settings.headless, sandbox))


async def launch(settings: Settings, process: FirefoxProcess) -> Browser:
    """Connect to a Firefox that is starting; if it does not answer, end it and remove its files."""
    failures = (TimeoutError, BidiError, HandshakeFailed, OSError)
    return await launched(settings, process, process.installation.path, _connect(process), failures)


class _Output(asyncio.Protocol):
    """Reads what Firefox prints, for as long as it runs, and keeps the end of it."""

    def __init__(self, process: FirefoxProcess, port: asyncio.Future[int]) -> None:
        self._process = process
        self._port = port
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[-MAX_LINE_BYTES:]
        for line in lines:
            port = self._process.note_line(line.decode("utf-8", "replace"))
            if port is not None and not self._port.done():
                self._port.set_result(port)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._port.done():
            self._port.set_exception(BidiError("it ended before it listened"))


MAX_LINE_BYTES = 10_000


async def _read_port(process: FirefoxProcess) -> int:
    """Return the port that Firefox says it listens on."""
    loop = asyncio.get_running_loop()
    port: asyncio.Future[int] = loop.create_future()
    await loop.connect_read_pipe(lambda: _Output(process, port), os.fdopen(process.take_output(), "rb", 0))
    return await port


async def _connect(process: FirefoxProcess) -> Browser:
    port = DebugPort("127.0.0.1", await _read_port(process), "/session")
    process.connection = connection = BidiConnection(WebSocketTransport(port, MAX_MESSAGE_BYTES))
    browser = Browser(process, connection)
    await connection.open()
    answer = (await connection.send("session.new", {"capabilities": CAPABILITIES}))["capabilities"]
    if answer.get("moz:processID") != process.process.pid:
        raise BrowserUnavailable("What answers at Firefox's port is another program.")
    browser.version, browser.user_agent = f"Firefox/{answer['browserVersion']}", answer["userAgent"]
    hint = "Update it, or name a newer one with --browser or ROVE_BROWSER."
    require_version(str(process.installation.path), "Firefox", answer["browserVersion"], MIN_VERSION, hint)
    await connection.subscribe(*EVENTS)
    await browser.interceptions.open()
    return browser
