"""One Chromium process, and everything that dies with it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from rove.browser.context import SavedContext
from rove.chromium.context import Context
from rove.chromium.process.browser_process import BrowserProcess
from rove.chromium.process.first_page import COMMANDS_SENT, PAGE_COMMAND, FirstPage
from rove.chromium.process.launch_arguments import decide_sandbox, has_display
from rove.chromium.process.memory_usage import kill_largest_page, memory_in_use
from rove.chromium.process.run_folder import sweep
from rove.chromium.protocol.connection import CdpConnection, CdpError
from rove.chromium.protocol.pipe import PipeTransport
from rove.errors import BrowserUnavailable, Unsupported, unwritable
from rove.settings import Settings
from rove.tasks import BackgroundTasks

CLOSE_TIMEOUT = 3.0
# The first that tells when a navigation starts, which waiting for a page to come to rest relies on.
MIN_VERSION = 132
# Whatever comes into being waits for us, so that nothing of a page runs before it is set up.
AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


class ProcessHandle(Protocol):
    """What a browser stands on: a process that we started, or one that is somebody else's and that we only visit."""

    @property
    def scratch(self) -> Path:
        """Where to put what is temporary."""
        ...

    @property
    def is_running(self) -> bool: ...
    @property
    def process_group(self) -> int | None: ...
    def release(self) -> None:
        """It is over: leave nothing behind that is ours."""


