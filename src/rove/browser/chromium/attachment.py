"""Attaching to a browser that a person runs, which rove never closes: its default context and the person's tabs."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
from collections.abc import Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rove.browser.chromium.browser import AUTO_ATTACH, Browser, check_version
from rove.browser.chromium.connection import CdpConnection, CdpError, CdpSession
from rove.browser.chromium.context import Context
from rove.browser.chromium.live_page import close_target
from rove.browser.chromium.tab import Tab
from rove.browser.context import SavedContext, SavedTarget
from rove.browser.failures import quoted_url
from rove.browser.network import is_readable_scheme
from rove.browser.shared import tab as shared_tab
from rove.browser.shared.browser import opened
from rove.browser.shared.context import CLOSE_TIMEOUT
from rove.browser.shared.machine import sweep_leftovers
from rove.browser.shared.process import BrowserProcess, RunFolder, discard
from rove.browser.shared.websocket import HandshakeFailed, WebSocketTransport
from rove.errors import BrowserUnavailable, Denied, Unsupported, unwritable
from rove.page_text import PageText
from rove.records import dataclass
from rove.settings.debug_port import BROWSER_PATH, DebugPort
from rove.tasks import BackgroundTasks

if TYPE_CHECKING:
    from pathlib import Path

    from rove.browser.context import TabInfo
    from rove.browser.emulation import PermissionGrant
    from rove.settings.tree import Settings

# Seconds in which `/json/version` has to answer; a working browser needs milliseconds.
VERSION_TIMEOUT = 5.0
MAX_VERSION_BYTES = 100_000


@dataclass
class KnownPage:
    """An open page, attached or not. Rove attaches to it only when an agent names it."""

    id: str
    target: str
    url: PageText
    name: str
    # The dialogs of a page are reported only once rove is attached to it.
    open_dialog: None = None

    async def title(self) -> PageText:
        return self.url.around(self.name)


class AttachedContext(Context):
    """Lists the open pages, attaches to a page when it is named, and closes only pages that rove opened."""

    def __init__(self, connection: CdpConnection, identity: str, settings: Settings, scratch: Path) -> None:
        super().__init__(connection, identity, settings, scratch)
        self._pages: dict[str, KnownPage] = {}
        self._own_targets: set[str] = set()
        self._saved_targets: dict[str, SavedTarget] = {}
        self._attach_lock = asyncio.Lock()
        self._attaching: set[str] = set()
        self._running_downloads: dict[str, tuple[Tab, int, PageText]] = {}
        self._setup = replace(self._setup, is_attached=True)
        self._clean_up = BackgroundTasks("attached browser", expected=(CdpError,))

    async def open(self, saved: SavedContext | None) -> None:
        """List the open pages. Permissions, download folder and cookies of the person stay as they are."""
        saved = saved or SavedContext()
        await self._shared.restore(saved.shared)
        self._saved_targets = {saved_target.target: saved_target for saved_target in saved.targets}
        self._ids_given = saved.ids_given
        answer = await self._root.send("Target.getTargets", {"filter": [{"type": "page"}]})
        for target in answer["targetInfos"]:
            self.update_page(target)
        # This only enables download events; files go where the browser's own settings say.
        await self._root.send("Browser.setDownloadBehavior", {"behavior": "default", "eventsEnabled": True})
        current = next((saved_target.id for saved_target in saved.targets if saved_target.is_current), None)
        self._current = current if current in self._own_tab_ids else None

    @property
    def tab_infos(self) -> list[TabInfo]:
        attached = {tab.page.target_id: tab for tab in self.tabs}
        listed = [page for page in self._pages.values() if page.id not in self._background]
        tabs = [attached.get(page.target, page) for page in listed if is_readable_scheme(page.url)]
        return sorted(tabs, key=lambda page: _id_number(page.id))

    @property
    def targets(self) -> tuple[SavedTarget, ...]:
        return tuple(
            SavedTarget(page.id, page.target, page.target in self._own_targets, page.id == self._current)
            for page in self._pages.values()
        )

    @property
    def _own_tab_ids(self) -> list[str]:
        return [page.id for page in self._pages.values() if page.target in self._own_targets]

    async def tab(self, name: str | None = None, reloads: bool = False) -> Tab:
        """Return the named tab, or the current one, which is never a page that the agent has not named or opened."""
        wanted = name or self._current
        page = next((page for page in self.tab_infos if page.id == wanted and isinstance(page, KnownPage)), None)
        if page is not None:
            await self._attach(page)
        return await super().tab(name, reloads)

    async def close_tab(self, tab: TabInfo) -> None:
        if self._tabs[tab.id].page.target_id not in self._own_targets:
            raise Denied(
                f"{tab.id} was not opened by rove, and is not closed by it.",
                hint="It is the person's own: only they close it.",
            )
        await super().close_tab(tab)

    async def _set_grants(self, before: tuple[PermissionGrant, ...], after: tuple[PermissionGrant, ...]) -> None:
        if before != after:
            raise Unsupported("The permissions of pages in an attached browser are for its user to give.")

    async def save(self, is_complete: bool = False) -> SavedContext:
        """Return the tabs; cookies and storage stay in the person's browser."""
        return SavedContext(tabs=self.tab_urls, current=self._current)

    async def close(self) -> None:
        """Close the pages that rove opened, and detach from the others."""
        attached = {tab.page.target_id for tab in self.tabs}
        closing = [self._close_or_detach(tab) for tab in self.tabs]
        closing += [self._close_target(target) for target in self._own_targets - attached]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT):
                await asyncio.gather(*map(_ignore_cdp_errors, closing))
        # A page whose creation was cancelled is closed too: it must not stay in the person's browser.
        await self._clean_up.finish(CLOSE_TIMEOUT)
        await self.release()
        await asyncio.to_thread(discard, self._uploads)
        self.on_closed()

    # Events of the browser

    def update_page(self, target: dict[str, Any]) -> None:
        """Add a page, or update its URL and title. Pages of the browser itself are not listed."""
        if target.get("browserContextId") != self._identity or target["type"] != "page":
            return
        page = self._pages.get(target["targetId"])
        if page is not None:
            page.url, page.name = quoted_url(target["url"]), target["title"]
        elif is_readable_scheme(target["url"]):
            self._add_page(target)

    def forget_page(self, target: str) -> None:
        self._pages.pop(target, None)
        self._own_targets.discard(target)

    def is_attaching(self, target: str) -> bool:
        """Return whether rove is attaching to this target now."""
        return target in self._attaching

    def on_page_attached(self, cdp: CdpSession, target: dict[str, Any]) -> None:
        """Open a tab for a popup of an attached page; resume and leave any other new page."""
        opener = next((tab for tab in self.tabs if tab.page.target_id == target.get("openerId")), None)
        if opener is None:
            self._report_popup(target)
            self._shared.tasks.start(resume_target(cdp))
            return
        if opener.page.target_id in self._own_targets:
            if opener.id in self._background or opener.popups.is_refused(len(self._own_tab_ids)):
                self._popup_opened.set()
                self._shared.tasks.start(close_target(self._root, cdp, target["targetId"]))
                return
            self._own_targets.add(target["targetId"])
        self._shared.interceptor.note_popup(target["targetId"], cdp, target["openerId"])
        tab = self._add_tab(cdp, target, self._add_page(target).id)
        self._shared.tasks.start(self._open_tab(tab, opener))

    def on_download_event(self, event: dict[str, Any]) -> None:
        if "frameId" in event:
            owner = next((tab for tab in self.tabs if tab.page.worlds.has_frame(event["frameId"])), None)
            if owner is not None:
                origin = owner.page.origins.of_document(event["url"], event["frameId"])
                name = PageText(event["suggestedFilename"] or "download", origin)
                added = owner.page.downloads.add(name, PageText("", origin))
                self._running_downloads[event["guid"]] = (owner, added, name)
        elif event["state"] != "inProgress" and (download := self._running_downloads.pop(event["guid"], None)):
            tab, number, name = download
            tab.page.downloads.remove(number)
            is_complete = event["state"] == "completed"
            where = f"{name}, where this browser keeps its downloads: not in the workspace"
            said = name.around(where) if is_complete else name
            tab.page.events.add("download" if is_complete else "download failed", said)

    # Attached pages

    async def _attach(self, page: KnownPage) -> Tab:
        """Attach to a page and set it up, without reloading it."""
        async with self._attach_lock:
            if (tab := self._tabs.get(page.id)) is not None:
                return tab
            self._attaching.add(page.target)
            try:
                answer = await self._root.send("Target.attachToTarget", {"targetId": page.target, "flatten": True})
            finally:
                self._attaching.discard(page.target)
            cdp = self._connection.cdp_session(answer["sessionId"])
            tab = self._add_tab(cdp, {"targetId": page.target, "url": page.url}, page.id)
            try:
                await tab.open()
                await tab.read_current_document()
            except BaseException:
                self._forget(tab)
                self._clean_up.start(cdp.detach())
                await tab.release()
                raise
            return tab

    def _add_page(self, target: dict[str, Any]) -> KnownPage:
        identity = target["targetId"]
        if identity not in self._pages:
            saved_target = self._saved_targets.pop(identity, None)
            if saved_target is not None and saved_target.is_ours:
                self._own_targets.add(identity)
            name = saved_target.id if saved_target else self._next_id()
            url = quoted_url(target["url"] or "about:blank")
            self._pages[identity] = KnownPage(name, identity, url, target.get("title", ""))
        return self._pages[identity]

    async def _try_create_tab(self) -> Tab:
        # The page opens in the background, so that what the person types does not go into it.
        creation = asyncio.ensure_future(
            self._root.send("Target.createTarget", {"url": "about:blank", "background": True})
        )
        try:
            target = (await asyncio.shield(creation))["targetId"]
        except asyncio.CancelledError:
            self._clean_up.start(self._close_created(creation))
            raise
        self._own_targets.add(target)
        try:
            return await self._attach(self._add_page({"targetId": target, "url": "about:blank"}))
        except BaseException:
            self._clean_up.start(self._close_target(target))
            raise

    async def _close_created(self, creation: asyncio.Future[dict[str, Any]]) -> None:
        await self._close_target((await creation)["targetId"])

    def _report_popup(self, target: dict[str, Any]) -> None:
        """Report a window without an opener, as `noopener` opens, as the popup that an attached page has announced."""
        opener = next((tab for tab in self.tabs if tab.popups.expected_count > 0), None)
        if opener is not None and is_readable_scheme(target["url"] or "about:blank"):
            opener.popups.report(self._add_page(target).id, target["url"], None)
            self._popup_opened.set()

    def _rename(self, tab: shared_tab.Tab, identity: str) -> None:
        replaced = next((page for page in self._pages.values() if page.id == identity), None)
        if replaced is not None:
            replaced.id = self._next_id()
        super()._rename(tab, identity)
        self._pages[tab.page.target_id].id = identity

    def _close_replaced(self, tab: shared_tab.Tab) -> None:
        assert isinstance(tab, Tab)
        self._shared.tasks.start(self._close_or_detach(tab))

    def _forget(self, tab: shared_tab.Tab) -> None:
        super()._forget(tab)
        if self._current is not None and self._current not in self._own_tab_ids:
            # A page of the person becomes the current tab only if the agent names it.
            self._current = next(reversed(self._own_tab_ids), None)

    async def _close_or_detach(self, tab: Tab) -> None:
        if tab.page.target_id in self._own_targets:
            await tab.close()
        else:
            try:
                await tab.page.cdp.detach()
            finally:
                await tab.release()

    async def _close_target(self, target: str) -> None:
        await self._root.send("Target.closeTarget", {"targetId": target})


