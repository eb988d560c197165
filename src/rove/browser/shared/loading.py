"""How far a page has loaded: its main document, and its pending requests."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, TypeVar, get_args

from rove.browser.failures import host_and_port
from rove.browser.page_data import DocumentRequest, TrackedRequest
from rove.browser.page_state import PageEvents
from rove.browser.shared.frames import FrameOrigins
from rove.outcome import origin_in
from rove.page_text import PageText

Stage = Literal["DOMContentLoaded", "load", "networkIdle"]
# A page that commits this many documents in this many seconds is in a navigation loop.
LOOP_DOCUMENTS = 10
LOOP_SECONDS = 10.0
# The loop has ended if the last document has stayed this long.
LOOP_END_SECONDS = 2.0
# The network is idle after so many seconds without requests, in which is looked so often.
IDLE_SECONDS = 0.5
IDLE_LOOKS = 5

# A page that navigates aborts the requests it no longer needs, which is not reported as a failure.
ABORTED = "net::ERR_ABORTED"
IGNORED_FAILURES = frozenset({ABORTED})
# Schemes for which a browser shows a password prompt. Pages ask for other credentials, such as tokens, themselves.
PASSWORD_SCHEMES = ("basic", "digest", "ntlm", "negotiate")
MAX_CHALLENGE_LENGTH = 200
# The session's proxy is always reachable: rove keeps its port open, also while the proxy is started again. A browser
# that fails to connect to it has lost its network process, and with it all cookies and the proxies of its contexts.
PROXY_UNREACHABLE = "net::ERR_PROXY_CONNECTION_FAILED"

# What can change the content of a page when it arrives, and is waited for; and what is named while it is under way.
AWAITED = frozenset({"document", "script", "stylesheet", "fetch", "xhr"})
NAMED = frozenset({"image", "font", "media", "eventsource"})

# A request that is unanswered for longer than this many seconds may be one that the server answers when it has news.
RECENT_SECONDS = 8.0
# A document that has asked for the same so often polls.
POLL_REPEATS = 3
# The oldest pending requests of a page that has more than this are no longer tracked.
MAX_TRACKED = 1000
V = TypeVar("V")


class LoadState:
    """Follows the main frame's document as an engine reports its navigations and the stages of its loading.

    `loader` is the engine's id of the navigation that led to a document.
    """

    def __init__(self, url: str) -> None:
        self.url = url or "about:blank"
        self.mime_type = ""
        self._stages: set[str] = set(get_args(Stage))
        self._loader: str | None = None
        self._is_body_complete = False
        self._changed = asyncio.Event()
        self._commit_times: deque[float] = deque(maxlen=LOOP_DOCUMENTS)
        self._committed_loaders: deque[str] = deque(maxlen=LOOP_DOCUMENTS)
        # A navigation is first requested by the page, then started by the browser, which may also refuse it.
        self._is_requested = False
        self._is_started = False
        # Commits count documents and navigations within a document.
        self.commits = 0
        self.documents = 0
        # Addresses of pages that stayed empty, or busy as they showed, for as long as a page is waited for.
        self.never_ready: set[str] = set()
        # The commits before the last action that may have navigated, or that a wait for a navigation has seen.
        self._seen_commits = 0

    def has_reached(self, stage: Stage) -> bool:
        """Return whether the document has reached a stage and no other document is about to replace it."""
        return stage in self._stages and not self.is_navigating

    @property
    def is_navigating(self) -> bool:
        """Whether another document has been requested and is not committed yet."""
        return self._is_requested or self._is_started

    @property
    def keeps_navigating(self) -> bool:
        """Whether the page keeps navigating by itself."""
        now = time.monotonic()
        is_loop = len(self._commit_times) == LOOP_DOCUMENTS and now - self._commit_times[0] < LOOP_SECONDS
        return is_loop and now - self._commit_times[-1] < LOOP_END_SECONDS

    @property
    def has_navigated(self) -> bool:
        """Whether another page was loaded since the last act began, and no further one is on its way."""
        return self.commits > self._seen_commits and self.has_reached("load")

    def mark_seen(self) -> None:
        """Count only navigations from now on."""
        self._seen_commits = self.commits

    def forget_recent_commits(self) -> None:
        """Start counting documents anew: the caller is about to ask for one."""
        self._commit_times.clear()

    def set_initial_document(self, url: str, mime_type: str) -> None:
        """Set the URL of a document that was there before events were received, unless another was committed since."""
        if self.commits == 0:
            self.url, self.mime_type = url, mime_type

    def mark_stopped(self) -> None:
        """Note that loading was stopped: no more of the document will arrive."""
        self._is_body_complete = True

    async def wait_for_stage(self, stage: Stage) -> None:
        """Wait until the document has reached a stage, or until the page is in a navigation loop."""
        while not self.has_reached(stage) and not self.keeps_navigating:
            await self._next_event()

    async def note_idle(self, navigation: str, has_pending: Callable[[], bool]) -> None:
        """Reach the stage `networkIdle` once no request has been under way for half a second."""
        quiet = 0
        while quiet < IDLE_LOOKS:
            await asyncio.sleep(IDLE_SECONDS / IDLE_LOOKS)
            quiet = 0 if has_pending() else quiet + 1
        self.reach("networkIdle", navigation)

    async def wait_until_navigating(self) -> None:
        """Wait until another document is requested."""
        while not self.is_navigating:
            await self._next_event()

    async def wait_until_not_navigating(self) -> None:
        """Wait until the requested document is committed or the navigation has ended without one."""
        while self.is_navigating:
            await self._next_event()

    async def wait_for_commit(self, after: int) -> None:
        """Wait until `commits` is more than `after`; navigations within the document count."""
        while self.commits <= after:
            await self._next_event()

    async def wait_for_loader(self, loader: str) -> None:
        """Wait until the document with this loader id has been committed."""
        while not self.has_committed(loader):
            await self._next_event()

    def has_committed(self, loader: str) -> bool:
        """Return whether the document with this loader id is, or was lately, the one that is shown."""
        return loader in self._committed_loaders

    async def wait_for_document(self, after: int) -> None:
        """Wait until `documents` is more than `after`."""
        while self.documents <= after:
            await self._next_event()

    async def _next_event(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    # What an engine reports of the main frame

    def begin_document(self, loader: str) -> None:
        """Note that a document takes the place of the last one; no stage is reached."""
        self._loader, self._stages, self._is_body_complete = loader, set(), False
        self._changed.set()

    def reach(self, stage: str, loader: str) -> None:
        """Note that the document of a navigation has reached a stage."""
        if loader == self._loader:
            self._stages.add(stage)
        self._changed.set()

    def commit_document(self, url: str, loader: str, mime_type: str) -> None:
        """Note that another document is shown."""
        self.documents += 1
        self._commit_times.append(time.monotonic())
        self._committed_loaders.append(loader)
        self.url, self.mime_type = url, mime_type
        self._commit()

    def commit_within(self, url: str) -> None:
        """Note a navigation within the document."""
        self.url = url
        self._commit()

    def note_requested(self) -> None:
        """Note that the page has asked for another document, which the browser may refuse."""
        self._is_requested = True
        self._changed.set()

    def note_cleared(self) -> None:
        """Note that the page cancelled its navigation, or handed it over to the browser."""
        self._is_requested = False
        self._changed.set()

    def note_started(self) -> None:
        """Note that the browser has started to load another document."""
        self._is_started = True
        self._changed.set()

    def note_loading_stopped(self) -> None:
        """Note that the browser loads nothing any more."""
        if self._is_started:
            # A navigation that became a download, or was refused, commits no document.
            self._is_requested = self._is_started = False
        elif self._is_body_complete and "load" not in self._stages:
            # Chromium reports no `load` for a page that tried to navigate while it was loading. After a `load` there is
            # more to come: when the network is idle.
            self._complete()
        self._changed.set()

    def note_body_complete(self, loader: str) -> None:
        """Note that all of a document has arrived."""
        if loader == self._loader:
            self._is_body_complete = True

    def note_body_failed(self, loader: str) -> None:
        """Note that the rest of a document will not arrive."""
        if loader == self._loader:
            self._complete()
            self._changed.set()

    def _complete(self) -> None:
        """Mark every stage as reached: no further lifecycle events will come."""
        self._stages |= set(get_args(Stage))

    def _commit(self) -> None:
        self.commits += 1
        self._is_requested = self._is_started = False
        self._changed.set()


class _BoundedDict(dict[str, V]):
    """Holds `MAX_TRACKED` entries; one more removes the oldest."""

    def __setitem__(self, key: str, value: V) -> None:
        super().__setitem__(key, value)
        if len(self) > MAX_TRACKED:
            del self[next(iter(self))]


class RequestTracker:
    """Pending requests and when each began, so that those an action caused can be told from earlier ones.

    `pending` has those whose responses can change the content of a page: not images and fonts, which are `unawaited`,
    nor WebSockets, which stay open. `stop` is called to load no more of a document that is too large.
    """

    # How events that are not read change the number of requests that are not followed, by their names.
    counted: ClassVar[Mapping[str, int]] = {}

    def __init__(
        self, main_frame: str, page_events: PageEvents, max_bytes: int, stop: Callable[[], None], origins: FrameOrigins
    ) -> None:
        self._main_frame = main_frame
        self._origins = origins
        self._events = page_events
        self._max_bytes = max_bytes
        self._stop = stop
        self._pending: dict[str, TrackedRequest] = _BoundedDict()
        self._unawaited: dict[str, TrackedRequest] = _BoundedDict()
        # How often the document has asked for the same, and been answered.
        self._repeats: dict[str, int] = _BoundedDict()
        # Pages that were waited for in vain, each with an endpoint that did not answer.
        self.polls: set[tuple[str, str]] = set()
        self._descriptions: dict[str, PageText] = _BoundedDict()
        self._changed = asyncio.Event()
        self.ended_count = 0
        # Requests that came too fast to be followed and may be unanswered, and when the last event of one arrived.
        self.unfollowed = 0
        self.unfollowed_at = 0.0
        self.document: DocumentRequest | None = None
        # While a caller waits for a document, its failure is raised as an error and needs no event.
        self.is_caller_waiting = False
        # Called when the browser does not reach the session's proxy.
        self.on_proxy_unreachable: Callable[[], object] = lambda: None

    @property
    def pending(self) -> list[TrackedRequest]:
        return list(self._pending.values())

    @property
    def unawaited(self) -> list[TrackedRequest]:
        return list(self._unawaited.values())

    def is_repeated(self, request: TrackedRequest) -> bool:
        """Whether the document keeps asking for this, without a body, as one that polls does."""
        return request.method == "GET" and self._repeats.get(request.url, 0) >= POLL_REPEATS

    @property
    def has_recent(self) -> bool:
        """Whether a request of the last seconds is unanswered; one that stays so for longer waits for news."""
        since = time.monotonic() - RECENT_SECONDS
        is_unfollowed = self.unfollowed > 0 and self.unfollowed_at >= since
        unanswered = (request.began for request in self._pending.values() if request.answered is None)
        return is_unfollowed or any(began >= since for began in unanswered)

    @property
    def silent_server(self) -> PageText | None:
        """The host that has been asked for the document and has not answered."""
        document = self.document
        if document is None or document.status is not None or not document.url.startswith("http"):
            return None  # a URL that another program handles has no server
        return PageText(host_and_port(document.url), origin_in(document.url))

    def note_download(self, url: str) -> None:
        """Note that the browser downloads what is at an address, which may be the document that was asked for."""
        if self.document is not None and self.document.url.partition("#")[0] == url.partition("#")[0]:
            self.document.is_download = True

    def note_dropped(self, event: dict[str, Any]) -> None:
        """Count a request that came too fast to be followed, or that one of them is over."""
        if change := self.counted.get(event["method"]):
            self.unfollowed = max(self.unfollowed + change, 0)
            self.unfollowed_at = time.monotonic()

    def mark_stopped(self) -> None:
        """Forget the pending requests: loading was stopped, and Chromium reports that for only some of them."""
        self._pending.clear()
        self.unfollowed = 0
        self._changed.set()

    async def wait_for_change(self, timeout: float) -> None:
        """Wait until one more request is answered or over, or for `timeout` seconds."""
        self._changed.clear()
        try:
            async with asyncio.timeout(timeout):
                await self._changed.wait()
        except TimeoutError:
            return

    # What an engine reports

    def begin(self, identity: str, method: str, url: str, origin: str, resource: str) -> None:
        """Note a request for a resource of a type; one of any other is only told of if it fails.

        `origin`: of the document that sends it.
        """
        self._descriptions[identity] = PageText(f"{method} {url[:300]}", origin)
        group = self._pending if resource in AWAITED else self._unawaited if resource in NAMED else None
        if group is not None:
            group[identity] = TrackedRequest(url, method, time.monotonic(), origin=origin, resource=resource)

    def begin_document(self, loader: str, url: str, is_redirect: bool) -> None:
        """Note the request for another main document, before `begin`; its id is that of its navigation."""
        if is_redirect and self.document is not None and self.document.loader == loader:
            self.document.hops.append(self.document.url)
            self.document.url = url
            # The next server has not answered yet, so that nothing of its document has arrived.
            self.document.status, self.document.headers, self.document.challenge = None, {}, None
            return
        # The requests of the previous document no longer matter.
        self.document = DocumentRequest(loader, url)
        self._pending.clear()
        self._unawaited.clear()
        self._repeats.clear()
        self._descriptions.clear()
        self.unfollowed = 0

    def _document_of(self, identity: str) -> DocumentRequest | None:
        """Return the main document if a request is for it."""
        document = self.document
        return document if document is not None and document.loader == identity else None

    def respond(self, identity: str, status: int, headers: dict[str, str]) -> None:
        """Note the head of a response."""
        if document := self._document_of(identity):
            document.status = status
            document.headers = {name.lower(): value for name, value in headers.items()}
            document.challenge = _challenge(status, document.headers)
            if document.challenge and not self.is_caller_waiting:
                said = f"{document.url} asks for a password ({document.challenge})"
                self._events.add("needs credentials", PageText(said, origin_in(document.url)))
        if request := self._pending.get(identity):
            request.answered = time.monotonic()
            self._changed.set()

    def receive(self, identity: str, length: int) -> None:
        """Note that a part of a response has arrived."""
        document = self._document_of(identity)
        if document is None or document.is_cut:
            return
        document.received += length
        if document.received > self._max_bytes:
            document.is_cut = True
            limit = self._max_bytes // 2**20
            said = f"{document.url} is larger than {limit} MB: the rest was not loaded"
            self._events.add("page cut", PageText(said, origin_in(document.url)))
            self._stop()

    def end(self, identity: str) -> None:
        """Note that a request is over."""
        self._descriptions.pop(identity, None)
        self._unawaited.pop(identity, None)
        request = self._pending.pop(identity, None)
        if request is not None:
            self.ended_count += not self.is_repeated(request)
            self._repeats[request.url] = self._repeats.get(request.url, 0) + 1
        self._changed.set()

    def fail(self, identity: str, error: str, is_cancelled: bool) -> None:
        """Note that a request has failed, by Chromium's name of the error."""
        document = self._document_of(identity)
        if document is not None and not is_cancelled:
            document.failure = error
        description = self._descriptions.get(identity)
        is_raised = document is not None and self.is_caller_waiting
        if description and not is_raised and not is_cancelled and error not in IGNORED_FAILURES:
            self._events.add("request failed", description.around(f"{description} ({error})"))
        self.end(identity)
        if error == PROXY_UNREACHABLE:
            self.on_proxy_unreachable()


def _challenge(status: int, headers: dict[str, str]) -> str | None:
    """Return the challenge of a response for which a browser would ask its user for a password."""
    if status not in (401, 407):
        return None
    challenge = headers.get("www-authenticate" if status == 401 else "proxy-authenticate", "")
    return challenge[:MAX_CHALLENGE_LENGTH] if challenge.lower().startswith(PASSWORD_SCHEMES) else None
