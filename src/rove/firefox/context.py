"""One isolated context of a Firefox: its tabs, their ids and which of them is current."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rove.browser.context import SavedContext
from rove.browser.emulation.emulation import Size
from rove.firefox.emulation.permissions import set_grants
from rove.firefox.events.downloads import Downloads
from rove.firefox.events.first_address import FirstAddress
from rove.firefox.frames.scripts import add_scripts
from rove.firefox.interception.interceptions import Interceptions
from rove.firefox.page.tab import Tab
from rove.firefox.performance.recording import Recorder
from rove.firefox.protocol.connection import BidiConnection, BidiError
from rove.firefox.shared.resources import TabSetup
from rove.firefox.shared.shared_context import SharedContext
from rove.firefox.storage.hidden_pages import HiddenPages
from rove.firefox.storage.session_storage import SessionStorageSeed
from rove.page.tabs.context_state import ContextState
from rove.page.tabs.context_tabs import ContextTabs
from rove.process.run_folder import discard
from rove.settings.tree import Settings
from rove.tasks import result_of

CLOSE_TIMEOUT = 3.0
# Seconds from the script that opens a window until its page is a tab.
POPUP_TIMEOUT = 2.0
# The bytes of bodies that Firefox keeps for the network log, of one request.
MAX_KEPT_BODY = 5_000_000
Event = dict[str, Any]


# mypy looks at the bound before it has inferred the attributes of `Tab`; pyright finds it fulfilled.
class Context(SharedContext, ContextTabs[Tab]):  # type: ignore[type-var]
    """Isolated cookies, storage and tabs. Tab ids (`t1`, `t2`) are never reused."""

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
        SharedContext.__init__(self, connection, identity, interceptions, size, user_agent)
        ContextTabs.__init__(self, settings)  # type: ignore[type-var]
        # The folder for copies of uploaded files, which pages may read until they are closed.
        self._uploads = scratch / f"uploads-{identity}"
        self._downloads = Downloads(
            connection,
            identity,
            settings,
            scratch / f"downloads-{identity}",
            lambda origin: self._shared.may_read(origin),
        )
        self._opening: dict[str, asyncio.Task[Tab]] = {}
        self._popup_opened = asyncio.Event()
        # Held while a page is requested: until the answer, a new page cannot be told from one that a page has opened.
        self._creation = asyncio.Lock()
        self._undecided: list[Event] | None = None
        self._state = ContextState(HiddenPages(connection, self._create_hidden), self.cookies)
        self._shared.on_document = self._state.note_url
        self._setup = TabSetup(connection, identity, settings, self._uploads, self._shared, recorder)
        self.on_closed: Callable[[], object] | None = None

    async def open(self, saved: SavedContext | None) -> None:
        """Set up the context and its first tab, or restore the tabs, cookies and storage of a lost one."""
        scripts = add_scripts(self._connection, self._identity)
        console = self._shared.console_events.open()
        await asyncio.gather(
            self._downloads.open(), self._shared.overrides.open(), self._keep_bodies(), scripts, console
        )
        if saved is None:
            first = await self._create_tab()
            self._unused_tab, self._current = first, first.id
            return
        await self._shared.restore(saved.shared)
        await set_grants(self._connection, self._identity, (), self.overrides.grants)
        if saved.state is not None:
            await self._state.restore(saved.state)
        await self._reopen(saved)

    async def _keep_bodies(self) -> None:
        params = {
            "dataTypes": ["request", "response"],
            "maxEncodedDataSize": MAX_KEPT_BODY,
            "userContexts": [self._identity],
        }
        await self._connection.send("network.addDataCollector", params)

    @property
    def is_alive(self) -> bool:
        """Whether the connection to the browser is open."""
        return self._connection.is_open

    async def save(self, is_complete: bool = False) -> SavedContext:
        """Return what is needed to restore the context if the browser is lost."""
        return SavedContext(await self._state.read(self.tabs, is_complete), self.tab_urls, self._current)

    async def close(self) -> None:
        """Close every tab and drop all state, in a bounded time."""
        await self._shared.interceptor.close()
        with contextlib.suppress(BidiError):
            params = {"userContext": self._identity}
            await self._connection.send("browser.removeUserContext", params, timeout=CLOSE_TIMEOUT)
        await self._downloads.close()
        await self.release()
        await asyncio.to_thread(discard, self._uploads)
        if self.on_closed is not None:
            self.on_closed()

    async def release(self) -> None:
        """Cancel the background tasks of a context that is closed."""
        await asyncio.gather(*(tab.release() for tab in self.tabs), self._shared.tasks.close())

    async def wait_for_popups(self) -> None:
        """Wait until the popups that pages have opened are tabs with ids."""
        if not self._awaits_popups:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(POPUP_TIMEOUT):
                while self._awaits_popups:
                    self._popup_opened.clear()
                    await self._popup_opened.wait()

    @property
    def _awaits_popups(self) -> bool:
        return bool(self._opening) or any(tab.popups.expected_count > 0 for tab in self.tabs)

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
                self._forget(tab)
                self._shared.tasks.start(tab.release())

    def on_download_started(self, event: Event) -> None:
        owner = self._owner_of(event["context"])
        if owner is not None:
            origin = owner.page.origins.of(event["context"])
            self._downloads.start(event, origin, owner.page.events, owner.page.downloads)
            owner.page.requests.note_download(event["url"])

    def on_download_ended(self, event: Event) -> None:
        self._downloads.finish(event)

    def _owner_of(self, context: str) -> Tab | None:
        top = self._connection.top_of(context)
        return next((tab for tab in self.tabs if tab.page.target_id == top), None)

    # Creating tabs

    def _add_popup(self, event: Event) -> None:
        opener = self._owner_of(event["originalOpener"] or "") or self.current
        if opener is not None and (opener.id in self._background or opener.popups.is_refused(len(self._tabs))):
            self._popup_opened.set()
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
        self._ids_given += 1
        tab = Tab(self._setup, self._connection.page(event["context"]), event, f"t{self._ids_given}")
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
        try:
            await tab.open()
            if opener is None and (items := self._state.session_storage):
                await SessionStorageSeed(self._connection.page(tab.page.target_id), tab.page.tasks, items).add()
        except BidiError:
            self._forget(tab)  # the page was closed before it was set up
            await tab.release()
        if opener is not None and address is not None:
            opener.popups.report(tab.id, await address.known(), address.opener)
            self._popup_opened.set()
        return tab

    # What the shared part of contexts asks for

    def _note_change(self) -> None:
        self._shared.on_changed()

    def _end(self, tab: Tab, reason: str) -> None:
        tab.page.worlds.end(reason)
        tab.opener_group.remove(tab.page)

    def _close_replaced(self, tab: Tab) -> None:
        """Close a page that another has replaced."""
        self._shared.tasks.start(tab.close())