def _id_number(identity: str) -> int:
    return int(identity.removeprefix("t"))


async def resume_target(cdp: CdpSession) -> None:
    """Let a target run that waits for the debugger, and detach from it."""
    await cdp.send("Runtime.runIfWaitingForDebugger")
    await cdp.detach()


async def _ignore_cdp_errors(work: Coroutine[Any, Any, None]) -> None:
    """Close or detach from a page that may be closed already."""
    with contextlib.suppress(CdpError):
        await work


class AttachedProcess(BrowserProcess):
    """A folder for temporary files. Rove knows nothing of the process of an attached browser."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder

    @property
    def is_running(self) -> bool:
        return True  # the connection tells whether the browser is alive

    @property
    def process_group(self) -> None:
        return None

    def wait(self) -> None:
        """Return at once: rove does not end the process of an attached browser."""

    def release(self) -> None:
        self.folder.close()


class AttachedBrowser(Browser):
    """A browser that a person runs. Rove disconnects from it and never closes it."""

    def __init__(self, process: AttachedProcess, connection: CdpConnection, version: str, own: str) -> None:
        super().__init__(process, connection, version)
        self._default_id = own
        self._default_context: AttachedContext | None = None
        root = connection.root
        for event in ("Target.targetCreated", "Target.targetInfoChanged"):
            root.on(event, self._on_target)
        root.on("Target.targetDestroyed", self._on_destroyed)

    async def default_context(self, settings: Settings, saved: SavedContext | None) -> AttachedContext:
        """Open the context that the person works in; its requests do not go through rove's proxy."""
        context = AttachedContext(self._connection, self._default_id, settings, self._process.scratch)
        self._default_context = self._contexts[self._default_id] = context
        context.on_closed = self._forget_default_context
        return await opened(context, saved)

    async def close(self) -> None:
        """Close the pages that rove opened, and disconnect."""
        await asyncio.gather(*(context.close() for context in list(self._contexts.values())))
        await self.kill()

    def _forget_default_context(self) -> None:
        self._default_context = None
        self._contexts.pop(self._default_id, None)

    def _on_attached(self, event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        if target.get("browserContextId") in self._contexts.keys() - {self._default_id}:
            super()._on_attached(event)
        elif self._default_context is not None and self._default_context.is_attaching(target["targetId"]):
            return  # the context sets it up itself
        elif (
            self._default_context is not None
            and target["type"] == "page"
            and target.get("browserContextId") == self._default_id
        ):
            self._default_context.on_page_attached(self._connection.cdp_session(event["sessionId"]), target)
        else:
            self._tasks.start(resume_target(self._connection.cdp_session(event["sessionId"])))

    def _on_target(self, event: dict[str, Any]) -> None:
        if self._default_context is not None:
            self._default_context.update_page(event["targetInfo"])

    def _on_destroyed(self, event: dict[str, Any]) -> None:
        if self._default_context is not None:
            self._default_context.forget_page(event["targetId"])


async def attach(settings: Settings) -> AttachedBrowser:
    """Connect to the browser that the settings name; if that fails, remove the temporary files."""
    assert settings.attach is not None
    port = DebugPort.of(settings.attach)
    try:
        async with asyncio.timeout(settings.deadlines.launch):
            if not port.path:
                port = await asyncio.to_thread(_find_socket, port)
            return await _connect(settings, port)
    except (OSError, TimeoutError, CdpError, HandshakeFailed, ValueError, http.client.HTTPException) as error:
        raise BrowserUnavailable(
            f"No browser can be attached to at {settings.attach}: {_reason(error)}.", hint=_hint(port)
        ) from error


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    return "it does not answer" if isinstance(error, TimeoutError) else str(error) or type(error).__name__


def _hint(port: DebugPort) -> str:
    if port.path == BROWSER_PATH:
        return (
            "If it is Chrome with remote debugging switched on in chrome://inspect, its window asks its user: allow "
            "it there, then call again."
        )
    return (
        f"Start one with `chromium --remote-debugging-port={port.port} --user-data-dir=FOLDER`, then call again. "
        "FOLDER is a profile of its own: browsers open no such port on their default one. In Chrome 144 and newer, "
        "remote debugging can be switched on in chrome://inspect instead."
    )


def _find_socket(port: DebugPort) -> DebugPort:
    """Return the port with the path of the browser's WebSocket, which changes whenever it is started.

    Chrome 144 and newer, enabled in chrome://inspect, answers 404 and uses a path without an id.
    """
    connection = http.client.HTTPConnection(port.host, port.port, timeout=VERSION_TIMEOUT)
    try:
        connection.request("GET", "/json/version")
        answer = connection.getresponse()
        if answer.status == http.client.NOT_FOUND:
            return port.without_id()
        version = json.loads(answer.read(MAX_VERSION_BYTES)) if answer.status == http.client.OK else None
    finally:
        connection.close()
    if not isinstance(version, dict):
        raise ValueError("what listens there is no browser")
    return port.at(str(version.get("webSocketDebuggerUrl")))


async def _connect(settings: Settings, port: DebugPort) -> AttachedBrowser:
    runs = settings.home_folder / "run"
    await sweep_leftovers(runs)
    try:
        process = AttachedProcess(await asyncio.to_thread(RunFolder.create, runs, has_browser=False))
    except OSError as error:
        raise unwritable(settings.home_folder, error) from error
    connection = CdpConnection(WebSocketTransport(port))
    try:
        return await _open_browser(process, connection, str(port))
    except BaseException:
        connection.close()
        await asyncio.to_thread(process.release)
        raise


async def _open_browser(process: AttachedProcess, connection: CdpConnection, where: str) -> AttachedBrowser:
    await connection.open()
    root = connection.root
    version = await root.send("Browser.getVersion")
    check_version(where, version["product"])
    contexts = await root.send("Target.getBrowserContexts")
    if "defaultBrowserContextId" not in contexts:
        raise CdpError("it does not report its default context, as newer versions of Chromium do")
    browser = AttachedBrowser(process, connection, version["product"], contexts["defaultBrowserContextId"])
    await root.send("Target.setDiscoverTargets", {"discover": True, "filter": [{"type": "page"}]})
    await root.send("Target.setAutoAttach", AUTO_ATTACH)
    return browser
