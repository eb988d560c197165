"""A page that there is to look at."""

from __future__ import annotations

from rove.browser.tab import Tab
from rove.errors import NotOpen

EMPTY = "about:blank"
HAS_CONTENT = "() => Boolean(document.body?.hasChildNodes())"


async def refuse_empty(tab: Tab) -> None:
    """Raise NotOpen for a tab without a page: what would be told of it is true, and of no use."""
    # The page that opened a tab may have written into it.
    if tab.url == EMPTY and not await tab.page.worlds.main.call(HAS_CONTENT):
        raise NotOpen("No page is open in this tab.", hint="Open one with {navigate} first.")
