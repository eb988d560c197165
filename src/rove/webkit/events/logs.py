"""What the page's scripts log and request, as far as rove's script in the page sees it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from rove.browser.network.request_data import NetworkMessages, RequestTiming
from rove.browser.page_data import ConsoleMessage, ConsoleSource, Level
from rove.browser.page_events import PageEvents
from rove.page.frames.frame_origins import FrameOrigins
from rove.validation.record import dataclass

MAX_MESSAGES = 500
MAX_REQUESTS = 500
_LEVELS: dict[str, Level] = {"debug": "debug", "warn": "warning", "error": "error", "exception": "error"}
_KINDS = {"warn": "warning"}


class ConsoleLog:
    """The latest messages of the page since rove's script is in it; frames and workers are not heard."""

    def __init__(self, events: PageEvents, origins: FrameOrigins) -> None:
        self._events = events
        self._origins = origins
        self._messages: deque[ConsoleMessage] = deque(maxlen=MAX_MESSAGES)
        self.dropped = self.unrecorded = 0

    def __iter__(self) -> Iterator[ConsoleMessage]:
        return iter(self._messages)

    def clear(self) -> int:
        """Remove all messages; return how many there were."""
        count = len(self._messages)
        self._messages.clear()
        self.dropped = self.unrecorded = 0
        return count

    def add(self, kind: str, text: str, place: str, at: float, arguments: list[Any]) -> None:
        """Add a message; an error is reported as an event too."""
        source = ConsoleSource("page", self._origins.page)
        level = _LEVELS.get(kind, "info")
        self.dropped += len(self._messages) == MAX_MESSAGES
        self._messages.append(
            ConsoleMessage(level, _KINDS.get(kind, kind), text, place, source, at / 1000, arguments)
        )
        if level == "error":
            self._events.add("page error" if kind == "exception" else "console error", source.quote(text))


@dataclass
class LoggedRequest:
    """A request that a script of the page has sent: its address, its status and how long it took; no more is known."""

    number: int
    method: str
    url: str
    at: float
    origin: str
    kind: str = "fetch"
    context: str = "page"
    status: int | None = None
    seconds: float | None = None
    failure: str | None = None
    request_headers: dict[str, str] = field(default_factory=dict[str, str])
    response_headers: dict[str, str] = field(default_factory=dict[str, str])
    has_body: bool = False
    source: str | None = None
    size: int | None = None
    intercepted: str | None = None
    initiator: str = "script"
    timing: RequestTiming = RequestTiming()
    messages: NetworkMessages = field(default_factory=NetworkMessages)

    @property
    def has_failed(self) -> bool:
        return self.failure is not None or (self.status or 0) >= 400

    async def request_body(self) -> bytes | None:
        return None

    async def response_body(self) -> bytes | None:
        return None


class NetworkLog:
    """The latest requests of the page's scripts since rove's script is in the page."""

    def __init__(self, origins: FrameOrigins) -> None:
        self._origins = origins
        self._requests: deque[LoggedRequest] = deque(maxlen=MAX_REQUESTS)
        self._pending: dict[int, LoggedRequest] = {}
        self._count = 0
        self.dropped = self.unrecorded = 0

    def __iter__(self) -> Iterator[LoggedRequest]:
        return iter(self._requests)

    def find(self, number: int) -> LoggedRequest | None:
        return next((request for request in self._requests if request.number == number), None)

    def begin(self, identity: int, method: str, url: str) -> None:
        """Add a request."""
        self._count += 1
        self.dropped += len(self._requests) == MAX_REQUESTS
        request = LoggedRequest(self._count, method, url, time.time(), self._origins.page)
        self._requests.append(request)
        self._pending[identity] = request

    def end(self, identity: int, status: int) -> None:
        """Note the answer; a status of 0 is none."""
        if request := self._pending.pop(identity, None):
            request.seconds = time.time() - request.at
            request.status = status or None
            request.failure = None if status else "no answer that the page may read"

    def start_document(self) -> None:
        """Forget which requests of the last document are under way."""
        self._pending.clear()
