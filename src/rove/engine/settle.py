"""Waiting until a page is quiet after an action: no fixed sleep, always bounded, and it says what is still pending."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rove.browser.page_data import DocumentRequest, LeftRunning, TrackedRequest
from rove.page_text import Own, Text
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

# A response whose body takes longer than this many seconds is a stream, which may never end.
STREAM_SECONDS = 1.0
# How often the page is checked again because a request ended meanwhile. A page that polls would be checked forever.
MAX_RECHECKS = 3
# Seconds that changes, timers and animations may take, since the action or the last response to it.
MAX_WORK_SECONDS = 2.0
# A page that has just been loaded sets timers and animations of its own, which matter less.
MAX_WORK_AFTER_LOAD = 1.2
# Seconds that a document which is there is waited for while only pictures, fonts and media are on their way.
MEDIA_SECONDS = 0.25
# Where something has answered an act, seconds that a request without a body and without an answer is waited for.
OPEN_REQUEST_SECONDS = 1.2
# A timer is named if it is due within so many seconds. Those that are longer hide a message again, or poll.
NAMED_TIMER_SECONDS = 2.0
MAX_NAMED = 3

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
    activity = _Activity(tab, start, read_rows, time.monotonic() + timeout)
    try:
        async with asyncio.timeout(timeout):
            while not await activity.is_over():
                pass
    except TimeoutError:
        activity.note_polls()  # `describe` says what is not over
    activity.note_unfinished()
    return activity.describe()


class _Activity:
    """What an action may have started: a navigation, requests, downloads, changes of the document.

    Where it led to another document, what that shows is waited for, not silence.
    """

    def __init__(self, tab: Tab, start: StartState, read_rows: bool, until: float) -> None:
        self._tab = tab
        self._page = tab.page
        self._start = start
        self._read_rows = read_rows
        self._until = until
        self._rechecks = MAX_RECHECKS
        self._documents = tab.page.load_state.documents
        limit = MAX_WORK_AFTER_LOAD if self._has_loaded else MAX_WORK_SECONDS
        self._work_until = time.monotonic() + limit
        self._parsed = 0.0
        self._left = LeftRunning()

    async def is_over(self) -> bool:
        """Wait for one thing; return True if there was nothing left to wait for."""
        load_state, requests = self._page.load_state, self._page.requests
        if load_state.keeps_navigating:
            return True
        if not self._is_there():
            await self._wait_for_document()
            return False
        self._notice_new_document()
        ended = requests.ended_count
        observer = self._tab.observer
        self._left = await observer.wait_until_quiet(
            self._read_rows, self._start.moment, self._work_until, self._loading_until
        )
        if self._page.downloads.is_running(self._start.downloads):
            await self._page.downloads.wait_until_finished(self._start.downloads)
            return False
        if (awaited := self._awaited_requests()) and (seconds := await self._seconds_for(awaited)) > 0:
            await requests.wait_for_change(seconds)
            return False
        if time.monotonic() - requests.unfollowed_at < STREAM_SECONDS:
            await requests.wait_for_change(STREAM_SECONDS)
            return False
        if ended != requests.ended_count and self._rechecks > 0:
            # The response to a request that ended meanwhile may have changed the page.
            self._rechecks -= 1
            self._work_until = time.monotonic() + MAX_WORK_SECONDS
            return False
        return self._is_there()

    @property
    def _has_loaded(self) -> bool:
        """Whether the tab shows another document than when the action began."""
        return self._page.load_state.documents != self._start.place[0]

    @property
    def _loading_until(self) -> float | None:
        """Until when a document that was loaded is waited for if it is empty or busy; it may be known to stay so."""
        if not self._has_loaded:
            return None
        return self._work_until if _endpoint(self._tab.url) in self._page.load_state.never_ready else self._until

    def _is_there(self) -> bool:
        """Whether the document is loaded, but for pictures, fonts and media that take long."""
        load_state = self._page.load_state
        if load_state.has_reached("load"):
            return True
        if load_state.documents == self._start.loading and not load_state.is_navigating:
            return True  # it was loading before the action
        return self._lacks_only_media() and time.monotonic() - self._parsed >= MEDIA_SECONDS

    def _lacks_only_media(self) -> bool:
        requests = self._page.requests
        is_parsed = self._page.load_state.has_reached("DOMContentLoaded")
        return is_parsed and not self._awaited_requests() and bool(requests.unawaited)

    async def _wait_for_document(self) -> None:
        """Wait until the document has come further, or until it is known what holds it up."""
        load_state = self._page.load_state
        if not load_state.has_reached("DOMContentLoaded"):
            await load_state.wait_for_stage("DOMContentLoaded")
            self._parsed = time.monotonic()
            return
        self._parsed = self._parsed or time.monotonic()
        if self._lacks_only_media():
            seconds = self._parsed + MEDIA_SECONDS - time.monotonic()
        else:
            requests = self._awaited_requests()
            seconds = max(_next_stream_time(requests) - time.monotonic(), 0.01)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(seconds, 0)):
                await load_state.wait_for_stage("load")

    def _notice_new_document(self) -> None:
        documents = self._page.load_state.documents
        if documents != self._documents:
            self._documents, self._work_until = documents, time.monotonic() + MAX_WORK_AFTER_LOAD

    async def _seconds_for(self, requests: list[TrackedRequest]) -> float:
        """Return how long requests are waited for before it is looked again; 0 if no longer."""
        now = time.monotonic()
        seconds = max(_next_stream_time(requests) - now, 0.01)
        if self._has_loaded or any(request.method != "GET" for request in requests):
            return seconds
        # A long poll answers when it has news. That of a page which has answered the act already is not waited for.
        left = max(request.began for request in requests) + OPEN_REQUEST_SECONDS - now
        if left > 0:
            return min(seconds, left)
        return 0 if await self._tab.observer.has_answered() else seconds

    def note_polls(self) -> None:
        """Remember the requests that a page which was loaded was waited for in vain."""
        if self._has_loaded:
            self._page.requests.polls |= {self._poll(each) for each in self._caused_requests() if each.method == "GET"}

    def note_unfinished(self) -> None:
        """Remember a page that was waited for in vain while it showed that it is busy."""
        if self._left.is_unfinished:
            self._page.load_state.never_ready.add(_endpoint(self._tab.url))

    def describe(self) -> Unfinished:
        """Return what is not over."""
        return Unfinished(self._describe_pending(), self._left.timer)

    def _describe_pending(self) -> tuple[Text, ...]:
        if self._page.keeps_navigating:
            return (KEEPS_NAVIGATING,)
        left = self._left
        is_loading = not self._page.load_state.has_reached("load") and not self._lacks_only_media()
        pending: list[Text] = [STILL_LOADING] if is_loading or left.is_unfinished else []
        pending += [Own("a download")] if self._page.downloads.is_running(self._start.downloads) else []
        pending += [Own(f"an animation ({left.animation:.1f} s left)")] if left.animation else []
        pending += [UNFOLLOWED] if self._has_unfollowed() else []
        pending += [request.told for request in self._caused_requests()]
        pending += _named(self._since_start(self._page.requests.unawaited))
        pending += [_repetition(left)] if left.repeats else []
        pending += [text.around(f'"{text}" keeps changing') for text in left.texts[:MAX_NAMED]]
        if more := len(left.texts[MAX_NAMED:]):
            pending.append(Own(f"{more} more texts keep changing"))
        return tuple(pending)

    def _has_unfollowed(self) -> bool:
        requests = self._page.requests
        return requests.unfollowed > 0 and requests.unfollowed_at >= self._start.moment

    def _since_start(self, requests: list[TrackedRequest]) -> list[TrackedRequest]:
        return [request for request in requests if request.began >= self._start.moment]

    def _caused_requests(self) -> list[TrackedRequest]:
        """Return the requests since the action, except those that the page had been repeating before it."""
        requests = self._since_start(self._page.requests.pending)
        polled = frozenset[str]() if self._has_loaded else self._start.polled
        return [request for request in requests if _endpoint(request.url) not in polled]

    def _awaited_requests(self) -> list[TrackedRequest]:
        awaited = [request for request in self._caused_requests() if not _is_stream(request)]
        requests = self._page.requests
        if not self._has_loaded:
            return awaited
        return [each for each in awaited if self._poll(each) not in requests.polls and not requests.is_repeated(each)]

    def _poll(self, request: TrackedRequest) -> tuple[str, str]:
        """Return by what a request is known when the same page is loaded again."""
        return _endpoint(self._tab.url), _endpoint(request.url)


def _named(requests: list[TrackedRequest]) -> list[Text]:
    """Name the pictures, fonts, media and streams that are under way; of many, the first and how many more."""
    if not requests:
        return []
    first, more = requests[0], len(requests) - 1
    also = f" and {more} more pictures, fonts or streams" if more else ""
    return [first.told.around(f"{first.told} ({first.resource}){also}")]


def _repetition(left: LeftRunning) -> Text:
    """Name what repeats without an effect that could be told, except of a text that is named."""
    periods = sorted({round(period) for kind, period in left.repeats if kind in ("timeout", "interval")})
    names = [f"a timer that repeats every {period} ms" for period in periods[:MAX_NAMED]]
    kinds = {kind for kind, _ in left.repeats}
    names += ["animation frames that repeat"] if "frame" in kinds else []
    names += ["idle callbacks that repeat"] if "idle" in kinds else []
    effect = "" if left.texts else ": without effect so far"
    return Own(f"{', '.join(names)}{effect}")


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
