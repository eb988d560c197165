"""One isolated context of a Firefox: its tabs, their ids, which of them is current, and its downloads."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rove.browser.context import SavedContext
from rove.browser.emulation import Size
from rove.browser.firefox.connection import BidiConnection, BidiError, PageChannel
from rove.browser.firefox.frames import add_scripts
from rove.browser.firefox.interception import Interceptions
from rove.browser.firefox.profiler import Recorder
from rove.browser.firefox.resources import SharedResources, TabSetup
from rove.browser.firefox.storage import ContextCookies, HiddenPages, SessionStorageSeed
from rove.browser.firefox.tab import Tab
from rove.browser.shared import downloads
from rove.browser.shared import tab as shared_tab
from rove.browser.shared.context import CLOSE_TIMEOUT, ContextState, ContextTabs
from rove.settings.tree import Settings
from rove.tasks import result_of

# Seconds between two looks at how much has been written.
WATCH_INTERVAL = 0.25
EMPTY = ("", "about:blank")
# A window that has begun to load nothing by then stays empty.
SECONDS = 0.5
# The bytes of bodies that Firefox keeps for the network log, of one request.
MAX_KEPT_BODY = 5_000_000
Event = dict[str, Any]


class Downloads(downloads.Downloads):
    """The downloads of one context, which Firefox writes to a private folder. The id is that of the navigation.

    Firefox neither tells how large a download is nor ends one: the size is that of the files, and what is written of
    a download that was refused is dropped again and again, so that it fills no disk.
    """

    def __init__(
        self,
        connection: BidiConnection,
        context: str,
        settings: Settings,
        scratch: Path,
        may_read: Callable[[str], bool],
    ) -> None:
        super().__init__(settings, scratch, may_read)
        self._connection = connection
        self._context = context
        self._names: dict[str, str] = {}
        self._is_watching = False

    async def receive(self) -> None:
        behaviour = {"type": "allowed", "destinationFolder": str(self._scratch)}
        params = {"downloadBehavior": behaviour, "userContexts": [self._context]}
        await self._connection.send("browser.setDownloadBehavior", params)

    def expect(self, identity: str, name: str) -> None:
        """Look at how much is written of a download, which Firefox has begun to write under a name like this."""
        self._names[identity] = name
        if not self._is_watching:
            self._is_watching = True
            self._tasks.start(self._watch())

    def finish(self, event: dict[str, Any]) -> None:
        """Handle `browsingContext.downloadEnd`."""
        identity, written = str(event["navigation"]), event.get("filepath")
        if identity not in self._running:
            return  # of another context
        self._names.pop(identity, None)
        if written is not None:
            with contextlib.suppress(OSError):  # the file is missed when it is to be moved, and reported then
                Path(written).replace(self._scratch / identity)
        self.end(identity, event["status"] == "complete")

    async def cancel(self, identity: str) -> None:
        """Let what Firefox writes be dropped by `_watch` until it has ended."""

    async def _watch(self) -> None:
        """Note the sizes of the downloads that are under way."""
        try:
            while self._running:
                await asyncio.sleep(WATCH_INTERVAL)
                for identity, download in list(self._running.items()):
                    for file in self._files_of(self._names.get(identity, "")):
                        self._look_at(identity, file, download.is_refused)
        finally:
            self._is_watching = False

    def _look_at(self, identity: str, file: Path, is_refused: bool) -> None:
        with contextlib.suppress(OSError):  # it was moved meanwhile
            if is_refused:
                os.truncate(file, 0)
            else:
                self.note_size(identity, file.stat().st_size)

    def _files_of(self, name: str) -> list[Path]:
        """Return the files that a download may be written to: until it is complete, its name is a longer one."""
        stem = Path(name).stem
        return [path for path in self._scratch.iterdir() if stem and path.name.startswith(stem)]


class FirstAddress:
    """Waits for the first address that a new page loads; `url` is the one that it was reported with.

    `opener`: the frame that opened it, and wrote the address; None if Firefox does not tell.
    """

    def __init__(self, channel: PageChannel, url: str, opener: str | None) -> None:
        self._channel = channel
        self._url = url
        self.opener = opener
        self._is_known = asyncio.Event()
        if url not in EMPTY:
            self._is_known.set()
        channel.on("browsingContext.navigationStarted", self._on_started)
        channel.on("closed", lambda _: self._is_known.set())

    def _on_started(self, event: dict[str, Any]) -> None:
        if event["context"] == self._channel.context and event["url"] not in EMPTY and not self._is_known.is_set():
            self._url = event["url"]
            self._is_known.set()

    async def known(self) -> str:
        """Return the address, once it is known or the time is over."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._is_known.wait(), SECONDS)
        return self._url


