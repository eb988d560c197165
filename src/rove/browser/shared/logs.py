"""What a tab logs, whichever engine reports it: console messages and requests, each the latest of them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from rove.browser.logs import NetworkMessages, PageLoad, RequestTiming, Transport
from rove.browser.page_data import ConsoleMessage, ConsoleSource, Level
from rove.browser.page_state import PageEvents
from rove.browser.scripts import NONCE
from rove.patterns import pattern
from rove.proxy_headers import FAILURE_HEADER, REFUSED_HEADER

MAX_LENGTH = 1000
MAX_PLACE_LENGTH = 300
# What rove's own scripts write begins so.
REPORT_PREFIX = f"{NONCE} "
# What browsers call the functions of the console, where that is not the name of the function itself.
_KIND_NAMES = {
    "startGroup": "group", "startGroupCollapsed": "group", "groupCollapsed": "group", "timeEnd": "time",
    "timeLog": "time", "warn": "warning",
}  # fmt: skip
_PLACEHOLDER = pattern(r"%[sdifoOc%]")
MAX_MESSAGES = 500
# So many of the latest uncaught errors are kept, whatever is written after them.
MAX_KEPT_ERRORS = 100
_LEVELS: dict[str, Level] = {
    "error": "error", "assert": "error", "exception": "error", "warning": "warning", "debug": "debug",
    "verbose": "debug",
}  # fmt: skip
MAX_REQUESTS = 500
MAX_URL_LENGTH = 2000
MAX_PAGES = 200
# Events that may come before the one that tells of their request.
MAX_EARLY = 50
# Headers by which rove's proxy says why it did not forward a request. It removes them from what servers answer.
_REFUSALS = ((REFUSED_HEADER, "not allowed"), (FAILURE_HEADER, "failed"))


def source_location(frame: dict[str, Any]) -> str:
    """Return a location such as `https://example.com/app.js:12:5`; empty if it is unknown."""
    url = frame.get("url", "")
    if not url:
        return ""
    line = f":{frame['lineNumber'] + 1}" if "lineNumber" in frame else ""
    column = f":{frame['columnNumber'] + 1}" if "columnNumber" in frame else ""
    return _clean_url(url) + line + column


def truncate(text: str, longest: int = MAX_LENGTH) -> str:
    """Cut a text to so many characters and append its full length."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"


def _clean_url(url: str) -> str:
    # A script can choose its own name with `sourceURL`, including spaces and line breaks.
    clean = "".join(url.split())
    return clean if len(clean) <= MAX_PLACE_LENGTH else clean[: MAX_PLACE_LENGTH - 1] + "…"


