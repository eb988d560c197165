"""When is a page quiet after an act? Never a fixed sleep; always bounded; says what is still pending."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from rove.chromium.tab import Tab
from rove.chromium.traffic import Exchange

# An answer whose body takes longer than this is a stream, which may never end.
STREAMING = 1.0


@dataclass(frozen=True)
class Before:
    """How things stood when an act began."""

    moment: float
    polled: frozenset[str]

    @classmethod
    def of(cls, tab: Tab) -> Before:
        return cls(time.monotonic(), frozenset(_endpoint(exchange.url) for exchange in tab.traffic.under_way))


async def settle(tab: Tab, before: Before, glance: bool) -> tuple[str, ...]:
    """Wait until what the act started is over; returns what is not. A glance at the end spares a look."""
    patience = min(tab.settings.deadlines.settle, max(tab.time_left - 0.2, 0))
    waiting = _Waiting(tab, before, glance)
    try:
        async with asyncio.timeout(patience):
            while not await waiting.is_over():
                pass
    except TimeoutError:
        pass
    return waiting.pending()


class _Waiting:
    """What an act may have set going: a navigation, requests, changes of the document."""

    def __init__(self, tab: Tab, before: Before, glance: bool) -> None:
        self._tab = tab
        self._before = before
        self._glance = glance

    async def is_over(self) -> bool:
        """Wait for one thing; True when there was nothing left to wait for."""
        if not self._tab.loading.has("load"):
            await self._tab.loading.reaches("load")
            return False
        await self._tab.quiet(self._glance)
        if self._tab.downloads.is_running:
            await self._tab.downloads.finish()
            return False
        if awaited := self._awaited():
            await self._tab.traffic.changes(max(_streams_at(awaited) - time.monotonic(), 0.01))
            return False
        return self._tab.loading.has("load")

    def pending(self) -> tuple[str, ...]:
        loading = [] if self._tab.loading.has("load") else ["the page is still loading"]
        loading += ["a download"] if self._tab.downloads.is_running else []
        return (*loading, *(f"{exchange.method} {exchange.url}" for exchange in self._caused()))

    def _caused(self) -> list[Exchange]:
        """Requests since the act, but for those that the page keeps repeating: no act is the cause of a poll."""
        return [
            exchange
            for exchange in self._tab.traffic.under_way
            if exchange.began >= self._before.moment and _endpoint(exchange.url) not in self._before.polled
        ]

    def _awaited(self) -> list[Exchange]:
        return [exchange for exchange in self._caused() if not _is_stream(exchange)]


def _is_stream(exchange: Exchange) -> bool:
    return exchange.answered is not None and time.monotonic() - exchange.answered > STREAMING


def _streams_at(exchanges: list[Exchange]) -> float:
    """When the first of them will count as a stream, if its body is still not over."""
    answered = [exchange.answered for exchange in exchanges if exchange.answered is not None]
    return min(answered, default=time.monotonic() + STREAMING) + STREAMING


def _endpoint(url: str) -> str:
    """An address without what changes from poll to poll."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"
