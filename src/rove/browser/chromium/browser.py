"""A running Chromium: launching it, connecting to it, its contexts; and one whose context is kept in a profile."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from rove.browser.browser import ProfileLaunch
from rove.browser.chromium.connection import CdpConnection, CdpError, PipeTransport
from rove.browser.chromium.context import Context
from rove.browser.chromium.emulation import Identity, identity_of
from rove.browser.chromium.launch import COMMANDS_SENT, CREATE_PAGE_ID, BrowserProcess, FirstPage, decide_sandbox
from rove.browser.chromium.stealth import StealthLaunch, window_for
from rove.browser.context import DIED, SavedContext
from rove.browser.network import is_extension_page
from rove.browser.shared.machine import (
    PageProcesses,
    kill_largest_page,
    memory_in_use,
    refuse_without_display,
    sweep_leftovers,
)
from rove.browser.shared.watchdog import living_processes
from rove.errors import BrowserUnavailable, InvalidSettings, ProfileInUse, Unsupported, unwritable
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks

if TYPE_CHECKING:
    from rove.browser.chromium.backpressure import Backpressure
    from rove.browser.chromium.discovery import Installation
    from rove.browser.chromium.flood import TargetGroup
    from rove.browser.extensions import Extension

log = logging.getLogger(__name__)
CLOSE_TIMEOUT = 3.0
# Seconds that the browser has to start the process that draws.
RENDERER_TIMEOUT = 10.0
# Seconds that a launch waits for the removal of what earlier processes left; the rest goes on in the background.
SWEEP_SECONDS = 0.5
# The first version with `Page.frameStartedNavigating`, which waiting for navigations relies on.
MIN_VERSION = 132
# New targets wait for the debugger, so that no script of a page runs before rove has set the page up.
AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}

C = TypeVar("C", bound=Context)

# The watchdog of a rove that was killed ends its browser within a fraction of this.
END_TIMEOUT = 5.0
CHECK_INTERVAL = 0.05


class ProcessHandle(Protocol):
    """The process of a browser: one that rove started, or that of a person's browser that rove is attached to."""

    @property
    def scratch(self) -> Path:
        """The folder for temporary files."""
        ...

    @property
    def is_running(self) -> bool: ...
    @property
    def process_group(self) -> int | None: ...
    def wait(self) -> None:
        """Wait until a process that rove started has ended."""

    def release(self) -> None:
        """End a process that rove started, and remove the temporary files."""


