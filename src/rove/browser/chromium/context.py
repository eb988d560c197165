"""One isolated browser context: its tabs, their ids, which of them is current, and its downloads."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rove.browser.chromium.connection import CdpConnection, CdpError, CdpSession
from rove.browser.chromium.emulation import Identity, deny_all, user_agent_of
from rove.browser.chromium.live_page import close_target
from rove.browser.chromium.resources import SharedResources, TabSetup
from rove.browser.chromium.stealth import new_window
from rove.browser.chromium.storage import ContextCookies, HiddenPages, SessionStorageSeed
from rove.browser.chromium.tab import Tab
from rove.browser.chromium.workers import Workers
from rove.browser.context import SavedContext
from rove.browser.network import files_for
from rove.browser.shared import downloads
from rove.browser.shared import tab as shared_tab
from rove.browser.shared.context import ContextState, ContextTabs
from rove.settings.sections import Viewport
from rove.settings.tree import Settings
from rove.storage.state import BrowserState
from rove.tasks import result_of

OPEN_TIMEOUT = 2.0


class Downloads(downloads.Downloads):
    """The downloads of one context, which the browser writes to a private folder."""

    def __init__(
        self, root: CdpSession, context: str, settings: Settings, scratch: Path, may_read: Callable[[str], bool]
    ) -> None:
        super().__init__(settings, scratch, may_read)
        self._root = root
        self._context = context

    async def receive(self) -> None:
        behaviour = {"behavior": "allowAndName", "browserContextId": self._context, "eventsEnabled": True}
        await self._root.send("Browser.setDownloadBehavior", {**behaviour, "downloadPath": str(self._scratch)})

    def update(self, event: dict[str, Any]) -> None:
        """Handle `Browser.downloadProgress`."""
        if event["state"] == "inProgress":
            self.note_size(event["guid"], max(event["receivedBytes"], event["totalBytes"]))
        else:
            self.end(event["guid"], event["state"] == "completed")

    async def cancel(self, identity: str) -> None:
        with contextlib.suppress(CdpError):  # the download ended before it could be cancelled
            await self._root.send("Browser.cancelDownload", {"guid": identity, "browserContextId": self._context})


class Context(ContextTabs[Tab]):
    """Isolated cookies, storage and tabs. Tab ids (`t1`, `t2`) are never reused."""

    _shared: SharedResources
    _downloads: Downloads

    def __init__(self, connection: CdpConnection, identity: str, settings: Settings, scratch: Path) -> None:
        # The folder for copies of uploaded files, which pages may read until they are closed.
        super().__init__(settings, SharedResources(connection), scratch / f"uploads-{identity}")
        self._connection = connection
        self._root = root = connection.root
        self._identity = identity
        self._setup = TabSetup(connection, settings, self._uploads, self._shared)
        downloads = scratch / f"downloads-{identity}"
        self._downloads = Downloads(root, identity, settings, downloads, lambda origin: self._shared.may_read(origin))
        self.cookies: ContextCookies = ContextCookies(root, identity)
        self._hidden_pages = HiddenPages(root, identity, self.on_page_attached)
        self._state = ContextState(self._hidden_pages, self.cookies)
        self._shared.on_document = self._state.note_url
        self._shared.interceptor.files = files_for(settings)
        self._shared.workers.is_stealthy = settings.stealth
        self._creating = 0
        # The answer to the `Target.createTarget` that was sent while the browser started.
        self._first_page: asyncio.Future[dict[str, Any]] | None = None

    @property
    def workers(self) -> Workers:
        """The workers that the tabs share."""
        return self._shared.workers

    def use_identity(self, identity: Identity | None) -> None:
        """Give pages and workers this identity, where nothing else is emulated; None leaves the browser's own."""
        self._shared.overrides.identity = identity

    def set_first_page(self, page: asyncio.Future[dict[str, Any]]) -> None:
        """Use a page that was requested while the browser started as the first tab."""
        self._first_page = page
        self._creating += 1

    async def open(self, saved: SavedContext | None) -> None:
        ready = asyncio.gather(self._downloads.open(), deny_all(self._root, self._identity))
        if saved is None:
            # The caller needs a page next, and starting its process takes longest.
            await asyncio.gather(self._open_first_tab(), ready)
        else:
            await ready
            await self._restore(saved)

    async def _restore_state(self, state: BrowserState) -> None:
        if self.is_persistent:
            await self._root.send("Storage.clearCookies", {"browserContextId": self._identity})
        await super()._restore_state(state)

    @property
    def is_alive(self) -> bool:
        return self._connection.is_open

    async def dispose(self) -> None:
        await self._root.send("Target.disposeBrowserContext", {"browserContextId": self._identity})

    async def set_permission(self, origin: str, name: str, setting: str) -> None:
        asked = {"permission": {"name": name}, "setting": setting, "origin": origin}
        await self._root.send("Browser.setPermission", {**asked, "browserContextId": self._identity})

    async def user_agent(self) -> str:
        emulation = self.overrides.emulation
        version = await self._root.send("Browser.getVersion")
        if emulation.device is not None and emulation.user_agent is None:
            return user_agent_of(emulation.device, version["product"])
        return emulation.user_agent or str(version["userAgent"])

    # Events of the browser

    def on_page_attached(self, cdp: CdpSession, target: dict[str, Any]) -> None:
        """Open a tab for a new page that rove requested, or for a popup unless there are too many."""
        if self._hidden_pages.may_claim(cdp, target):
            return
        self._shared.interceptor.note_popup(target["targetId"], cdp, target.get("openerId"))
        is_popup = "openerId" in target or not self._creating
        opener = self._opener(target) if is_popup else None
        if self._refuses_popup(opener):
            self._shared.tasks.start(close_target(self._root, cdp, target["targetId"]))
            return
        if opener is not None:  # the browser does not name the opener of a link that is opened with Control held down
            target = {**target, "openerId": opener.page.target_id}
        tab = self._add_tab(cdp, target, self._next_id())
        if opener is not None:
            tab.join_opener(opener)
            tab.page.origins.inherit(opener.page.origins.of(tab.opener_frame))
        opening = self._shared.tasks.start(self._open_tab(tab, opener))
        self._opening[target["targetId"]] = opening
        if is_popup:
            opening.add_done_callback(lambda _: self._opening.pop(target["targetId"], None))

    def forget_target(self, target: str, cdp: CdpSession) -> None:
        self._opening.pop(target, None)
        for tab in self.tabs:
            if tab.page.target_id == target and tab.page.cdp is cdp:
                self._drop(tab)

    def on_download_event(self, event: dict[str, Any]) -> None:
        if "frameId" in event:
            owner = next((tab for tab in self.tabs if tab.page.worlds.has_frame(event["frameId"])), None)
            if owner is not None:
                origin = owner.page.origins.of_document(event["url"], event["frameId"])
                self._begin_download(owner, event["guid"], event, origin)
        else:
            self._downloads.update(event)

    # Creating tabs

    def _add_tab(self, cdp: CdpSession, target: dict[str, Any], identity: str) -> Tab:
        tab = Tab(self._setup, cdp, target, identity)
        self._tabs[identity] = tab
        self._note_change()
        return tab

    async def _create_tab(self) -> Tab:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(OPEN_TIMEOUT):
                return await self._try_create_tab()
        # Chromium may put a new page into the process of the page it replaces, which does not answer.
        return await self._try_create_tab()

    async def _try_create_tab(self) -> Tab:
        if self._first_page is None:
            self._creating += 1
        requested = self._shared.tasks.start(self._request_target())
        try:
            target = await result_of(requested, CdpError("the context is closed"))
            if (opening := self._opening.pop(target["targetId"], None)) is None:
                raise CdpError("the page was closed as soon as it was opened")
            await self._shared.interceptor.note_own_page(target["targetId"])
            return await result_of(opening, CdpError("the page is closed"))
        except asyncio.CancelledError:
            self._shared.tasks.start(self._discard(requested))
            raise

    async def _request_target(self) -> dict[str, Any]:
        try:
            first_page, self._first_page = self._first_page, None
            if first_page is not None:
                return await first_page
            blank = {"url": "about:blank", "browserContextId": self._identity}
            if self._setup.gives_own_window:
                blank |= new_window(self.settings.viewport)
            async with self._hidden_pages.creation_lock:
                return await self._root.send("Target.createTarget", blank)
        finally:
            self._creating -= 1

    async def _discard(self, requested: asyncio.Task[dict[str, Any]]) -> None:
        """Close a page that was requested and whose caller waits no longer, also if it opens only now."""
        target = (await requested)["targetId"]
        self._opening.pop(target, None)
        for tab in [tab for tab in self.tabs if tab.page.target_id == target]:
            self._forget(tab)
            await tab.close()

    async def _open_tab(self, tab: Tab, opener: Tab | None) -> Tab:
        await self._set_up(tab, opener)
        if opener is not None:
            opener.popups.report(tab.id, tab.url, tab.opener_frame)
            self._popup_opened.set()
        return tab

    async def prepare_tab(self, tab: shared_tab.Tab) -> None:
        assert isinstance(tab, Tab)
        if self._setup.gives_own_window and self.settings.viewport != Viewport():
            await tab.resize(self.settings.viewport.width, self.settings.viewport.height)
        if items := self._state.session_storage:
            await SessionStorageSeed(tab.page.cdp, tab.page.tasks, items).replace()

    def _opener(self, target: dict[str, Any]) -> Tab | None:
        opener = target.get("openerId")
        return next((tab for tab in self.tabs if tab.page.target_id == opener), None) or self.current
