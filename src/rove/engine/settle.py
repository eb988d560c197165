"""When is a page quiet after an act? Never a fixed sleep; always bounded; says what is still pending."""

from __future__ import annotations

import asyncio
import time
from urllib.parse import urlsplit

from rove.chromium.tab import Tab


async def settle(tab: Tab, since: float, before: frozenset[str]) -> tuple[str, ...]:
    """Wait until what the act at `since` started is over; returns what is not.

    `before` names the requests that were under way already: a page that polls will ask for those again, and
    no act is the cause of that.
    """
    give_up = time.monotonic() + min(tab.settings.deadlines.settle, max(tab.time_left - 0.2, 0))
    while True:
        try:
            async with asyncio.timeout(max(give_up - time.monotonic(), 0)):
                if await _is_quiet(tab, since, before):
                    return ()
        except TimeoutError:
            return _pending(tab, since, before)


async def _is_quiet(tab: Tab, since: float, before: frozenset[str]) -> bool:
    """Wait for one thing to be over; True when there was nothing left to wait for."""
    if not tab.loading.has("load"):
        await tab.loading.reaches("load")
        return False
    await tab.quiet()
    if _caused(tab, since, before):
        await tab.traffic.next_end()
        return False
    return tab.loading.has("load")


def _caused(tab: Tab, since: float, before: frozenset[str]) -> list[str]:
    return [request.url for request in tab.traffic.since(since) if endpoint(request.url) not in before]


def _pending(tab: Tab, since: float, before: frozenset[str]) -> tuple[str, ...]:
    pending = [f"request {url}" for url in _caused(tab, since, before)]
    if not tab.loading.has("load"):
        pending.insert(0, "page still loading")
    return tuple(pending or ["page keeps changing"])


def endpoint(url: str) -> str:
    """An address without what changes from poll to poll."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"
