"""Tabs: list, open, switch and close them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from rove.action import ContextAction, Effect, Url, action, arg
from rove.errors import InvalidArguments, NotOpen
from rove.outcome import Own, PageText, Passage, Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.context import TabInfo
    from rove.browser.shared.context import Context


@dataclass(frozen=True)
class OpenTab:
    id: Own
    url: PageText
    title: PageText
    is_current: bool

    def __str__(self) -> str:
        return f"{'*' if self.is_current else ' '} {self.id} {json.dumps(self.title, ensure_ascii=False)} {self.url}"


@dataclass(frozen=True)
class TabList(Result):
    tabs: tuple[OpenTab, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.tabs)) or "No tab is open."

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell each tab as written by its own page."""
        yield from (Passage(str(tab), tab.url.origin) for tab in self.tabs)
        if not self.tabs:
            yield Passage(str(self))


@action(Effect.ACT)
class Tabs(ContextAction[TabList]):
    """List, open, switch or close tabs."""

    operation: Literal["list", "new", "switch", "close"] = arg("What to do.", default="list")
    tab: str | None = arg("Which tab, with switch and close.", default=None)
    url: Url | None = arg("Address for a new tab.", default=None)
    index: int | None = arg("Which tab, by its place in the list, from 0.", default=None, ge=0, rare=True)
    at_least_one: bool = arg("Open an empty tab if there is none.", default=False, rare=True)

    @property
    def destination(self) -> str | None:
        return self.url

    @property
    def shows_page(self) -> bool:
        return self.operation in ("new", "switch")

    @property
    def is_step(self) -> bool:
        return self.operation != "list"

    def concerns(self, context: Context) -> TabInfo | None:
        if self.operation in ("list", "new"):
            return None
        wanted = self._wanted(context)
        return next((tab for tab in context.tab_infos if tab.id == wanted), context.current)

    def _wanted(self, context: Context) -> str | None:
        """Return the id of the tab that is meant. Raises NotOpen if there are not so many."""
        if self.index is None:
            return self.tab
        if self.index >= len(context.tab_infos):
            raise NotOpen(f"Tab {self.index} not found.")
        return context.tab_infos[self.index].id

    async def perform(self, context: Context) -> TabList:
        if self.at_least_one:
            await context.tab()
        if self.operation == "new":
            tab = await context.new_tab()
            if self.url:
                await tab.navigate(self.url)
        elif self.operation == "switch":
            if self.tab is None and self.index is None:
                raise InvalidArguments("`tab` is missing: say which tab to switch to.")
            context.switch(await context.tab(self._wanted(context)))
        elif self.operation == "close":
            await context.close_tab(await context.tab(self._wanted(context)))
        listed = [(tab, await _shown(context, tab)) for tab in context.tab_infos]
        # A page may have closed itself meanwhile.
        return TabList(tuple(shown for tab, shown in listed if tab in context.tab_infos))


async def _shown(context: Context, tab: TabInfo) -> OpenTab:
    is_current = tab is context.current
    if not context.may_read(tab.url):
        return OpenTab(Own(tab.id), tab.url.around(tab.url.origin), tab.url.around(""), is_current)
    return OpenTab(Own(tab.id), tab.url, await tab.title(), is_current)
