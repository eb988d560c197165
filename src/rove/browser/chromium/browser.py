"""A running Chromium: launching it, connecting to it, its contexts; and one whose context is kept in a profile."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rove.browser.browser import ProfileLaunch
from rove.browser.chromium.connection import CdpConnection, CdpError, PipeTransport
from rove.browser.chromium.context import Context
from rove.browser.chromium.emulation import Identity, identity_of
from rove.browser.chromium.launch import COMMANDS_SENT, CREATE_PAGE_ID, BrowserProcess, FirstPage, decide_sandbox
from rove.browser.chromium.stealth import StealthLaunch, window_for
from rove.browser.context import SavedContext
from rove.browser.network import is_extension_page
from rove.browser.shared import process as shared_process
from rove.browser.shared.browser import BrowserOf, keep, launched, opened, require_version, spawned
from rove.browser.shared.machine import PageProcesses, refuse_without_display
from rove.browser.shared.watchdog import living_processes
from rove.errors import InvalidSettings, ProfileInUse, Unsupported
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.chromium.backpressure import Backpressure
    from rove.browser.chromium.discovery import Installation
    from rove.browser.chromium.flood import TargetGroup
    from rove.browser.extensions import Extension

log = logging.getLogger(__name__)
CLOSE_TIMEOUT = 3.0
# Seconds that the browser has to start the process that draws.
RENDERER_TIMEOUT = 10.0
# The first version with `Page.frameStartedNavigating`, which waiting for navigations relies on.
MIN_VERSION = 132
# New targets wait for the debugger, so that no script of a page runs before rove has set the page up.
AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


# The watchdog of a rove that was killed ends its browser within a fraction of this.
END_TIMEOUT = 5.0
CHECK_INTERVAL = 0.05


class Browser(BrowserOf[Context]):
    """A browser: its process, the connection to it and its contexts."""

    _connection: CdpConnection

    def __init__(self, process: shared_process.BrowserProcess, connection: CdpConnection, version: str = "") -> None:
        super().__init__(process, version)
        self._connection = connection
        # The context that was created while the browser started, by its proxy.
        self._prepared: dict[str, Context] = {}
        self._backpressure: Backpressure | None = None
        connection.on_flood = self._on_flood
        # What pages are told that the browser is, where stealth replaces what it would say itself.
        self.identity: Identity | None = None
        root = connection.root
        root.on("Target.attachedToTarget", self._on_attached)
        root.on("Target.detachedFromTarget", self._on_detached)
        root.on("Browser.downloadWillBegin", self._on_download)
        root.on("Browser.downloadProgress", self._on_download)

    async def new_context(self, settings: Settings, proxy: str, saved: SavedContext | None = None) -> Context:
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

    def adopt_first_page(self, first_page: FirstPage, settings: Settings) -> None:
        """Take over the context and the page that were requested while the browser started."""
        if first_page.context_id is not None:
            context = self._add_context(first_page.context_id, settings)
            context.set_first_page(self._connection.expect_response(CREATE_PAGE_ID))
            self._prepared[first_page.proxy_url] = context

    def _add_context(self, identity: str, settings: Settings) -> Context:
        context = Context(self._connection, identity, settings, self._process.scratch)
        context.use_identity(self.identity)
        return keep(self._contexts, identity, context)

    async def answers_within(self, timeout: float) -> bool:
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

    async def close(self) -> None:
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
    runs, headless = settings.home_folder / "run", settings.headless
    return await spawned(
        settings, lambda: BrowserProcess(runs, installation, sandbox, headless, profile=profile, stealth=stealth)
    )


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
    connecting = _connect(process, settings, kind)
    return await launched(settings, process, process.installation.path, connecting, (TimeoutError, CdpError))


async def _open_connection(process: BrowserProcess) -> CdpConnection:
    """Open the connection, once the thread that requests the first page no longer uses the pipe."""
    first_page = process.first_page
    if first_page is None:
        return CdpConnection(PipeTransport(*process.take_pipe()))
    await asyncio.to_thread(first_page.wait)
    return CdpConnection(PipeTransport(*process.take_pipe(), first_page.received), COMMANDS_SENT)


async def _connect(process: BrowserProcess, settings: Settings, kind: type[B]) -> B:
    process.connection = connection = await _open_connection(process)
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
    hint = "Update it, or run `rove install` and leave ROVE_BROWSER unset."
    require_version(where, "Chromium", product.partition("/")[2], MIN_VERSION, hint)


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

    async def dispose(self) -> None:
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
        return await opened(keep(self._contexts, identity, context), saved)

    async def close(self) -> None:
        """Close the browser, and let it write its profile to the disk before its process is ended."""
        with contextlib.suppress(TimeoutError, CdpError):
            async with asyncio.timeout(CLOSE_TIMEOUT):
                await self._connection.root.send("Browser.close")
        exiting = asyncio.ensure_future(asyncio.to_thread(self._process.wait))
        await asyncio.wait({exiting}, timeout=CLOSE_TIMEOUT)
        await self.kill()
        await exiting
