"""When is a page quiet after an act? Never a fixed sleep; always bounded; says what is still pending."""

from __future__ import annotations

import asyncio
import time
from urllib.parse import urlsplit

from rove.browser.page_state import DocumentRequest, TrackedRequest
from rove.browser.tab import Tab
from rove.record import dataclass

# An answer whose body takes longer than this is a stream, which may never end.
STREAMING = 1.0
LOOKS_AGAIN = 3

KEEPS_NAVIGATING = "the page keeps navigating by itself, and is held at this document"


@dataclass(frozen=True)
class Before:
    """How things stood when an act began."""

    moment: float
    polled: frozenset[str]
    # The document that was still loading, if it was: an act does not wait for what it found unfinished.
    unfinished: int | None = None
    downloads: int = 0
    document: DocumentRequest | None = None

    @classmethod
    def of(cls, tab: Tab) -> Before:
        polled = frozenset(_endpoint(exchange.url) for exchange in tab.page.requests.pending)
        unfinished = None if tab.page.load_state.has_reached("load") else tab.page.load_state.documents
        return cls(time.monotonic(), polled, unfinished, tab.page.downloads.count, tab.page.requests.document)


async def settle(tab: Tab, before: Before, glance: bool) -> tuple[str, ...]:
    """Wait until what the act started is over; returns what is not. A glance at the end spares a look."""
    patience = min(tab.settings.deadlines.settle, tab.page.time.for_loading)
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
        self._looks_again = LOOKS_AGAIN

    async def is_over(self) -> bool:
        """Wait for one thing; True when there was nothing left to wait for."""
        if self._tab.page.load_state.keeps_navigating:
            return True
        if not self._is_loaded():
            await self._tab.page.load_state.wait_for_stage("load")
            return False
        ended = self._tab.page.requests.ended_count
        await self._tab.observer.wait_until_quiet(self._glance, self._before.moment)
        if self._tab.page.downloads.is_running(self._before.downloads):
            await self._tab.page.downloads.wait_until_finished(self._before.downloads)
            return False
        if awaited := self._awaited():
            await self._tab.page.requests.wait_for_change(max(_streams_at(awaited) - time.monotonic(), 0.01))
            return False
        if ended != self._tab.page.requests.ended_count and self._looks_again > 0:
            # What was answered while we looked at the page may have changed it since; a poll does so for ever.
            self._looks_again -= 1
            return False
        return self._is_loaded()

    def _is_loaded(self) -> bool:
        load_state = self._tab.page.load_state
        was_unfinished = load_state.documents == self._before.unfinished and not load_state.is_navigating
        return load_state.has_reached("load") or was_unfinished

    def pending(self) -> tuple[str, ...]:
        if self._tab.page.keeps_navigating:
            return (KEEPS_NAVIGATING,)
        load_state = (
            [] if self._tab.page.load_state.has_reached("load") else ["the page is still loading: it may be incomplete"]
        )
        load_state += ["a download"] if self._tab.page.downloads.is_running(self._before.downloads) else []
        return (*load_state, *(f"{exchange.method} {exchange.url}" for exchange in self._caused()))

    def _caused(self) -> list[TrackedRequest]:
        """Requests since the act, but for those that the page keeps repeating: no act is the cause of a poll."""
        return [
            exchange
            for exchange in self._tab.page.requests.pending
            if exchange.began >= self._before.moment and _endpoint(exchange.url) not in self._before.polled
        ]

    def _awaited(self) -> list[TrackedRequest]:
        return [exchange for exchange in self._caused() if not _is_stream(exchange)]


def _is_stream(exchange: TrackedRequest) -> bool:
    return exchange.answered is not None and time.monotonic() - exchange.answered > STREAMING


def _streams_at(exchanges: list[TrackedRequest]) -> float:
    """When the first of them will count as a stream, if its body is still not over."""
    answered = [exchange.answered for exchange in exchanges if exchange.answered is not None]
    return min(answered, default=time.monotonic() + STREAMING) + STREAMING


def _endpoint(url: str) -> str:
    """An address without what changes from poll to poll."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"
