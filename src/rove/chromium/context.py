"""One isolated browser context: its tabs, their ids and which of them is current."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rove.browser.context import BrowserLoss, SavedContext, SavedTarget
from rove.browser.network.workspace_files import files_for
from rove.chromium.events.downloads import Downloads
from rove.chromium.page.closing import close_target
from rove.chromium.page.permissions import deny_all, set_grants
from rove.chromium.page.shared_context import SharedContext
from rove.chromium.page.shared_resources import TabSetup
from rove.chromium.page.tab import Tab
from rove.chromium.process.run_folder import discard
from rove.chromium.protocol.connection import CdpConnection, CdpError, CdpSession
from rove.chromium.states.context_state import ContextState
from rove.chromium.states.hidden_pages import HiddenPages
from rove.chromium.states.reopened_tabs import load_again, note_reopened, note_reset
from rove.chromium.stealth.window import new_window
from rove.chromium.tab_limit import refuse_another_tab
from rove.errors import NotOpen
from rove.page_text import PageText
from rove.settings.sections import Viewport
from rove.settings.tree import Settings
from rove.tasks import result_of

if TYPE_CHECKING:
    from rove.browser.tab import TabInfo

CLOSE_TIMEOUT = 3.0
# Seconds from `Page.windowOpen` until the new window has a target.
POPUP_TIMEOUT = 2.0
UNBLOCK_TIMEOUT = 0.5
OPEN_TIMEOUT = 2.0


class Context(SharedContext):
    """Isolated cookies, storage and tabs. Tab ids (`t1`, `t2`) are never reused."""

    # Whether the browser keeps it on the disk.
    is_persistent = False

    def __init__(self, connection: CdpConnection, identity: str, settings: Settings, scratch: Path) -> None:
        super().__init__(connection.root, identity)
        self._connection = connection
        self.settings = settings
        # The folder for copies of uploaded files, which pages may read until they are closed.
        self._uploads = scratch / f"uploads-{identity}"
        self._downloads = Downloads(
            self._root,
            identity,
            settings,
            scratch / f"downloads-{identity}",
            lambda origin: self._shared.may_read(origin),
        )
        self._tabs: dict[str, Tab] = {}
        self._ids_given = 0
        self._current: str | None = None
        # The tabs that rove itself uses, which are not listed.
        self._background: set[str] = set()
        # The first tab, until it is used.
        self._unused_tab: Tab | None = None
        self._creating = 0
        # The answer to the `Target.createTarget` that was sent while the browser started.
        self._first_page: asyncio.Future[dict[str, Any]] | None = None
        self._opening: dict[str, asyncio.Task[Tab]] = {}
        self._popup_opened = asyncio.Event()
        self._used: dict[str, float] = {}
        self._shared.interceptor.files = files_for(settings)
        self._hidden_pages = HiddenPages(self._root, identity, self.on_page_attached)
        self._state = ContextState(self._root, identity, self._hidden_pages, self.cookies)
        self._shared.on_document = self._state.note_url
        self._shared.workers.is_stealthy = settings.stealth
        self._setup = TabSetup(connection, settings, self._uploads, self._shared)
        self.lost = BrowserLoss()
        # Awaited before a tab is opened; raises if there is no memory for it.
        self.before_new_tab: Callable[[], Awaitable[None]] | None = None
        self.on_closed: Callable[[], object] | None = None

    def set_first_page(self, page: asyncio.Future[dict[str, Any]]) -> None:
        """Use a page that was requested while the browser started as the first tab."""
        self._first_page = page
        self._creating += 1

    async def open(self, saved: SavedContext | None) -> None:
        """Set up the context and its first tab, or restore the tabs, cookies and storage of a lost one."""
        ready = asyncio.gather(self._downloads.open(), deny_all(self._root, self._identity))
        if saved is None:
            # The caller needs a page next, and starting its process takes longest.
            first, _ = await asyncio.gather(self._create_tab(), ready)
            self._unused_tab, self._current = first, first.id
        else:
            await ready
            await self._shared.restore(self._root, saved.shared)
            await set_grants(self._root, self._identity, (), self.overrides.grants)
            if saved.state is not None:
                await self._state.restore(saved.state, self.is_persistent)
            await self._reopen(saved)

    @property
    def is_alive(self) -> bool:
        """Whether the connection to the browser is open."""
        return self._connection.is_open

    @property
    def tabs(self) -> list[Tab]:
        return list(self._tabs.values())

    @property
    def tab_infos(self) -> Sequence[TabInfo]:
        """Every tab that the agent is shown."""
        return [tab for tab in self.tabs if tab.id not in self._background]

    @property
    def current(self) -> Tab | None:
        return self._tabs.get(self._current or "")

    async def tab(self, name: str | None = None, reloads: bool = False) -> Tab:
        """Return the named tab, or the current one, which is opened if there is none."""
        if name is not None and name not in self._tabs:
            open_now = ", ".join(tab.id for tab in self.tab_infos) or "none"
            raise NotOpen(f"There is no tab {name}.", hint=f"Open now: {open_now}. List them with {{tabs}}.")
        tab = self._tabs[name] if name is not None else self.current
        if tab is None:
            return await self.new_tab()
        self._unused_tab = None
        self._used[tab.id] = time.monotonic()
        return await self._replace_crashed(tab, reloads) if tab.page.is_crashed else tab

    async def new_tab(self) -> Tab:
        if self._unused_tab is not None and self._unused_tab is self.current:
            return self._use(self._unused_tab)
        await self._admit_tab()
        return self._use(await self._create_tab())

    async def new_background_tab(self) -> Tab:
        """Open a tab that rove itself uses: it counts like others, but is not listed and not the current one."""
        await self._admit_tab()
        tab = await self._create_tab()
        self._background.add(tab.id)
        self._shared.on_changed()
        return tab

    async def _admit_tab(self) -> None:
        """Raise LimitReached if no other tab may be opened, or there is no memory for it."""
        refuse_another_tab(self._own_tab_ids, self._used, dict(self.tab_urls), self.settings.limits.tabs)
        if self.before_new_tab is not None:
            await self.before_new_tab()

    def _use(self, tab: Tab) -> Tab:
        self._unused_tab = None
        self._used[tab.id] = time.monotonic()
        self.switch(tab)
        return tab

    async def unblock_tab(self, blocked: TabInfo) -> Tab:
        """Return a tab that answers: the same one with its script terminated, or a new page under the same id."""
        tab = self._tabs[blocked.id]
        if tab.page.keeps_navigating:
            # The page's own navigations would interrupt the one that the caller wants.
            return await self.replace_tab(tab, "its page kept navigating by itself")
        if await tab.page.answers_within(UNBLOCK_TIMEOUT):
            return tab
        await tab.page.terminate_script()
        return (
            tab
            if await tab.page.answers_within(UNBLOCK_TIMEOUT)
            else await self.replace_tab(tab, "its page did not answer any more")
        )

    async def _replace_crashed(self, crashed: Tab, reloads: bool) -> Tab:
        fresh = await self.replace_tab(crashed, "its page crashed")
        if reloads:
            await load_again(fresh, crashed.url)
        return fresh

    async def replace_tab(self, replaced: TabInfo, reason: str) -> Tab:
        """Replace a page that cannot be used any more by an empty one under the same id; cookies stay."""
        tab = self._tabs[replaced.id]
        fresh = await self._create_tab()
        tab.opener_group.remove(tab.page)
        self._rename(fresh, tab.id)
        tab.page.worlds.end(f"{fresh.id} was reset because {reason}")
        self._close_replaced(tab)
        await self._resize_again(fresh)
        note_reset(fresh, tab.url, reason)
        return fresh

    def switch(self, tab: TabInfo) -> None:
        self._current = tab.id
        self._shared.on_changed()

    async def close_tab(self, tab: TabInfo) -> None:
        closing = self._tabs[tab.id]
        self._forget(closing)
        await closing.close()

    async def save(self, is_complete: bool = False) -> SavedContext:
        """Return what is needed to restore the context if the browser is lost."""
        return SavedContext(await self._state.read(self.tabs, is_complete), self.tab_urls, self._current)

    @property
    def tab_urls(self) -> tuple[tuple[str, PageText], ...]:
        return tuple((tab.id, tab.url) for tab in self.tab_infos)

    @property
    def ids_given(self) -> int:
        """How many tab ids have been given."""
        return self._ids_given

    @property
    def targets(self) -> tuple[SavedTarget, ...]:
        """The pages that could be found again if only the connection to the browser were lost."""
        return ()

    @property
    def _own_tab_ids(self) -> list[str]:
        """The ids of the tabs that rove opened, which count towards the limit."""
        return list(self._tabs)

    async def close(self) -> None:
        """Close every tab and drop all state, in a bounded time, since Chromium may never answer."""
        with contextlib.suppress(TimeoutError, CdpError):
            async with asyncio.timeout(CLOSE_TIMEOUT):
                await self._dispose()
        await self._downloads.close()
        await self.release()
        await asyncio.to_thread(discard, self._uploads)
        if self.on_closed is not None:
            self.on_closed()

    async def _dispose(self) -> None:
        await self._root.send("Target.disposeBrowserContext", {"browserContextId": self._identity})

    async def release(self) -> None:
        """Cancel the background tasks of a context that is closed."""
        await asyncio.gather(*(tab.release() for tab in self.tabs), self._shared.tasks.close())

    async def wait_for_popups(self) -> None:
        """Wait until the popups that pages have opened are tabs with ids."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(POPUP_TIMEOUT):
                while any(tab.popups.expected_count > 0 for tab in self.tabs):
                    self._popup_opened.clear()
                    await self._popup_opened.wait()

    # Events of the browser

    def on_page_attached(self, cdp: CdpSession, target: dict[str, Any]) -> None:
        """Open a tab for a new page that rove requested, or for a popup unless there are too many."""
        if self._hidden_pages.may_claim(cdp, target):
            return
        is_popup = "openerId" in target or not self._creating
        opener = self._opener(target) if is_popup else None
        if opener and (opener.id in self._background or opener.popups.is_refused(len(self._tabs))):
            self._popup_opened.set()
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
                self._forget(tab)
                self._shared.tasks.start(tab.release())

    def on_download_event(self, event: dict[str, Any]) -> None:
        if "frameId" in event:
            owner = next((tab for tab in self.tabs if tab.page.worlds.has_frame(event["frameId"])), None)
            if owner is not None:
                origin = owner.page.origins.of_document(event["url"], event["frameId"])
                self._downloads.start(event, origin, owner.page.events, owner.page.downloads)
                owner.page.requests.note_download(event["url"])
        else:
            self._downloads.update(event)

    # Creating tabs

    def _next_id(self) -> str:
        self._ids_given += 1
        return f"t{self._ids_given}"

    def _add_tab(self, cdp: CdpSession, target: dict[str, Any], identity: str) -> Tab:
        tab = Tab(self._setup, cdp, target, identity)
        self._tabs[identity] = tab
        self._shared.on_changed()
        return tab

    def _close_replaced(self, tab: Tab) -> None:
        """Close a page that another has replaced."""
        self._shared.tasks.start(tab.close())

    async def _create_tab(self) -> Tab:
        self._creating += 1
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(OPEN_TIMEOUT):
                    return await self._try_create_tab()
            # Chromium may put a new page into the process of the page it replaces, which does not answer.
            return await self._try_create_tab()
        finally:
            self._creating -= 1

    async def _try_create_tab(self) -> Tab:
        target = await self._request_target()
        try:
            if (opening := self._opening.pop(target["targetId"], None)) is None:
                raise CdpError("the page was closed as soon as it was opened")
            return await result_of(opening, CdpError("the page is closed"))
        except asyncio.CancelledError:
            for tab in [tab for tab in self.tabs if tab.page.target_id == target["targetId"]]:
                self._forget(tab)
                self._shared.tasks.start(tab.close())
            raise

    async def _request_target(self) -> dict[str, Any]:
        first_page, self._first_page = self._first_page, None
        if first_page is None:
            blank = {"url": "about:blank", "browserContextId": self._identity}
            if self._setup.gives_own_window:
                blank |= new_window(self.settings.viewport)
            async with self._hidden_pages.creation_lock:
                return await self._root.send("Target.createTarget", blank)
        try:
            return await first_page
        finally:
            self._creating -= 1

    async def _open_tab(self, tab: Tab, opener: Tab | None) -> Tab:
        try:
            await tab.open()
            if self._setup.gives_own_window and opener is None and self.settings.viewport != Viewport():
                await tab.resize(self.settings.viewport.width, self.settings.viewport.height)
            if opener is None and (seed := self._state.seed_tab(tab)) is not None:
                await seed.add()
        except CdpError:
            self._forget(tab)  # the page was closed before it was set up
            await tab.release()
        if opener is not None:
            opener.popups.report(tab.id, tab.url, tab.opener_frame)
            self._popup_opened.set()
        return tab

    def _opener(self, target: dict[str, Any]) -> Tab | None:
        opener = target.get("openerId")
        return next((tab for tab in self.tabs if tab.page.target_id == opener), None) or self.current

    async def _reopen(self, saved: SavedContext) -> None:
        """Open the tabs of a lost context again, with their ids and URLs."""
        for identity, url in saved.tabs:
            self._rename(await self._create_tab(), identity)
            await self._resize_again(self._tabs[identity])
            note_reopened(self._tabs[identity], url, saved)
        # The tabs had other ids until they were renamed. Those of tabs that were closed before are not given again.
        self._ids_given = max(saved.ids_given, *(int(identity.removeprefix("t")) for identity, _ in saved.tabs), 0)
        await asyncio.gather(*(load_again(self._tabs[identity], url) for identity, url in saved.tabs))
        self._current = saved.current or next(iter(self._tabs), None)

    async def _resize_again(self, tab: Tab) -> None:
        """Give a tab that replaces another of its id the size that was set for that one."""
        if size := self.overrides.sizes.get(tab.id):
            await tab.resize(size.width, size.height)

    def _rename(self, tab: Tab, identity: str) -> None:
        del self._tabs[tab.id]
        tab.rename(identity)
        self._tabs[identity] = tab
        self._shared.on_changed()
        self._ids_given = max(self._ids_given, int(identity.removeprefix("t")))

    def _forget(self, tab: Tab) -> None:
        if self._tabs.get(tab.id) is not tab:
            return  # another page has its id meanwhile
        del self._tabs[tab.id]
        tab.page.worlds.end(f"{tab.id} is closed")
        tab.opener_group.remove(tab.page)
        self._used.pop(tab.id, None)
        self._background.discard(tab.id)
        if self._current == tab.id:
            self._current = next((name for name in reversed(self._tabs) if name not in self._background), None)
        self._shared.on_changed()
