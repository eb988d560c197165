"""The next pages of an article, loaded one after the other in the same tab, which then returns to the first."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from rove.errors import NavigationFailed, RoveError
from rove.outcome import origin_in
from rove.reading.article import Article, read_article
from rove.reading.joining import join_articles
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.tab import Tab

# Seconds that one more page may take until it is quiet.
SETTLE_SECONDS = 5.0
BACK = "The next pages were loaded in this tab, which is back at the first page: it was loaded again."


@dataclass(frozen=True)
class JoinedPages:
    """An article of several pages, how many there are in it, and what rove says of them."""

    article: Article
    pages: int
    notes: tuple[str, ...]


async def read_next_pages(tab: Tab, first: Article, most: int) -> JoinedPages:
    """Read the pages after the first, as long as they are of the same origin; leave the tab at the first."""
    start = tab.url
    articles, notes = [first], [BACK]
    try:
        notes += await _read_on(tab, articles, most)
    finally:
        await _return(tab, start)
    joined = await asyncio.to_thread(join_articles, first, articles[1:])
    return JoinedPages(joined, len(articles), tuple(notes))


async def _read_on(tab: Tab, articles: list[Article], most: int) -> list[str]:
    """Add the articles of the next pages to the list; return why it stops early."""
    origin, visited = origin_in(tab.url), {tab.url}
    while len(articles) < most and (address := articles[-1].next_page) and address not in visited:
        visited.add(address)
        try:
            await _load(tab, address)
        except NavigationFailed as error:
            return [f"Page {len(articles) + 1} could not be loaded ({error.code})."]
        if origin_in(tab.url) != origin or tab.url in visited - {address}:
            return [f"Page {len(articles) + 1} led elsewhere, and was not read."]
        articles.append(await asyncio.to_thread(read_article, await tab.page_source()))
    return []


async def _load(tab: Tab, address: str) -> None:
    began = time.monotonic()
    await tab.navigate(address)
    await tab.observer.wait_until_quiet(False, began, began + SETTLE_SECONDS)


async def _return(tab: Tab, start: str) -> None:
    """Go back to the page that was read first; load it if the history does not lead there."""
    if tab.url == start:
        return
    try:
        await tab.navigate(start)
    except RoveError as error:
        error.hint = f"The tab is not at the page that it showed before. {error.hint}"
        raise
