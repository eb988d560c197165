"""Waiting until a page is quiet after an action: no fixed sleep, always bounded, and it says what is still pending."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rove.browser.page_data import DocumentRequest, LeftRunning, TrackedRequest
from rove.page_text import Own, Text
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.tab import Tab

# A response whose body takes longer than this many seconds is a stream, which may never end.
STREAM_SECONDS = 1.0
# How often the page is checked again because a request ended meanwhile. A page that polls would be checked forever.
MAX_RECHECKS = 3
# Seconds that changes, timers and animations may take, since the action or the last response to it.
MAX_WORK_SECONDS = 2.0
# A page that has just been loaded sets timers and animations of its own, which matter less.
MAX_WORK_AFTER_LOAD = 1.2

STILL_LOADING = Own("the page is still loading: it may be incomplete")
UNFOLLOWED = Own("requests that are not followed, as the page sends too many: some may be unanswered")
KEEPS_NAVIGATING = Own("the page keeps navigating by itself, and is held at this document")


@dataclass(frozen=True)
class StartState:
    """The state of a tab when an action began, to tell what the action caused from what was there before.

    `polled`: endpoints with a request under way. `loading`: the number of the document that was still loading, if one
    was, as an action does not wait for that. `downloads`: how many had begun. `document`: the request for the page.
    `place`: the number of the document and its address.
    """

    moment: float
    polled: frozenset[str]
    loading: int | None = None
    downloads: int = 0
    document: DocumentRequest | None = None
    place: tuple[int, str] = (0, "")

    @classmethod
    def of(cls, tab: Tab) -> StartState:
        """Return the state of the tab now."""
        pending = tab.page.requests.pending
        # A request that sends data is no poll: the same press again sends the same data again.
        polled = frozenset(_endpoint(request.url) for request in pending if request.method == "GET")
        loading = None if tab.page.load_state.has_reached("load") else tab.page.load_state.documents
        downloads, document = tab.page.downloads.count, tab.page.requests.document
        return cls(time.monotonic(), polled, loading, downloads, document, place_in(tab))


def place_in(tab: Tab) -> tuple[int, str]:
    """Return the number of the document that the tab shows, and its address."""
    return tab.page.load_state.documents, tab.url


@dataclass(frozen=True)
class Unfinished:
    """What is not over when the time is up: `pending` in a few words each, and seconds until the next timer is due."""

    pending: tuple[Text, ...] = ()
    timer: float = 0.0


async def settle(tab: Tab, start: StartState, read_rows: bool) -> Unfinished:
    """Wait until everything that an action started is over; return what is not, when the time is up.

    With `read_rows`, the page is read at the end of the wait, so that a snapshot need not read it again.
    """
    timeout = min(tab.settings.deadlines.settle, tab.page.time.for_loading)
    activity = _Activity(tab, start, read_rows)
    try:
        async with asyncio.timeout(timeout):
            while not await activity.is_over():
                pass
    except TimeoutError:
        pass  # `describe` says what is not over
    return activity.describe()


class _Activity:
    """What an action may have started: a navigation, requests, downloads, changes of the document."""

    def __init__(self, tab: Tab, start: StartState, read_rows: bool) -> None:
        self._tab = tab
        self._page = tab.page
        self._start = start
        self._read_rows = read_rows
        self._rechecks = MAX_RECHECKS
        self._documents = tab.page.load_state.documents
        self._work_until = time.monotonic() + MAX_WORK_SECONDS
        self._left = LeftRunning()

    async def is_over(self) -> bool:
        """Wait for one thing; return True if there was nothing left to wait for."""
        if self._page.load_state.keeps_navigating:
            return True
        if not self._is_loaded():
            await self._page.load_state.wait_for_stage("load")
            return False
        self._notice_new_document()
        ended = self._page.requests.ended_count
        observer = self._tab.observer
        self._left = await observer.wait_until_quiet(self._read_rows, self._start.moment, self._work_until)
        if self._page.downloads.is_running(self._start.downloads):
            await self._page.downloads.wait_until_finished(self._start.downloads)
            return False
        if requests := self._awaited_requests():
            await self._page.requests.wait_for_change(max(_next_stream_time(requests) - time.monotonic(), 0.01))
            return False
        if time.monotonic() - self._page.requests.unfollowed_at < STREAM_SECONDS:
            await self._page.requests.wait_for_change(STREAM_SECONDS)
            return False
        if ended != self._page.requests.ended_count and self._rechecks > 0:
            # The response to a request that ended meanwhile may have changed the page.
            self._rechecks -= 1
            self._work_until = time.monotonic() + MAX_WORK_SECONDS
            return False
        return self._is_loaded()

    def _notice_new_document(self) -> None:
        documents = self._page.load_state.documents
        if documents != self._documents:
            self._documents, self._work_until = documents, time.monotonic() + MAX_WORK_AFTER_LOAD

    def describe(self) -> Unfinished:
        """Return what is not over."""
        return Unfinished(self._describe_pending(), self._left.timer)

    def _describe_pending(self) -> tuple[Text, ...]:
        if self._page.keeps_navigating:
            return (KEEPS_NAVIGATING,)
        pending = [] if self._page.load_state.has_reached("load") else [STILL_LOADING]
        pending += [Own("a download")] if self._page.downloads.is_running(self._start.downloads) else []
        pending += [Own(f"an animation ({self._left.animation:.1f} s left)")] if self._left.animation else []
        pending += [UNFOLLOWED] if self._has_unfollowed() else []
        return (*pending, *(request.told for request in self._caused_requests()))

    def _has_unfollowed(self) -> bool:
        requests = self._page.requests
        return requests.unfollowed > 0 and requests.unfollowed_at >= self._start.moment

    def _is_loaded(self) -> bool:
        load_state = self._page.load_state
        was_loading_before = load_state.documents == self._start.loading and not load_state.is_navigating
        return load_state.has_reached("load") or was_loading_before

    def _caused_requests(self) -> list[TrackedRequest]:
        """Return the requests since the action, except those that the page had been repeating before it."""
        return [
            request
            for request in self._page.requests.pending
            if request.began >= self._start.moment and _endpoint(request.url) not in self._start.polled
        ]

    def _awaited_requests(self) -> list[TrackedRequest]:
        return [request for request in self._caused_requests() if not _is_stream(request)]


def _is_stream(request: TrackedRequest) -> bool:
    return request.answered is not None and time.monotonic() - request.answered > STREAM_SECONDS


def _next_stream_time(requests: list[TrackedRequest]) -> float:
    """Return when the first of the requests will count as a stream, if its body has not ended by then."""
    answered = [request.answered for request in requests if request.answered is not None]
    return min(answered, default=time.monotonic() + STREAM_SECONDS) + STREAM_SECONDS


def _endpoint(url: str) -> str:
    """Return a URL without its query and fragment, which change from poll to poll."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"