class Browser:
    """A browser: its process, the connection to it and its contexts."""

    def __init__(self, process: ProcessHandle, connection: CdpConnection, version: str = "") -> None:
        self._process = process
        self._connection = connection
        self._contexts: dict[str, Context] = {}
        # The context that was created while the browser started, by its proxy.
        self._prepared: dict[str, Context] = {}
        self._tasks = BackgroundTasks("browser", expected=(CdpError,))
        self.version = version
        self._backpressure: Backpressure | None = None
        connection.on_flood = self._on_flood
        # What pages are told that the browser is, where stealth replaces what it would say itself.
        self.identity: Identity | None = None
        root = connection.root
        root.on("Target.attachedToTarget", self._on_attached)
        root.on("Target.detachedFromTarget", self._on_detached)
        root.on("Browser.downloadWillBegin", self._on_download)
        root.on("Browser.downloadProgress", self._on_download)

    @property
    def is_alive(self) -> bool:
        return self._connection.is_open and self._process.is_running

    @property
    def process_group(self) -> int | None:
        """The process group of a browser that rove started; None for one that it is attached to."""
        return self._process.process_group

    def memory_in_use(self) -> int | None:
        """Return the bytes that the browser's processes hold; None if unknown or in an attached browser."""
        group = self._process.process_group
        return memory_in_use(group) if group is not None else None

    def kill_largest_page(self) -> bool:
        """Kill the page process that holds the most memory; False if there is none."""
        group = self._process.process_group
        return group is not None and kill_largest_page(group)

    def on_lost(self, callback: Callable[[str], None]) -> None:
        """Call `callback` when the connection to the browser ends, with how it was lost."""
        self._connection.on_end(lambda: callback(self._connection.loss or DIED))

    async def new_context(self, settings: Settings, proxy: str, saved: SavedContext | None = None) -> Context:
        """Open an isolated context whose requests all go through a proxy, or restore a lost one."""
        context = self._prepared.pop(proxy, None) if saved is None else None
        if context is not None and context.settings.viewport != settings.viewport:
            await context.close()
            context = None
        if context is None:
            # Without `<-loopback>`, Chromium bypasses the proxy for loopback and link-local addresses.
            proxy_params = {"proxyServer": proxy, "proxyBypassList": "<-loopback>"}
            answer = await self._connection.root.send(
                "Target.createBrowserContext", {"disposeOnDetach": True, **proxy_params}
            )
            context = self._add_context(answer["browserContextId"], settings)
        return await opened(context, saved)

    async def default_context(self, settings: Settings, saved: SavedContext | None) -> Context:
        """Raise `Unsupported`: rove uses the default context only in a browser that a person runs."""
        raise Unsupported("This browser was started by rove, which gives every session a context behind its proxy.")

    def adopt_first_page(self, first_page: FirstPage, settings: Settings) -> None:
        """Take over the context and the page that were requested while the browser started."""
        if first_page.context_id is not None:
            context = self._add_context(first_page.context_id, settings)
            context.set_first_page(self._connection.expect_response(CREATE_PAGE_ID))
            self._prepared[first_page.proxy_url] = context

    def _add_context(self, identity: str, settings: Settings) -> Context:
        context = Context(self._connection, identity, settings, self._process.scratch)
        context.use_identity(self.identity)
        self._contexts[identity] = context
        context.on_closed = lambda: self._contexts.pop(identity, None)
        return context

    async def answers_within(self, timeout: float) -> bool:
        """Return whether the browser process answers within `timeout` seconds, or at least still sends events."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(timeout):
                await self._connection.root.send("Browser.getVersion")
        except TimeoutError:
            # The answer may wait behind events of pages. Events from before `began` were read at once, so an event in
            # the second half of the time shows that the browser still works.
            return self._connection.last_received_at > began + timeout / 2
        except CdpError:
            return False
        return True

    async def webgl_renderer(self) -> str:
        """Return the name of what draws WebGL, of which pages are told most; nothing if it is not known."""
        with contextlib.suppress(TimeoutError, CdpError):
            async with asyncio.timeout(RENDERER_TIMEOUT):
                devices = (await self._connection.root.send("SystemInfo.getInfo"))["gpu"]["devices"]
                return str(devices[0]["deviceString"]) if devices else ""
        return ""

    async def kill(self) -> None:
        """Disconnect and end the process without asking the browser to close."""
        self._connection.close()
        await asyncio.gather(*(context.release() for context in self._contexts.values()), self._tasks.close())
        await asyncio.to_thread(self._process.release)

    async def close(self) -> None:
        """Close the browser in a bounded time, whatever state it is in."""
        with contextlib.suppress(TimeoutError, CdpError):
            async with asyncio.timeout(CLOSE_TIMEOUT):
                await self._connection.root.send("Browser.close")
        await self.kill()

    def _on_flood(self, group: TargetGroup) -> None:
        """Slow a page down that sends more than is read; a process that rove has not started is never paused."""
        if self._backpressure is None:
            from rove.browser.chromium.backpressure import Backpressure  # few pages need it

            processes = PageProcesses(self._process.process_group)
            self._backpressure = Backpressure(self._connection, processes, self._tasks)
        self._backpressure.start(group)

    def _on_attached(self, event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        cdp = self._connection.cdp_session(event["sessionId"])
        context = self._contexts.get(target.get("browserContextId", ""))
        if context is not None and target["type"] == "page":
            context.on_page_attached(cdp, target)
        elif context is not None and target["type"] in ("service_worker", "shared_worker"):
            self._tasks.start(context.workers.set_up(cdp, target))
        else:
            # Other targets are not driven, but wait for the debugger and have to be resumed.
            self._tasks.start(cdp.send("Runtime.runIfWaitingForDebugger"))

    def _on_detached(self, event: dict[str, Any]) -> None:
        for context in self._contexts.values():
            context.forget_target(event["targetId"], self._connection.cdp_session(event["sessionId"]))

    def _on_download(self, event: dict[str, Any]) -> None:
        for context in self._contexts.values():
            context.on_download_event(event)


B = TypeVar("B", bound=Browser)


async def opened(context: C, saved: SavedContext | None) -> C:
    """Open a context with what was saved of it, and return it; close it if that fails."""
    try:
        await context.open(saved)
    except BaseException:
        await context.close()
        raise
    return context


async def start_process(
    settings: Settings, progress: Callable[[str], None] | None, profile: ProfileLaunch | None = None
) -> BrowserProcess:
    """Find a browser, or fetch one if `progress` can be shown, and start its process."""
    if not settings.headless:
        refuse_without_display()
    from rove.browser.chromium.install import ensure  # not needed after an early launch

    may_fetch = settings.fetch_browser and progress is not None
    installation = await asyncio.to_thread(ensure, settings, may_fetch, progress or _ignore_progress)
    sandbox = await asyncio.to_thread(decide_sandbox, settings.sandbox, installation.path)
    if profile is not None:
        await wait_until_unused(profile.folder)
    stealth = await asyncio.to_thread(_stealth_launch, settings, installation) if settings.stealth else None
    runs = settings.home_folder / "run"
    try:
        return await asyncio.to_thread(
            BrowserProcess, runs, installation, sandbox, settings.headless, False, profile, stealth
        )
    except OSError as error:
        raise unwritable(settings.home_folder, error) from error


def _stealth_launch(settings: Settings, installation: Installation) -> StealthLaunch:
    from rove.browser.chromium.install import version

    window = window_for(settings.viewport)
    # A browser with a window names itself as it should.
    text = (version(installation.path) or "") if settings.headless else ""
    identity = identity_of(text)
    return StealthLaunch(settings.headless, window, identity.user_agent if identity else "", text)


def _ignore_progress(message: str) -> None:
    """Discard a progress message, when the caller gave no way to show it."""


async def launch(settings: Settings, process: BrowserProcess, kind: type[B]) -> B:
    """Connect to a process that is starting; if it does not answer, end it and remove its files."""
    connection: CdpConnection | None = None
    sweeping = BackgroundTasks("launch")
    sweeping.start(sweep_leftovers(settings.home_folder / "run"))
    try:
        async with asyncio.timeout(settings.deadlines.launch):
            connection = await _open_connection(process)
            browser = await _connect(process, connection, settings, kind)
        # A slow or failed clean-up must not keep the caller from a browser that works.
        await sweeping.finish(SWEEP_SECONDS)
    except (TimeoutError, CdpError) as error:
        reason = await asyncio.to_thread(process.last_log_line)
        await _clean_up(connection, process)
        raise BrowserUnavailable(f"{process.installation.path} did not start: {reason}") from error
    except BaseException:
        await _clean_up(connection, process)
        raise
    return browser


async def _open_connection(process: BrowserProcess) -> CdpConnection:
    """Open the connection, once the thread that requests the first page no longer uses the pipe."""
    first_page = process.first_page
    if first_page is None:
        return CdpConnection(PipeTransport(*process.take_pipe()))
    await asyncio.to_thread(first_page.wait)
    return CdpConnection(PipeTransport(*process.take_pipe(), first_page.received), COMMANDS_SENT)


async def _connect(process: BrowserProcess, connection: CdpConnection, settings: Settings, kind: type[B]) -> B:
    browser = kind(process, connection)
    if process.stealth is not None:
        browser.identity = identity_of(process.stealth.version)
    if process.first_page is not None:
        browser.adopt_first_page(process.first_page, settings)
    await connection.open()
    root = connection.root
    version, _ = await asyncio.gather(root.send("Browser.getVersion"), root.send("Target.setAutoAttach", AUTO_ATTACH))
    browser.version = version["product"]
    check_version(str(process.installation.path), browser.version)
    return browser


def check_version(where: str, product: str) -> None:
    """Raise if a product such as `HeadlessChrome/156.0.1.2` is older than rove needs."""
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


async def wait_until_unused(folder: str) -> None:
    """Wait until no browser process uses a profile folder. Raises ProfileInUse if one goes on using it."""
    deadline = time.monotonic() + END_TIMEOUT
    while using := await asyncio.to_thread(_processes_using, folder):
        if time.monotonic() > deadline:
            raise ProfileInUse(
                f"The profile folder {folder} is in use by the browser process {using[0]}.",
                hint="Close that browser, then call again.",
            )
        await asyncio.sleep(CHECK_INTERVAL)
    _remove_stale_lock(folder)


def _processes_using(folder: str) -> list[int]:
    if not Path("/proc/self/cmdline").exists():
        return []  # there Chromium itself refuses a profile that another process uses
    argument = f"--user-data-dir={folder}".encode()
    return [pid for pid, _ in living_processes() if argument in _arguments(pid)]


def _arguments(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []  # the process has ended


def _remove_stale_lock(folder: str) -> None:
    """Remove Chromium's own lock, which names a machine: in a container that was made anew it would never be free."""
    for name in ("SingletonLock", "SingletonCookie", "SingletonSocket"):
        Path(folder, name).unlink(missing_ok=True)


