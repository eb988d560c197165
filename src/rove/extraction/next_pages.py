"""The next pages of an article, loaded one after the other in the same tab, which then returns to the first."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from rove.errors import RoveError
from rove.outcome import origin_in
from rove.reading.article import Article, read_article
from rove.reading.joining import join_articles
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

# Seconds that one more page may take until it is parsed, and then until it is quiet.
LOAD_SECONDS = 8.0
SETTLE_SECONDS = 5.0
# Seconds that are kept to return to the first page, and to tell what was read.
KEPT_SECONDS = 3.0
FIRST_ERROR_STATUS = 400
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
    articles, notes = [first], list[str]()
    try:
        notes += await _read_on(tab, articles, most)
    finally:
        notes += await _return(tab, start)
    joined = await asyncio.to_thread(join_articles, first, articles[1:])
    return JoinedPages(joined, len(articles), tuple(notes))


async def _read_on(tab: Tab, articles: list[Article], most: int) -> list[str]:
    """Add the articles of the next pages to the list; return why it stops early."""
    origin, visited = origin_in(tab.url), {str(tab.url)}
    while len(articles) < most and (address := articles[-1].next_page) and address not in visited:
        number = len(articles) + 1
        visited.add(address)
        try:
            await _load(tab, address)
            if reason := _refusal(tab, origin, visited - {address}):
                return [f"Page {number} {reason}, and was not read."]
            articles.append(await asyncio.to_thread(read_article, await tab.page_source()))
        # What was read before is told all the same.
        except TimeoutError:
            return [f"Page {number} did not answer in time, and was not read."]
        except RoveError as error:
            return [f"Page {number} could not be read ({error.code})."]
    return []


def _refusal(tab: Tab, origin: str, visited: set[str]) -> str:
    """Return why the page in a tab is no page of the article; "" if it may be one."""
    if origin_in(tab.url) != origin or tab.url in visited:
        return "led elsewhere"
    status = tab.page.status or 0
    return f"is an error page (HTTP {status})" if status >= FIRST_ERROR_STATUS else ""


async def _load(tab: Tab, address: str) -> None:
    began = time.monotonic()
    async with asyncio.timeout(min(LOAD_SECONDS, tab.page.time.left - KEPT_SECONDS)):
        await tab.navigate(address)
    parsed = time.monotonic()
    await tab.observer.wait_until_quiet(False, began, parsed + min(SETTLE_SECONDS, tab.page.time.left - KEPT_SECONDS))


async def _return(tab: Tab, start: str) -> list[str]:
    """Go back to the page that was read first, if the tab has left it; return what is to be said of that."""
    if tab.url == start:
        return []
    try:
        await tab.navigate(start)
    except RoveError as error:
        return [f"The tab is not at the first page any more, which could not be loaded again ({error.code})."]
    return [BACK]
