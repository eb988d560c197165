"""Tabs whose pages were replaced or lost: loaded again, and reported to the agent."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rove.browser.failures import BrowserError
from rove.errors import NavigationFailed
from rove.page_text import PageText

if TYPE_CHECKING:
    from rove.browser.context import SavedContext
    from rove.browser.tab import Tab

RELOAD_TIMEOUT = 3.0


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