class ProfileContext(Context):
    """The browser's default context. Closing it closes its tabs; what the profile has stored stays."""

    is_persistent = True

    async def _dispose(self) -> None:
        await asyncio.gather(*(tab.close() for tab in self.tabs))


class ProfileBrowser(Browser):
    """A browser for one session, started with the proxy of that session."""

    async def load_extensions(self, extensions: Sequence[Extension]) -> None:
        """Load unpacked extensions. Raises InvalidSettings with the browser's reason if it refuses one."""
        for extension in extensions:
            try:
                await self._connection.root.send("Extensions.loadUnpacked", {"path": extension.folder})
            except CdpError as error:
                raise InvalidSettings(
                    f"The browser does not load the extension {extension.folder}: {error}",
                    hint="Correct its manifest. A full Chromium or Chrome of version 138 or newer is needed.",
                ) from error

    def _on_attached(self, event: dict[str, Any]) -> None:
        """Leave pages and workers of extensions alone: they are not the agent's."""
        if is_extension_page(event["targetInfo"]["url"]):
            cdp = self._connection.cdp_session(event["sessionId"])
            self._tasks.start(cdp.send("Runtime.runIfWaitingForDebugger"))
        else:
            super()._on_attached(event)

    async def new_context(self, settings: Settings, proxy: str, saved: SavedContext | None = None) -> Context:
        """Open the context that the profile keeps."""
        contexts = await self._connection.root.send("Target.getBrowserContexts")
        if "defaultBrowserContextId" not in contexts:
            raise Unsupported(
                "This version of Chromium is too old for profiles.", hint="Install a newer one, or use a saved state."
            )
        identity = contexts["defaultBrowserContextId"]
        context = ProfileContext(self._connection, identity, settings, self._process.scratch)
        context.use_identity(self.identity)
        self._contexts[identity] = context
        context.on_closed = lambda: self._contexts.pop(identity, None)
        return await opened(context, saved)

    async def close(self) -> None:
        """Close the browser, and let it write its profile to the disk before its process is ended."""
        with contextlib.suppress(TimeoutError, CdpError):
            async with asyncio.timeout(CLOSE_TIMEOUT):
                await self._connection.root.send("Browser.close")
        exiting = asyncio.ensure_future(asyncio.to_thread(self._process.wait))
        await asyncio.wait({exiting}, timeout=CLOSE_TIMEOUT)
        await self.kill()
        await exiting