class Browser:
    """A browser with the line to it and what it stands on."""

    def __init__(self, process: ProcessHandle, connection: CdpConnection, version: str = "") -> None:
        self._process = process
        self._connection = connection
        self._contexts: dict[str, Context] = {}
        # A context that was asked for ahead, by its way out.
        self._prepared: dict[str, Context] = {}
        self._tasks = BackgroundTasks("browser", expected=(CdpError,))
        self.version = version
        root = connection.root
        root.on("Target.attachedToTarget", self._on_attached)
        root.on("Target.detachedFromTarget", self._on_detached)
        root.on("Browser.downloadWillBegin", self._on_download)
        root.on("Browser.downloadProgress", self._on_download)

    @property
    def is_alive(self) -> bool:
        return self._connection.is_open and self._process.is_running

    def memory_in_use(self) -> int | None:
        """Return the bytes that the browser's processes hold; None where that is unknown, or not ours to measure."""
        group = self._process.process_group
        return memory_in_use(group) if group is not None else None

    def kill_largest_page(self) -> bool:
        """Kill the page process that holds the most memory; False if there is none."""
        group = self._process.process_group
        return group is not None and kill_largest_page(group)

    def on_lost(self, callback: Callable[[], None]) -> None:
        """Be told when the process is gone."""
        self._connection.on_end(callback)

    async def new_context(self, settings: Settings, proxy: str, saved: SavedContext | None = None) -> Context:
        """An isolated context whose only way out is a proxy; with a keepsake, it goes on where a lost one ended."""
        context = self._prepared.pop(proxy, None) if saved is None else None
        if context is None:
            # Without this spelling of the bypass list, loopback and link-local addresses go round every proxy.
            proxy_url = {"proxyServer": proxy, "proxyBypassList": "<-loopback>"}
            made = await self._connection.root.send(
                "Target.createBrowserContext", {"disposeOnDetach": True, **proxy_url}
            )
            context = self._add_context(made["browserContextId"], settings)
        try:
            await context.open(saved)
        except BaseException:
            await context.close()
            raise
        return context

    async def default_context(self, settings: Settings, saved: SavedContext | None) -> Context:
        """Refuse: only a browser that a person runs has a context of its own to work in."""
        raise Unsupported("This browser was started by rove, which gives every session a context behind its proxy.")

    def adopt_first_page(self, first_page: FirstPage, settings: Settings) -> None:
        """Take over what was begun before anyone could listen."""
        if first_page.context is not None:
            context = self._add_context(first_page.context, settings)
            context.set_first_page(self._connection.expect(PAGE_COMMAND))
            self._prepared[first_page.proxy_url] = context

    def _add_context(self, identity: str, settings: Settings) -> Context:
        context = Context(self._connection, identity, settings, self._process.scratch)
        self._contexts[identity] = context
        context.on_closed = lambda: self._contexts.pop(identity, None)
        return context

    async def answers_within(self, timeout: float) -> bool:
        """Whether the browser process itself still answers, or at least goes on talking."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(timeout):
                await self._connection.root.send("Browser.getVersion")
        except TimeoutError:
            # An answer queues behind what pages say. What was in the pipe before would have been read at once.
            return self._connection.heard_at > began + timeout / 2
        except CdpError:
            return False
        return True

    async def kill(self) -> None:
        """End everything that belongs to the browser, without asking it."""
        self._connection.close()
        await asyncio.gather(*(context.release() for context in self._contexts.values()), self._tasks.close())
        await asyncio.to_thread(self._process.release)

    async def close(self) -> None:
        """End the process and leave nothing behind; bounded, whatever state it is in."""
        with contextlib.suppress(TimeoutError, CdpError):
            async with asyncio.timeout(CLOSE_TIMEOUT):
                await self._connection.root.send("Browser.close")
        await self.kill()

    def _on_attached(self, event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        cdp = self._connection.cdp_session(event["sessionId"])
        context = self._contexts.get(target.get("browserContextId", ""))
        if context is not None and target["type"] == "page":
            context.receive(cdp, target)
        elif context is not None and target["type"] in ("service_worker", "shared_worker"):
            self._tasks.start(context.workers.set_up(cdp, target))
        else:
            # Not ours to drive, but it waits for someone to let it go.
            self._tasks.start(cdp.send("Runtime.runIfWaitingForDebugger"))

    def _on_detached(self, event: dict[str, Any]) -> None:
        for context in self._contexts.values():
            context.forget_target(event["targetId"], self._connection.cdp_session(event["sessionId"]))

    def _on_download(self, event: dict[str, Any]) -> None:
        for context in self._contexts.values():
            context.receive_download(event)


async def start_process(settings: Settings, progress: Callable[[str], None] | None) -> BrowserProcess:
    """Find a browser, or fetch one if someone is there to hear of the progress, and start its process."""
    if not settings.headless and not has_display():
        raise BrowserUnavailable(
            "A browser with a window needs a display, and there is none.",
            hint="Leave --no-headless out, or start rove under `xvfb-run`.",
        )
    from rove.chromium.process.installation import ensure  # no server that had a head start needs it

    may_fetch = settings.fetch_browser and progress is not None
    found = await asyncio.to_thread(
        ensure, settings.browser, settings.headless, may_fetch, progress or _ignore_progress
    )
    sandbox = await asyncio.to_thread(decide_sandbox, settings.sandbox, found.path)
    try:
        return await asyncio.to_thread(BrowserProcess, settings.home_folder / "run", found, sandbox, settings.headless)
    except OSError as error:
        raise unwritable(settings.home_folder, error) from error


def _ignore_progress(message: str) -> None:
    """Nobody is waiting for it yet."""


async def launch(settings: Settings, process: BrowserProcess) -> Browser:
    """A browser out of a process that is starting; if it does not come up nothing is left of it."""
    connection: CdpConnection | None = None
    sweeping = asyncio.ensure_future(asyncio.to_thread(sweep, settings.home_folder / "run"))
    try:
        async with asyncio.timeout(settings.deadlines.launch):
            connection = await _open_connection(process)
            browser = await _connect(process, connection, settings)
    except (TimeoutError, CdpError) as error:
        reason = await asyncio.to_thread(process.last_log_line)
        await _clean_up(connection, process)
        raise BrowserUnavailable(f"{process.found.path} did not start: {reason}") from error
    except BaseException:
        await _clean_up(connection, process)
        raise
    finally:
        await sweeping
    return browser


async def _open_connection(process: BrowserProcess) -> CdpConnection:
    """To the browser, once nobody else speaks to it."""
    first_page = process.first_page
    if first_page is None:
        return CdpConnection(PipeTransport(*process.pipe()))
    await asyncio.to_thread(first_page.wait)
    return CdpConnection(PipeTransport(*process.pipe(), first_page.received), COMMANDS_SENT)


async def _connect(process: BrowserProcess, connection: CdpConnection, settings: Settings) -> Browser:
    browser = Browser(process, connection)
    if process.first_page is not None:
        browser.adopt_first_page(process.first_page, settings)
    await connection.open()
    root = connection.root
    version, _ = await asyncio.gather(root.send("Browser.getVersion"), root.send("Target.setAutoAttach", AUTO_ATTACH))
    browser.version = version["product"]
    check_version(str(process.found.path), browser.version)
    return browser


def check_version(where: str, product: str) -> None:
    """`HeadlessChrome/156.0.1.2` says of itself which version it is."""
    major = product.partition("/")[2].partition(".")[0]
    if major.isdigit() and int(major) < MIN_VERSION:
        raise BrowserUnavailable(
            f"{where} is version {major} of Chromium, and rove needs {MIN_VERSION} or newer.",
            hint="Update it, or run `rove install` and leave ROVE_BROWSER unset.",
        )


async def _clean_up(connection: CdpConnection | None, process: BrowserProcess) -> None:
    if connection is not None:
        connection.close()
    await asyncio.to_thread(process.release)
