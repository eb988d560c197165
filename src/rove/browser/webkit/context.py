"""A browser context: a driver of its own, the browser that it runs, and the tabs and downloads of one session."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rove.browser.context import SavedContext
from rove.browser.failures import StateNotRestored
from rove.browser.page_state import PageEvents
from rove.browser.shared import downloads
from rove.browser.shared.context import ContextTabs
from rove.browser.shared.downloads import PendingDownloads
from rove.browser.shared.frames import FrameOrigins
from rove.browser.webkit.connection import Driver, DriverLost, WebDriverError
from rove.browser.webkit.resources import SharedResources
from rove.browser.webkit.storage import ContextCookies
from rove.browser.webkit.tab import Tab
from rove.browser.webkit.unsupported import unsupported
from rove.page_text import PageText
from rove.records import dataclass
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.context import TabInfo

# How WebKitGTK calls a file until all of it is there.
UNFINISHED = ".wkdownload"
# Seconds between two looks at the folder while an action runs or a download is under way, and otherwise.
LOOK_SECONDS = 0.05
IDLE_SECONDS = 0.5
CLOSE_SECONDS = 5.0


@dataclass(frozen=True)
class Downloader:
    """The tab that a new download is told in, and whether an action runs in it."""

    events: PageEvents
    pending: PendingDownloads
    origins: FrameOrigins
    is_acting: bool


class Downloads(downloads.Downloads):
    """The downloads of one context. Of where they came from only the page is known that was acted on last."""

    def __init__(
        self, settings: Settings, folder: Path, may_read: Callable[[str], bool], owner: Callable[[], Downloader | None]
    ) -> None:
        self._received = folder / "received"
        super().__init__(settings, self._received, may_read)
        self._folder = folder
        self._owner = owner
        # The ids of the files that are in the folder, and those of them that were complete at the last look.
        self._known: dict[str, str] = {}
        self._complete: set[str] = set()
        self._ids = itertools.count(1)

    async def receive(self) -> None:
        """Watch the folder from now on."""
        self._tasks.start(self._watch())

    async def close(self) -> None:
        await self._tasks.close()

    async def cancel(self, identity: str) -> None:
        """Remove what there is of a download, which the browser cannot be told to break off."""
        for name in [name for name, known in self._known.items() if known == identity]:
            for file in (self._folder / name, self._folder / f"{name}{UNFINISHED}"):
                await asyncio.to_thread(file.unlink, missing_ok=True)

    async def _watch(self) -> None:
        while True:
            owner = self._owner()
            if owner is not None:
                self._look(owner)
            is_busy = bool(self._known) or (owner is not None and owner.is_acting)
            await asyncio.sleep(LOOK_SECONDS if is_busy else IDLE_SECONDS)

    def _look(self, owner: Downloader) -> None:
        sizes = _sizes(self._folder)
        for name in [name for name in self._known if not {name, f"{name}{UNFINISHED}"} & sizes.keys()]:
            self.end(self._known.pop(name), is_complete=False)
        for written, size in sizes.items():
            name = written.removesuffix(UNFINISHED)
            if name not in self._known:
                self._begin(name, owner)
            self.note_size(self._known[name], size)
        # The browser may have made the file, and not yet the one that it writes to.
        complete = {name for name in self._known if name in sizes and f"{name}{UNFINISHED}" not in sizes}
        for name in complete & self._complete:
            identity = self._known.pop(name)
            (self._folder / name).rename(self._received / identity)
            self.end(identity, is_complete=True)
        self._complete = complete

    def _begin(self, name: str, owner: Downloader) -> None:
        self._known[name] = identity = str(next(self._ids))
        origin = owner.origins.of_any
        self.begin(identity, PageText(name, origin), PageText("", origin), owner.events, owner.pending)


def _sizes(folder: Path) -> dict[str, int]:
    """Return the files in a folder, and how large each is."""
    sizes: dict[str, int] = {}
    for file in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # it was moved meanwhile
            if file.is_file():
                sizes[file.name] = file.stat().st_size
    return sizes


class Context(ContextTabs[Tab]):
    """Isolated cookies, storage and tabs: those of one browser process."""

    _shared: SharedResources
    _downloads: Downloads

    def __init__(self, driver: Driver, settings: Settings, shared: SharedResources, end: Callable[[], None]) -> None:
        """`end` ends the driver's process and removes its files."""
        super().__init__(settings, shared, shared.scratch)
        self._driver = driver
        self._end_process = end
        # The window that the browser begins with, or that is left of the last tab: without one the browser ends.
        self._spare_window: str | None = None
        self._windows = asyncio.Lock()
        self._downloads = Downloads(
            self.settings, shared.downloads, lambda address: shared.may_read(address), self._downloader
        )
        self.cookies: ContextCookies = ContextCookies(lambda: [tab.page for tab in self.tabs])
        driver.on_lost = self.lost.set

    async def open(self, saved: SavedContext | None) -> None:
        """Take over the window that the browser opened, or open the tabs of a lost context again."""
        self._spare_window = (await self._driver.windows())[0]
        await self._downloads.open()
        if saved is None:
            await self._open_first_tab()
            return
        if saved.state is not None and (saved.state.cookies or saved.state.origins):
            raise StateNotRestored("WebDriver sets cookies and storage only in pages that are open")
        self._shared.ref_numbers = saved.shared.ref_numbers
        await self._shared.overrides.restore(saved.shared.overrides)
        await self._reopen(saved)

    # State

    @property
    def is_alive(self) -> bool:
        return self._driver.is_open

    # Tabs

    async def tab(self, name: str | None = None, reloads: bool = False) -> Tab:
        """Return the named tab, or the current one, which is opened if there is none."""
        await self._follow_windows()
        return await super().tab(name, reloads)

    async def _create_tab(self) -> Tab:
        async with self._windows:
            window, self._spare_window = self._spare_window, None
            return await self._add_window(window or await self._driver.new_window())

    async def _add_window(self, window: str) -> Tab:
        tab = Tab(self._driver, window, self.settings, self._shared, self._next_id())
        self._tabs[tab.id] = tab
        tab.page.on_window_gone = lambda: self._forget(tab)
        try:
            await tab.open()
        except BaseException:
            self._forget(tab)
            await tab.release()
            raise
        self._note_change()
        return tab

    async def close_tab(self, tab: TabInfo) -> None:
        await self._tabs[tab.id].page.end_dialog()
        if len(self._tabs) == 1 and self._spare_window is None:
            async with self._windows:
                self._spare_window = await self._driver.new_window()
        await super().close_tab(tab)

    @property
    def awaits_popups(self) -> bool:
        return True  # its driver reports none

    async def wait_for_popups(self) -> None:
        """Look for windows that pages have opened, which become tabs."""
        await self._follow_windows()

    async def _follow_windows(self) -> None:
        async with self._windows:
            with contextlib.suppress(DriverLost):
                handles = await self._driver.windows()
                known = {tab.page.place.window: tab for tab in self.tabs}
                for tab in [tab for window, tab in known.items() if window not in handles]:
                    self._forget(tab)
                    tab.page.mark_closed()
                    await tab.release()
                for window in [window for window in handles if window not in known and window != self._spare_window]:
                    await self._open_popup(window)

    async def _open_popup(self, window: str) -> None:
        opener = self.current
        if self._refuses_popup(opener):
            await Tab(self._driver, window, self.settings, self._shared, "refused").close()
            return
        try:
            tab = await self._add_window(window)
        except WebDriverError:
            return  # it was closed at once
        if opener is not None:
            tab.join_opener(opener)
            tab.page.origins.inherit(opener.page.origins.page)
            opener.popups.report(tab.id, tab.url, None)

    def _downloader(self) -> Downloader | None:
        """Return the tab that a new download belongs to: the one in which an action runs, or the current one."""
        tab = next((tab for tab in self.tabs if tab.lock.locked()), self.current)
        if tab is None:
            return None
        return Downloader(tab.page.events, tab.page.downloads, tab.page.origins, tab.lock.locked())

    # What WebDriver cannot do

    async def set_permission(self, origin: str, name: str, setting: str) -> None:
        raise unsupported("grant permissions")

    async def user_agent(self) -> str:
        tab = self.current or await self.new_tab()
        return str(await tab.page.execute("return navigator.userAgent;"))

    async def save(self, is_complete: bool = False) -> SavedContext:
        """Return the tabs. WebDriver does not tell the cookies and the storage of all origins."""
        if is_complete:
            raise unsupported("read the whole state of a session")
        return SavedContext(None, self.tab_urls, self._current)

    # Closing

    async def dispose(self) -> None:
        await self._driver.send("DELETE", "", timeout=CLOSE_SECONDS)

    async def close(self) -> None:
        """Close the browser, in a bounded time."""
        with contextlib.suppress(TimeoutError, WebDriverError):
            await self.dispose()
        await self.release()
        await asyncio.to_thread(self._end_process)
        self.on_closed()

    async def release(self) -> None:
        """Cancel the background tasks of a context that is closed."""
        self._driver.close()
        await self._downloads.close()
        for tab in self.tabs:
            tab.page.mark_closed()
        await super().release()
