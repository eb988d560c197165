"""A browser context: a driver of its own, with the browser that it runs, and the tabs of one session."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rove.browser.context import BrowserLoss, SavedContext, SavedTarget, SharedState
from rove.browser.emulation.overrides import Overrides
from rove.browser.failures import StateNotRestored
from rove.browser.network.withholding import TextRedactor
from rove.errors import NavigationFailed, NotOpen
from rove.page.tab_limit import refuse_another_tab
from rove.page_text import Own, PageText, Text
from rove.process.run_folder import discard
from rove.settings.tree import Settings
from rove.states.state import BrowserState
from rove.tasks import BackgroundTasks
from rove.webkit.page.tab import SharedResources, Tab
from rove.webkit.page.unsupported import NoNetworkConditions, unsupported
from rove.webkit.protocol.driver import Driver
from rove.webkit.protocol.failures import DriverLost, WebDriverError
from rove.webkit.storage.cookies import ContextCookies

if TYPE_CHECKING:
    from rove.browser.element import SecretSource
    from rove.browser.page_data import TypedField
    from rove.browser.tab import TabInfo

CLOSE_SECONDS = 5.0
RELOAD_SECONDS = 3.0
# Seconds in which a page has to show that it is not stuck.
UNBLOCK_SECONDS = 2.0


class Context:
    """Isolated cookies, storage and tabs: those of one browser process."""

    def __init__(self, driver: Driver, settings: Settings, scratch: Path, end: Callable[[], None]) -> None:
        """`end` ends the driver's process and removes its files."""
        self.settings = settings
        self._driver = driver
        self._end = end
        self._scratch = scratch
        self._shared = SharedResources(settings, scratch)
        self._tabs: dict[str, Tab] = {}
        self._background: set[str] = set()
        self._current: str | None = None
        self._unused_tab: Tab | None = None
        self._used: dict[str, float] = {}
        self._ids_given = 0
        self._windows = asyncio.Lock()
        self._tasks = BackgroundTasks("context", expected=(WebDriverError,))
        self._secrets: SecretSource | None = None
        self._overrides = Overrides()
        self.cookies = ContextCookies(lambda: [tab.page for tab in self.tabs])
        self.network_conditions = NoNetworkConditions()
        self.lost = BrowserLoss()
        self.before_new_tab: Callable[[], Awaitable[None]] | None = None
        self.on_closed: Callable[[], object] = lambda: None

    async def open(self, saved: SavedContext | None) -> None:
        """Take over the window that the browser opened, or open the tabs of a lost context again."""
        first = await self._add_window((await self._driver.windows())[0], self._next_id())
        if saved is None:
            self._unused_tab, self._current = first, first.id
            return
        if saved.state is not None and (saved.state.cookies or saved.state.origins):
            raise StateNotRestored("WebDriver sets cookies and storage only in pages that are open")
        self._shared.ref_numbers = saved.shared.ref_numbers
        await self._reopen(first, saved)

    async def _reopen(self, first: Tab, saved: SavedContext) -> None:
        tabs = list(saved.tabs)
        for index, (identity, url) in enumerate(tabs):
            tab = first if index == 0 else await self._add_window(await self._driver.new_window(), self._next_id())
            self._rename(tab, identity)
            reason = f"{saved.reason}: " if saved.reason else ""
            said = f"{reason}{identity} was loaded anew, and cookies and what was typed are lost."
            tab.page.events.add(saved.kind, url.around(f"{identity} was at {url}"), said)
            await self._load_again(tab, url)
        given = (int(identity.removeprefix("t")) for identity, _ in tabs)
        self._ids_given = max(saved.ids_given, *given, 1)
        self._current = saved.current or next(iter(self._tabs), None)

    async def _load_again(self, tab: Tab, url: PageText) -> None:
        if not url.startswith(("http://", "https://")):
            return
        try:
            async with asyncio.timeout(RELOAD_SECONDS):
                await tab.navigate(url)
        except (TimeoutError, NavigationFailed, WebDriverError):
            tab.page.events.add("page lost", url.around(f"{tab.id} was at {url}"), "It could not be loaded again.")

    # State

    @property
    def is_alive(self) -> bool:
        return self._driver.is_open

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

    @property
    def tab_urls(self) -> tuple[tuple[str, PageText], ...]:
        return tuple((tab.id, tab.url) for tab in self.tab_infos)

    @property
    def ids_given(self) -> int:
        return self._ids_given

    @property
    def targets(self) -> tuple[SavedTarget, ...]:
        return ()

    @property
    def shared_state(self) -> SharedState:
        text, numbers = self._shared.clipboard.text, self._shared.ref_numbers
        return SharedState(clipboard_text=text, ref_numbers=numbers, overrides=self._overrides, secrets=self._secrets)

    def redact(self, text: str) -> str:
        return self._shared.redact(text)

    @property
    def clipboard_text(self) -> Text:
        return self._shared.clipboard.text

    def set_clipboard(self, text: str) -> None:
        self._shared.clipboard.text = text if isinstance(text, PageText) else Own(text)

    def may_read(self, address: str) -> bool:
        return self._shared.may_read(address)

    def restrict_reading(self, may_read: Callable[[str], bool], withheld: str, redactor: TextRedactor) -> None:
        """Let `may_read` decide which pages and frames may be shown; `withheld` is shown in place of others."""
        self._shared.may_read, self._shared.withheld, self._shared.redactor = may_read, withheld, redactor
        self._shared.clipboard.may_read = may_read

    def watch(self, on_changed: Callable[[], object], on_typed: Callable[[TypedField], object]) -> None:
        """Report when a tab was opened, closed or made current or shows another URL. No person types here."""
        self._shared.on_changed = on_changed

    # Tabs

    async def tab(self, name: str | None = None, reloads: bool = False) -> Tab:
        """Return the named tab, or the current one, which is opened if there is none."""
        await self._follow_windows()
        if name is not None and name not in self._tabs:
            open_now = ", ".join(tab.id for tab in self.tab_infos) or "none"
            raise NotOpen(f"There is no tab {name}.", hint=f"Open now: {open_now}. List them with {{tabs}}.")
        tab = self._tabs[name] if name is not None else self.current
        if tab is None:
            return await self.new_tab()
        self._unused_tab = None
        self._used[tab.id] = time.monotonic()
        return tab

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
        return tab

    async def _admit_tab(self) -> None:
        refuse_another_tab(list(self._tabs), self._used, dict(self.tab_urls), self.settings.limits.tabs)
        if self.before_new_tab is not None:
            await self.before_new_tab()

    def _use(self, tab: Tab) -> Tab:
        self._unused_tab = None
        self._used[tab.id] = time.monotonic()
        self.switch(tab)
        return tab

    async def _create_tab(self) -> Tab:
        async with self._windows:
            return await self._add_window(await self._driver.new_window(), self._next_id())

    async def _add_window(self, window: str, identity: str) -> Tab:
        tab = Tab(self._driver, window, self._shared, identity)
        self._tabs[identity] = tab
        tab.page.on_window_gone = lambda: self._forget(tab)
        try:
            await tab.open()
        except BaseException:
            self._forget(tab)
            await tab.release()
            raise
        self._shared.on_changed()
        return tab

    def _next_id(self) -> str:
        self._ids_given += 1
        return f"t{self._ids_given}"

    def _rename(self, tab: Tab, identity: str) -> None:
        del self._tabs[tab.id]
        tab.rename(identity)
        self._tabs[identity] = tab
        self._ids_given = max(self._ids_given, int(identity.removeprefix("t")))

    def switch(self, tab: TabInfo) -> None:
        self._current = tab.id
        self._shared.on_changed()

    async def close_tab(self, tab: TabInfo) -> None:
        closing = self._tabs[tab.id]
        if len(self._tabs) == 1:
            # A browser without a window ends, and its cookies with it.
            async with self._windows:
                await self._replace_window(closing)
        self._forget(closing)
        await closing.close()

    async def _replace_window(self, closing: Tab) -> None:
        spare = await self._add_window(await self._driver.new_window(), f"spare of {closing.id}")
        del self._tabs[spare.id]
        self._spare = spare

    async def unblock_tab(self, tab: TabInfo) -> Tab:
        """Return a tab that answers: the same one, or a new page under the same id."""
        blocked = self._tabs[tab.id]
        if blocked.page.keeps_navigating:
            return await self.replace_tab(tab, "its page kept navigating by itself")
        if await blocked.page.answers_within(UNBLOCK_SECONDS):
            return blocked
        return await self.replace_tab(tab, "its page did not answer any more")

    async def replace_tab(self, tab: TabInfo, reason: str) -> Tab:
        """Replace a page that cannot be used any more by an empty one under the same id; cookies stay."""
        replaced = self._tabs[tab.id]
        fresh = await self._create_tab()
        replaced.opener_group.remove(replaced.page)
        self._rename(fresh, replaced.id)
        replaced.page.worlds.end(f"{fresh.id} was reset because {reason}")
        self._tasks.start(replaced.close())
        said = f"{fresh.id} was reset because {reason}: what was typed is lost."
        fresh.page.events.add("tab reset", replaced.url.around(f"{fresh.id} was at {replaced.url}"), said)
        return fresh

    async def wait_for_popups(self) -> None:
        """Look for windows that pages have opened, which become tabs."""
        await self._follow_windows()

    async def _follow_windows(self) -> None:
        async with self._windows:
            with contextlib.suppress(DriverLost):
                handles = await self._driver.windows()
                known = {tab.page.place.window: tab for tab in self.tabs}
                for window, tab in known.items():
                    if window not in handles:
                        self._forget(tab)
                        tab.page.mark_closed()
                        await tab.release()
                spare = {self._spare.page.place.window} if self._spare else set[str]()
                for window in [window for window in handles if window not in known and window not in spare]:
                    await self._open_popup(window)

    async def _open_popup(self, window: str) -> None:
        opener = self.current
        if opener is not None and opener.popups.is_refused(len(self._tabs)):
            with contextlib.suppress(WebDriverError):
                await Tab(self._driver, window, self._shared, "refused").close()
            return
        try:
            tab = await self._add_window(window, self._next_id())
        except WebDriverError:
            return  # it was closed at once
        if opener is not None:
            tab.join_opener(opener)
            tab.page.origins.inherit(opener.page.origins.page)
            opener.popups.report(tab.id, tab.url, None)

    _spare: Tab | None = None

    def _forget(self, tab: Tab) -> None:
        if self._tabs.get(tab.id) is not tab:
            return
        del self._tabs[tab.id]
        tab.page.worlds.end(f"{tab.id} is closed")
        tab.opener_group.remove(tab.page)
        self._used.pop(tab.id, None)
        self._background.discard(tab.id)
        if self._current == tab.id:
            self._current = next((name for name in reversed(self._tabs) if name not in self._background), None)
        self._shared.on_changed()

    # What WebDriver cannot do

    @property
    def overrides(self) -> Overrides:
        return self._overrides

    async def override(self, overrides: Overrides) -> None:
        """Raise Unsupported for anything but what is so already."""
        if overrides != self._overrides:
            raise unsupported("emulate devices, grant permissions or intercept requests")

    @property
    def secrets(self) -> SecretSource | None:
        return self._secrets

    def use_secrets(self, secrets: SecretSource) -> None:
        """Note the secrets, which are redacted from what is read. None of them is given to a page."""
        self._secrets = secrets

    async def user_agent(self) -> str:
        """Return the user agent that its pages send."""
        tab = self.current or await self.new_tab()
        return str(await tab.page.execute("return navigator.userAgent;"))

    async def save(self, is_complete: bool = False) -> SavedContext:
        """Return the tabs, and the cookies of the pages that are open. WebDriver tells of no other state."""
        if is_complete:
            raise unsupported("read the whole state of a session")
        return SavedContext(BrowserState(), self.tab_urls, self._current)

    # Closing

    async def close(self) -> None:
        """Close the browser, in a bounded time."""
        with contextlib.suppress(TimeoutError, WebDriverError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._driver.send("DELETE", "", timeout=CLOSE_SECONDS)
        await self.release()
        await asyncio.to_thread(self._end)
        await asyncio.to_thread(discard, self._scratch)
        self.on_closed()

    async def release(self) -> None:
        """Cancel the background tasks of a context that is closed."""
        self._driver.close()
        tabs = [*self.tabs, *([self._spare] if self._spare else [])]
        for tab in tabs:
            tab.page.mark_closed()
        await asyncio.gather(*(tab.release() for tab in tabs), self._tasks.close())
