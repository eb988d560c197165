"""The tabs of one context: opened, found, replaced and closed. An engine adds how a page is created."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from rove.browser.context import BrowserLoss, SavedContext, SavedTarget
from rove.browser.failures import BrowserError
from rove.browser.page_state import PageState
from rove.browser.tab import Tab, TabInfo
from rove.errors import LimitReached, NavigationFailed, NotOpen
from rove.page_text import PageText
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.emulation import Overrides

LONGEST_URL = 200
RELOAD_TIMEOUT = 3.0
UNBLOCK_TIMEOUT = 0.5


def refuse_another_tab(
    tabs: Sequence[str], used: Mapping[str, float], urls: Mapping[str, PageText], limit: int
) -> None:
    """Raise LimitReached if as many tabs are open as may be; it names the one that was unused for longest."""
    if len(tabs) < limit:
        return
    # Tabs that rove itself uses are not listed, and are closed by themselves.
    oldest = min((tab for tab in tabs if tab in urls), key=lambda tab: used.get(tab, 0), default=tabs[0])
    said = [f"{len(tabs)} tabs are open, which is the limit."]
    if url := urls.get(oldest):
        said += [f" {oldest} is longest unused: ", url.around(url[:LONGEST_URL])]
    raise LimitReached(*said, hint=f"Close one with {{tabs}}, such as {oldest}.")


async def load_again(tab: Tab, url: PageText) -> None:
    """Load the address at which a tab was before."""
    if not url.startswith(("http://", "https://", "file://")):
        return
    try:
        async with asyncio.timeout(RELOAD_TIMEOUT):
            await tab.navigate(url)
    except (TimeoutError, NavigationFailed, BrowserError):
        _report(tab, "page lost", url, f"The page of {tab.id} could not be loaded again.")


def note_reopened(tab: Tab, url: PageText, saved: SavedContext) -> None:
    """Report a tab of a context that was lost, or whose state was replaced."""
    lost = "what was typed is lost" if saved.state is not None else "cookies and what was typed are lost"
    reason = f"{saved.reason}: " if saved.reason else ""
    _report(tab, saved.kind, url, f"{reason}{tab.id} was loaded anew, and {lost}.")


def note_reset(tab: Tab, url: PageText, reason: str) -> None:
    """Report a tab whose page could not be used any more."""
    _report(tab, "tab reset", url, f"{tab.id} was reset because {reason}: what was typed is lost.")


def _report(tab: Tab, kind: str, url: PageText, said: str) -> None:
    tab.page.events.add(kind, url.around(f"{tab.id} was at {url}"), said)


class OwnedPage(PageState, Protocol):
    """The page of a tab, as its context needs it."""

    @property
    def is_crashed(self) -> bool: ...
    @property
    def keeps_navigating(self) -> bool: ...
    async def answers_within(self, timeout: float, /) -> bool: ...
    async def terminate_script(self) -> bool: ...


class OwnedTab(Tab, Protocol):
    """A tab, as its context needs it."""

    @property
    def page(self) -> OwnedPage: ...
    def rename(self, identity: str, /) -> None: ...
    async def close(self) -> object: ...


T = TypeVar("T", bound=OwnedTab)


class ContextTabs(ABC, Generic[T]):
    """The tabs of one context. Ids (`t1`, `t2`) are never reused."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._tabs: dict[str, T] = {}
        self._ids_given = 0
        self._current: str | None = None
        # The tabs that rove itself uses, which are not listed.
        self._background: set[str] = set()
        # The first tab, until it is used.
        self._unused_tab: T | None = None
        self._used: dict[str, float] = {}
        self.lost = BrowserLoss()
        # Awaited before a tab is opened; raises if there is no memory for it.
        self.before_new_tab: Callable[[], Awaitable[None]] | None = None

    # What an engine adds

    @property
    @abstractmethod
    def overrides(self) -> Overrides:
        """What the session emulates, grants and intercepts."""

    @abstractmethod
    async def _create_tab(self) -> T:
        """Open an empty page under the next id."""

    @abstractmethod
    def _note_change(self) -> None:
        """Report that a tab was opened, closed or made current."""

    @abstractmethod
    def _end(self, tab: T, reason: str) -> None:
        """End the refs of a tab whose page is gone, and what it shares with other tabs."""

    @abstractmethod
    def _close_replaced(self, tab: T) -> None:
        """Close a page that another has replaced."""

    # What all engines share

    @property
    def tabs(self) -> list[T]:
        return list(self._tabs.values())

    @property
    def tab_infos(self) -> Sequence[TabInfo]:
        """Every tab that the agent is shown."""
        return [tab for tab in self.tabs if tab.id not in self._background]

    @property
    def current(self) -> T | None:
        return self._tabs.get(self._current or "")

    async def tab(self, name: str | None = None, reloads: bool = False) -> T:
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

    async def new_tab(self) -> T:
        if self._unused_tab is not None and self._unused_tab is self.current:
            return self._use(self._unused_tab)
        await self._admit_tab()
        return self._use(await self._create_tab())

    async def new_background_tab(self) -> T:
        """Open a tab that rove itself uses: it counts like others, but is not listed and not the current one."""
        await self._admit_tab()
        tab = await self._create_tab()
        self._background.add(tab.id)
        self._note_change()
        return tab

    async def _admit_tab(self) -> None:
        """Raise LimitReached if no other tab may be opened, or there is no memory for it."""
        refuse_another_tab(self._own_tab_ids, self._used, dict(self.tab_urls), self.settings.limits.tabs)
        if self.before_new_tab is not None:
            await self.before_new_tab()

    def _use(self, tab: T) -> T:
        self._unused_tab = None
        self._used[tab.id] = time.monotonic()
        self.switch(tab)
        return tab

    async def unblock_tab(self, blocked: TabInfo) -> T:
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

    async def _replace_crashed(self, crashed: T, reloads: bool) -> T:
        fresh = await self.replace_tab(crashed, "its page crashed")
        if reloads:
            await load_again(fresh, crashed.url)
        return fresh

    async def replace_tab(self, replaced: TabInfo, reason: str) -> T:
        """Replace a page that cannot be used any more by an empty one under the same id; cookies stay."""
        tab = self._tabs[replaced.id]
        fresh = await self._create_tab()
        self._rename(fresh, tab.id)
        self._end(tab, f"{fresh.id} was reset because {reason}")
        self._close_replaced(tab)
        await self._resize_again(fresh)
        note_reset(fresh, tab.url, reason)
        return fresh

    def switch(self, tab: TabInfo) -> None:
        self._current = tab.id
        self._note_change()

    async def close_tab(self, tab: TabInfo) -> None:
        closing = self._tabs[tab.id]
        self._forget(closing)
        await closing.close()

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

    def _next_id(self) -> str:
        self._ids_given += 1
        return f"t{self._ids_given}"

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

    async def _resize_again(self, tab: T) -> None:
        """Give a tab that replaces another of its id the size that was set for that one."""
        if size := self.overrides.sizes.get(tab.id):
            await tab.resize(size.width, size.height)

    def _rename(self, tab: T, identity: str) -> None:
        del self._tabs[tab.id]
        tab.rename(identity)
        self._tabs[identity] = tab
        self._note_change()
        self._ids_given = max(self._ids_given, int(identity.removeprefix("t")))

    def _forget(self, tab: T) -> None:
        if self._tabs.get(tab.id) is not tab:
            return  # another page has its id meanwhile
        del self._tabs[tab.id]
        self._end(tab, f"{tab.id} is closed")
        self._used.pop(tab.id, None)
        self._background.discard(tab.id)
        if self._current == tab.id:
            self._current = next((name for name in reversed(self._tabs) if name not in self._background), None)
        self._note_change()
