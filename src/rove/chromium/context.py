"""One isolated browser context: its tabs, their ids and which of them is in front."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rove.chromium.tab import Tab
from rove.errors import LimitReached, NavigationFailed, NotOpen
from rove.settings import Settings

if TYPE_CHECKING:
    import playwright.async_api as pw

CLOSING_PATIENCE = 3.0
# From the moment a page says that it opens a window until the window is there.
ARRIVING_PATIENCE = 2.0
RELOADING_PATIENCE = 3.0


@dataclass(frozen=True)
class Keepsake:
    """What is left of a context that was lost with its browser."""

    cookies: list[Any] | None = None
    storage: dict[str, list[dict[str, str]]] = field(default_factory=dict[str, list[dict[str, str]]])
    tabs: tuple[tuple[str, str], ...] = ()
    current: str | None = None

    @property
    def storage_state(self) -> Any:
        origins = [{"origin": origin, "localStorage": items} for origin, items in self.storage.items()]
        return {"cookies": self.cookies or [], "origins": origins}


class Context:
    """Cookies, storage and tabs of their own. Tab ids (`t1`, `t2`) are never given twice."""

    def __init__(self, made: pw.BrowserContext, settings: Settings, scratch: Path) -> None:
        self._made = made
        self._settings = settings
        self._scratch = scratch
        self._tabs: dict[str, Tab] = {}
        self._numbers = 0
        self._current: str | None = None
        self.lost = asyncio.Event()
        self._arrival = asyncio.Event()
        self._adopting: dict[pw.Page, asyncio.Task[Tab]] = {}
        made.on("page", self._on_page)

    @property
    def tabs(self) -> list[Tab]:
        return list(self._tabs.values())

    @property
    def current(self) -> Tab | None:
        return self._tabs.get(self._current or "")

    async def tab(self, name: str | None = None) -> Tab:
        """The named tab, or the one in front, which is opened if there is none."""
        if name is not None and name not in self._tabs:
            open_now = ", ".join(self._tabs) or "none"
            raise NotOpen(f"There is no tab {name}.", hint=f"Open now: {open_now}. List them with browser_tabs.")
        tab = self._tabs[name] if name is not None else self.current
        if tab is None:
            return await self.new_tab()
        return await self.renew(tab, "its page had crashed") if tab.is_crashed else tab

    async def new_tab(self) -> Tab:
        if len(self._tabs) >= self._settings.limits.tabs:
            raise LimitReached(
                f"{len(self._tabs)} tabs are open, which is the limit.", hint="Close one with browser_tabs."
            )
        page = await self._made.new_page()
        tab = await self._adopt(page)
        self._current = tab.id
        return tab

    async def unstick(self, tab: Tab) -> Tab:
        """Give back a tab that answers: the same, its script broken off, or if that is not enough a new one."""
        if await tab.answers():
            return tab
        await tab.break_off()
        return tab if await tab.answers() else await self.renew(tab, "its page did not answer any more")

    async def renew(self, tab: Tab, reason: str) -> Tab:
        """An empty page in place of one that is beyond help, under the same id; cookies stay."""
        page = await self._made.new_page()
        fresh = await self._adopt(page)
        self._tabs.pop(fresh.id, None)
        fresh.take_over(tab)
        self._tabs[tab.id] = fresh
        tab.close_soon()
        fresh.happenings.add("tab reset", f"{fresh.id} was reset because {reason}; it was at {tab.url}")
        return fresh

    def switch(self, tab: Tab) -> None:
        self._current = tab.id

    async def close_tab(self, tab: Tab) -> None:
        self._forget(tab)
        await tab.close()

    async def keep(self) -> Keepsake:
        """What would be needed to go on if the browser died now."""
        cookies = await self._made.cookies()
        storage: dict[str, list[dict[str, str]]] = {}
        for tab in self.tabs:
            if not tab.lock.locked() and (kept := await tab.local_storage()):
                storage[kept[0]] = kept[1]
        return Keepsake(list(cookies), storage, self.addresses, self._current)

    @property
    def addresses(self) -> tuple[tuple[str, str], ...]:
        return tuple((tab.id, tab.url) for tab in self.tabs)

    async def reopen(self, keepsake: Keepsake) -> None:
        """Open the tabs of a lost context again, under their ids, where they were."""
        for identity, url in keepsake.tabs:
            tab = await self.new_tab()
            del self._tabs[tab.id]
            tab.id = identity
            self._tabs[identity] = tab
            self._numbers = max(self._numbers, int(identity.removeprefix("t")))
            lost = "what was typed is lost" if keepsake.cookies is not None else "cookies and what was typed are lost"
            tab.happenings.add("browser restarted", f"{identity} is loaded anew at {url}; {lost}")
        await asyncio.gather(
            *(self._load_again(tab, url) for tab, (_, url) in zip(self.tabs, keepsake.tabs, strict=True))
        )
        self._current = keepsake.current or self._current

    async def _load_again(self, tab: Tab, url: str) -> None:
        if not url.startswith(("http://", "https://")):
            return
        try:
            async with asyncio.timeout(RELOADING_PATIENCE):
                await tab.navigate(url)
        except (TimeoutError, NavigationFailed):
            tab.happenings.add("page lost", f"{url} could not be loaded again")

    async def close(self) -> None:
        """Close every tab and drop all state; bounded, since Chromium may never confirm."""
        from playwright.async_api import Error

        with contextlib.suppress(TimeoutError, Error):
            async with asyncio.timeout(CLOSING_PATIENCE):
                await self._made.close()

    async def arrived(self) -> None:
        """Wait until the popups that have been announced are tabs with ids."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ARRIVING_PATIENCE):
                while any(tab.announced_popups > 0 for tab in self.tabs):
                    self._arrival.clear()
                    await self._arrival.wait()

    def _on_page(self, page: pw.Page) -> None:
        if page not in self._adopting:
            self._adopting[page] = asyncio.ensure_future(self._welcome(page))

    async def _adopt(self, page: pw.Page) -> Tab:
        self._on_page(page)
        return await self._adopting[page]

    async def _welcome(self, page: pw.Page) -> Tab:
        self._numbers += 1
        identity = f"t{self._numbers}"
        try:
            tab = await Tab.attach(page, identity, self._settings, self._scratch)
        finally:
            self._adopting.pop(page, None)
        opener = await page.opener()
        self._tabs[identity] = tab
        page.once("close", lambda _: self._forget(tab))
        if opener is not None:
            self._admit_popup(tab, opener)
        return tab

    def _admit_popup(self, tab: Tab, opener: pw.Page) -> None:
        parent = next((known for known in self._tabs.values() if known.page is opener), None)
        if parent:
            parent.announced_popups = max(parent.announced_popups - 1, 0)
            self._arrival.set()
        if len(self._tabs) > self._settings.limits.tabs:
            self._forget(tab)
            tab.close_soon()
            if parent:
                parent.happenings.add("popup blocked", f"{tab.url} (as many tabs as are allowed are open)")
        elif parent:
            parent.happenings.add("new tab", f"{tab.id} {tab.url}")

    def _forget(self, tab: Tab) -> None:
        if self._tabs.get(tab.id) is not tab:
            return  # replaced meanwhile
        del self._tabs[tab.id]
        if self._current == tab.id:
            self._current = next(reversed(self._tabs), None)