def fill_placeholders(template: str, arguments: Iterable[str]) -> str:
    """Replace `%s`, `%d` and the like by the arguments; `%c`, which only sets a style, is left out."""
    rest = iter(arguments)

    def fill(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        value = next(rest, None)
        if value is None:
            return match[0]
        return "" if match[0] == "%c" else value

    return " ".join([_PLACEHOLDER.sub(fill, template), *rest])


class ConsoleLog:
    """The latest console messages and uncaught errors.

    `dropped` counts older ones, `unrecorded` those that came too fast to be read.
    `is_uncounted`: there were more that the browser was not asked for.
    """

    def __init__(self, events: PageEvents | None = None) -> None:
        self._events = events
        self._messages: deque[ConsoleMessage] = deque()
        self.dropped = self.unrecorded = 0
        self.is_uncounted = False

    def __iter__(self) -> Iterator[ConsoleMessage]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    async def catch_up(self) -> None:
        """Wait until what was written so far is in the log."""

    def clear(self) -> int:
        """Remove all messages; return how many there were."""
        count = sum(message.count for message in self._messages)
        self._messages.clear()
        self.dropped = self.unrecorded = 0
        self.is_uncounted = False
        return count

    def add(
        self,
        kind: str,
        text: str,
        location: str,
        source: ConsoleSource,
        at: float,
        args: list[Any] | None = None,
        level: str | None = None,
    ) -> None:
        """Add a message, or count it if it is the same as the last one. `at`: milliseconds since the epoch."""
        rank, shown = _LEVELS.get(level or kind, "info"), truncate(text)
        entry = ConsoleMessage(rank, kind, shown, location, source, at / 1000, [shown] if args is None else args)
        last = self._messages[-1] if self._messages else None
        if last is not None and replace(last, at=entry.at, count=1) == entry:
            self._messages[-1] = replace(entry, count=last.count + 1)
            return
        self._messages.append(entry)
        if len(self._messages) > MAX_MESSAGES:
            del self._messages[self._least_wanted()]
            self.dropped += 1

    def add_call(
        self, kind: str, text: str, location: str, source: ConsoleSource, at: float, args: list[Any] | None = None
    ) -> None:
        """Add what a script has written to the console; an error is reported as an event too."""
        text = f"Assertion failed: {text}" if kind == "assert" else text
        self.add(_KIND_NAMES.get(kind, kind), text, location, source, at, args)
        if kind == "error" and self._events is not None:
            self._events.add("console error", source.quote(text))

    def _least_wanted(self) -> int:
        """Return the index of the oldest message that is no uncaught error, or of the oldest of too many errors."""
        for index, message in enumerate(self._messages):
            if message.kind != "exception":
                return index
            if index >= MAX_KEPT_ERRORS:
                break
        return 0


@dataclass(slots=True)
class LoggedRequest(ABC):
    """One request and the response to it, as far as it has arrived."""

    number: int
    identity: str
    context: str
    # The origin of the document that sent the request.
    origin: str
    method: str
    url: str
    kind: str
    at: float
    began: float
    request_headers: dict[str, str]
    has_body: bool = False
    response_headers: dict[str, str] = field(default_factory=dict[str, str])
    status: int | None = None
    mime: str = ""
    source: str | None = None
    size: int | None = None
    seconds: float | None = None
    failure: str | None = None
    initiator: str = ""
    timing: RequestTiming = RequestTiming()
    messages: NetworkMessages = field(default_factory=NetworkMessages)
    transport: Transport = Transport()
    # The number of the document for which it was sent; 0 if it is not known.
    page: int = 0
    # What a rule of the session has done to it, such as `answered by rule 2`.
    intercepted: str | None = None

    @property
    def has_failed(self) -> bool:
        return self.failure is not None or (self.status is not None and self.status >= 400)

    @abstractmethod
    async def request_body(self) -> bytes | None:
        """Return the request body; None if the browser no longer has it."""

    @abstractmethod
    async def response_body(self) -> bytes | None:
        """Return the response body; None if the browser does not have it, or no longer."""


class Interceptions:
    """What rules have done to requests, by their ids: a request may be reported after that."""

    def __init__(self) -> None:
        self._labels: dict[str, tuple[str, bool]] = {}

    def add(self, identity: str, label: str, is_answered: bool) -> None:
        before, _ = self._labels.pop(identity, ("", False))
        self._labels[identity] = (f"{before}, {label}" if before else label, is_answered)
        if len(self._labels) > MAX_EARLY:
            del self._labels[next(iter(self._labels))]

    def apply(self, request: LoggedRequest) -> None:
        """Write into a logged request what rules have done to it, once."""
        if request.identity in self._labels:
            request.intercepted, is_answered = self._labels.pop(request.identity)
            request.source = "rule" if is_answered else request.source


R_co = TypeVar("R_co", bound=LoggedRequest, covariant=True)


class NetworkLog(Generic[R_co]):
    """The latest requests of a tab. `dropped` counts older ones, `unrecorded` those that came too fast to be read."""

    def __init__(self) -> None:
        self._requests: deque[R_co] = deque()
        self._pending: dict[str, R_co] = {}
        self._interceptions = Interceptions()
        self._watchers: list[Callable[[R_co], object]] = []
        self._last_number = 0
        self.dropped = self.unrecorded = 0

    def __iter__(self) -> Iterator[R_co]:
        return iter(self._requests)

    async def catch_up(self) -> None:
        """Wait until what has come of responses so far is in the log."""

    def find(self, number: int) -> R_co | None:
        return next((request for request in self._requests if request.number == number), None)

    @property
    def pages(self) -> Sequence[PageLoad]:
        """The documents that the tab has loaded, the latest ones."""
        return ()

    def watch(self, on_ended: Callable[[R_co], object]) -> Callable[[], None]:
        """Report each request when it is over, or leaves the log; return what ends that."""
        self._watchers.append(on_ended)
        return lambda: self._watchers.remove(on_ended)

    # Only the engine's own log, which knows what its requests are, reports and adds them.

    def _report(self, request: R_co) -> None:  # type: ignore[misc]
        for on_ended in [*self._watchers]:
            on_ended(request)

    def note_interception(self, identity: str, label: str, is_answered: bool) -> None:
        """Log that a rule has blocked, answered or changed a request, also one that is reported only later."""
        self._interceptions.add(identity, label, is_answered)
        if request := self._pending.get(identity):
            self._interceptions.apply(request)

    def _next_number(self) -> int:
        self._last_number += 1
        return self._last_number

    def _add(self, request: R_co) -> None:  # type: ignore[misc]
        if len(self._requests) == MAX_REQUESTS:
            oldest = self._requests.popleft()
            self.dropped += 1
            if self._pending.get(oldest.identity) is oldest:
                del self._pending[oldest.identity]
                self._report(oldest)
        self._interceptions.apply(request)
        self._requests.append(request)
        self._pending[request.identity] = request


def proxy_refusal(url: str, headers: Mapping[str, str]) -> str | None:
    """Return why rove's proxy did not forward a request; over https it refuses the connection instead of answering."""
    if not url.startswith("http:"):
        return None
    found = {name.lower(): value for name, value in headers.items()}
    return next((f"{word}: {value}" for mark, word in _REFUSALS if (value := found.get(mark))), None)
