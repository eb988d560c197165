"""The latest requests of a tab, with their responses."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from rove.browser.network.request_data import NetworkMessages, PageLoad, RequestTiming, Transport
from rove.proxy_headers import FAILURE_HEADER, REFUSED_HEADER

MAX_REQUESTS = 500
MAX_URL_LENGTH = 2000
MAX_PAGES = 200
# Events that may come before the one that tells of their request.
MAX_EARLY = 50
# Headers by which rove's proxy says why it did not forward a request. It removes them from what servers answer.
_REFUSALS = ((REFUSED_HEADER, "not allowed"), (FAILURE_HEADER, "failed"))


@dataclass(slots=True)
class LoggedRequest:
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


R = TypeVar("R", bound=LoggedRequest)


class NetworkLog(Generic[R]):
    """The latest requests of a tab. `dropped` counts older ones, `unrecorded` those that came too fast to be read."""

    def __init__(self) -> None:
        self._requests: deque[R] = deque()
        self._pending: dict[str, R] = {}
        self._interceptions = Interceptions()
        self._watchers: list[Callable[[R], object]] = []
        self._last_number = 0
        self.dropped = self.unrecorded = 0

    def __iter__(self) -> Iterator[R]:
        return iter(self._requests)

    def find(self, number: int) -> R | None:
        return next((request for request in self._requests if request.number == number), None)

    @property
    def pages(self) -> Sequence[PageLoad]:
        """The documents that the tab has loaded, the latest ones."""
        return ()

    def watch(self, on_ended: Callable[[R], object]) -> Callable[[], None]:
        """Report each request when it is over, or leaves the log; return what ends that."""
        self._watchers.append(on_ended)
        return lambda: self._watchers.remove(on_ended)

    def _report(self, request: R) -> None:
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

    def _add(self, request: R) -> None:
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