class Context(ContextTabs[Tab]):
    """Isolated cookies, storage and tabs. Tab ids (`t1`, `t2`) are never reused."""

    _shared: SharedResources
    _downloads: Downloads

    def __init__(
        self,
        connection: BidiConnection,
        identity: str,
        settings: Settings,
        scratch: Path,
        interceptions: Interceptions,
        user_agent: str,
        recorder: Recorder,
    ) -> None:
        size = Size(settings.viewport.width, settings.viewport.height)
        shared = SharedResources(connection, identity, interceptions, size, user_agent)
        super().__init__(settings, shared, scratch / f"uploads-{identity}")
        self._connection = connection
        self._identity = identity
        self._setup = TabSetup(connection, identity, settings, self._uploads, shared, recorder)
        downloads = scratch / f"downloads-{identity}"
        self._downloads = Downloads(connection, identity, settings, downloads, lambda origin: shared.may_read(origin))
        self.cookies: ContextCookies = shared.cookies
        self._state = ContextState(HiddenPages(connection, self._create_hidden), shared.cookies)
        shared.on_document = self._state.note_url
        # Held while a page is requested: until the answer, a new page cannot be told from one that a page has opened.
        self._creation = asyncio.Lock()
        self._undecided: list[Event] | None = None

    async def open(self, saved: SavedContext | None) -> None:
        await asyncio.gather(
            self._downloads.open(),
            self._shared.overrides.open(),
            self._keep_bodies(),
            add_scripts(self._connection, self._identity),
            self._shared.console_events.open(),
        )
        if saved is None:
            await self._open_first_tab()
        else:
            await self._restore(saved)

    async def _keep_bodies(self) -> None:
        params = {
            "dataTypes": ["request", "response"],
            "maxEncodedDataSize": MAX_KEPT_BODY,
            "userContexts": [self._identity],
        }
        await self._connection.send("network.addDataCollector", params)

    @property
    def is_alive(self) -> bool:
        return self._connection.is_open

    async def close(self) -> None:
        await self._shared.interceptor.close()
        await super().close()

    async def dispose(self) -> None:
        params = {"userContext": self._identity}
        await self._connection.send("browser.removeUserContext", params, timeout=CLOSE_TIMEOUT)

    async def set_permission(self, origin: str, name: str, setting: str) -> None:
        asked = {"descriptor": {"name": name}, "state": setting, "origin": origin}
        await self._connection.send("permissions.setPermission", {**asked, "userContext": self._identity})

    async def user_agent(self) -> str:
        return self._shared.overrides.user_agent

    @property
    def awaits_popups(self) -> bool:
        return bool(self._opening) or super().awaits_popups

    # Events of the browser

    def on_page_created(self, event: Event) -> None:
        """Open a tab for a new page that rove requested, or for a popup unless there are too many."""
        if self._undecided is not None and event["originalOpener"] is None:
            self._undecided.append(event)
        else:
            self._add_popup(event)

    def on_page_destroyed(self, context: str) -> None:
        for tab in self.tabs:
            if tab.page.target_id == context:
                self._drop(tab)

    def on_download_started(self, event: Event) -> None:
        owner = self._owner_of(event["context"])
        if owner is not None:
            origin = owner.page.origins.of(event["context"])
            self._downloads.expect(str(event["navigation"]), event["suggestedFilename"])
            self._begin_download(owner, str(event["navigation"]), event, origin)

    def on_download_ended(self, event: Event) -> None:
        self._downloads.finish(event)

    def _owner_of(self, context: str) -> Tab | None:
        top = self._connection.top_of(context)
        return next((tab for tab in self.tabs if tab.page.target_id == top), None)

    # Creating tabs

    def _add_popup(self, event: Event) -> None:
        opener = self._owner_of(event["originalOpener"] or "") or self.current
        if self._refuses_popup(opener):
            self._shared.tasks.start(self._close_page(event["context"]))
            return
        tab = self._add_tab(event)
        if opener is not None:
            self._shared.interceptor.note_opener(tab.page.target_id, opener.page.target_id)
            tab.join_opener(opener)
            tab.page.origins.inherit(opener.page.origins.page)
        first_address = FirstAddress(self._connection.page(event["context"]), event["url"], event["originalOpener"])
        opening = self._shared.tasks.start(self._open_tab(tab, opener, first_address))
        self._opening[event["context"]] = opening
        opening.add_done_callback(lambda _: self._end_opening(event["context"]))

    def _end_opening(self, context: str) -> None:
        self._opening.pop(context, None)
        self._popup_opened.set()

    async def _close_page(self, context: str) -> None:
        await self._connection.send("browsingContext.close", {"context": context}, timeout=CLOSE_TIMEOUT)

    def _add_tab(self, event: Event) -> Tab:
        tab = Tab(self._setup, self._connection.page(event["context"]), event, self._next_id())
        self._tabs[tab.id] = tab
        self._note_change()
        return tab

    async def _create_tab(self) -> Tab:
        event = await self._create_page()
        tab = self._add_tab(event)
        try:
            opening = self._shared.tasks.start(self._open_tab(tab, None))
            return await result_of(opening, BidiError("the page is closed"))
        except asyncio.CancelledError:
            self._forget(tab)
            self._shared.tasks.start(tab.close())
            raise

    async def _create_page(self) -> Event:
        """Open an empty page; a window of its own, as Firefox slows the pages down that are behind others."""
        async with self._creation:
            undecided = self._undecided = []
            created = ""
            try:
                params = {"type": "window", "userContext": self._identity}
                created = (await self._connection.send("browsingContext.create", params))["context"]
            finally:
                self._undecided = None
                for event in undecided:
                    if event["context"] != created:
                        self._add_popup(event)
        for event in undecided:
            if event["context"] == created:
                return event
        raise BidiError("the page was closed as soon as it was opened")

    async def _create_hidden(self) -> str:
        return str((await self._create_page())["context"])

    async def _open_tab(self, tab: Tab, opener: Tab | None, address: FirstAddress | None = None) -> Tab:
        await self._set_up(tab, opener)
        if opener is not None and address is not None:
            opener.popups.report(tab.id, await address.known(), address.opener)
            self._popup_opened.set()
        return tab

    async def prepare_tab(self, tab: shared_tab.Tab) -> None:
        if items := self._state.session_storage:
            await SessionStorageSeed(self._connection.page(tab.page.target_id), tab.page.tasks, items).replace()
