"""What a tab logs: console messages, network requests and workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Literal, Protocol

from rove.browser.page_data import ConsoleMessage, WorkerInfo
from rove.validation.record import dataclass

# Of each WebSocket or event stream the latest messages are kept.
MAX_MESSAGES = 100
MAX_MESSAGE_LENGTH = 2000

# Console messages, errors, and messages of WebSockets and event streams, of a page with its frames and workers.
MESSAGES_PER_SECOND = 1000
MESSAGE_BYTES_PER_SECOND = 4_000_000
# Uncaught errors and entries of the browser itself, which other messages do not count against.
ERRORS_PER_SECOND = 500
# Requests at once, and how many more in each second.
REQUESTS_AT_ONCE = 1000
REQUESTS_PER_SECOND = 100


@dataclass(frozen=True)
class RequestTiming:
    """How many milliseconds each phase of a request took; None for a phase that it did not have."""

    queued: float | None = None
    dns: float | None = None
    connect: float | None = None
    tls: float | None = None
    send: float | None = None
    wait: float | None = None
    receive: float | None = None

    @property
    def phases(self) -> dict[str, float]:
        """The phases that there were, in their order."""
        names = ("queued", "dns", "connect", "tls", "send", "wait", "receive")
        return {name: took for name in names if (took := getattr(self, name)) is not None}


@dataclass
class PageLoad:
    """A document that the tab has loaded, and the requests of which have its number; moments in seconds since 1970."""

    number: int
    url: str
    at: float
    parsed: float | None = None
    loaded: float | None = None


@dataclass(frozen=True)
class Transport:
    """How a response came: by which protocol (`h2`), from which address, with which words beside its status."""

    protocol: str = ""
    address: str = ""
    status_text: str = ""


@dataclass(frozen=True)
class NetworkMessage:
    """One frame of a WebSocket, or one event of a server; `event` is its type, `size` the length of its data."""

    direction: Literal["sent", "received"]
    at: float
    text: str
    size: int
    event: str = ""
    is_binary: bool = False


@dataclass
class NetworkMessages:
    """The latest messages of a request. Older ones are dropped, and `dropped` counts them."""

    dropped: int = 0
    _kept: deque[NetworkMessage] = field(default_factory=lambda: deque[NetworkMessage](maxlen=MAX_MESSAGES))

    def __iter__(self) -> Iterator[NetworkMessage]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, message: NetworkMessage) -> None:
        """Keep a message, or the beginning of a long one."""
        self.dropped += len(self._kept) == MAX_MESSAGES
        self._kept.append(message)


def unrecorded_messages(count: int) -> str:
    """Say that console messages were not recorded; nothing if all were."""
    megabytes = MESSAGE_BYTES_PER_SECOND // 1_000_000
    rate = f"more than {MESSAGES_PER_SECOND} messages or {megabytes} MB a second were written"
    return f"{count} were not recorded, and the newest were kept: {rate}." if count else ""


# Said beside that number, where a browser sends all events through one thread.
UNCOUNTED_MESSAGES = "Pages of this session wrote so much that nothing was recorded for some seconds."


def unrecorded_requests(count: int) -> str:
    """Say that requests were not recorded; nothing if all were."""
    rate = f"more than {REQUESTS_AT_ONCE} were sent at once, or {REQUESTS_PER_SECOND} a second"
    return f"{count} were not recorded: {rate}." if count else ""


class ConsoleLog(Protocol):
    """The latest console messages; how many older ones were dropped, and how many came too fast to be recorded.

    `is_uncounted`: there were more that the browser was not asked for.
    """

    dropped: int
    unrecorded: int
    is_uncounted: bool

    def __iter__(self) -> Iterator[ConsoleMessage]: ...
    async def catch_up(self) -> None:
        """Wait until what was written so far is in the log."""

    def clear(self) -> int:
        """Remove all messages; return how many there were."""
        ...


class LoggedRequest(Protocol):
    """One request and the response to it, as far as it has arrived."""

    @property
    def number(self) -> int: ...
    @property
    def method(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def at(self) -> float: ...
    @property
    def context(self) -> str: ...
    @property
    def origin(self) -> str: ...
    @property
    def request_headers(self) -> dict[str, str]:
        """The request headers."""
        ...

    @property
    def response_headers(self) -> dict[str, str]:
        """The response headers."""
        ...

    @property
    def has_body(self) -> bool: ...
    @property
    def status(self) -> int | None: ...
    @property
    def source(self) -> str | None: ...
    @property
    def size(self) -> int | None: ...
    @property
    def seconds(self) -> float | None: ...
    @property
    def failure(self) -> str | None: ...
    @property
    def intercepted(self) -> str | None:
        """What a rule of the session has done to it."""
        ...

    @property
    def has_failed(self) -> bool: ...
    @property
    def initiator(self) -> str:
        """Who started it, and at which place: `script https://example.com/app.js:3:9`."""
        ...

    @property
    def timing(self) -> RequestTiming: ...
    @property
    def mime(self) -> str:
        """The type of the response."""
        ...

    @property
    def page(self) -> int:
        """The number of the document for which it was sent; 0 if it is not known."""
        ...

    @property
    def transport(self) -> Transport: ...
    @property
    def messages(self) -> NetworkMessages:
        """The frames of a WebSocket, or the events of a server."""
        ...

    async def request_body(self) -> bytes | None:
        """Return the request body; None when the browser no longer has it."""
        ...

    async def response_body(self) -> bytes | None:
        """Return the response body; None when the browser does not have it, or no longer."""
        ...


class NetworkLog(Protocol):
    """The latest requests of a tab; how many older ones were dropped, and how many came too fast to be recorded."""

    dropped: int
    unrecorded: int

    def __iter__(self) -> Iterator[LoggedRequest]: ...
    @property
    def pages(self) -> Sequence[PageLoad]:
        """The documents that the tab has loaded, the latest ones."""
        ...

    def watch(self, on_ended: Callable[[LoggedRequest], object], /) -> Callable[[], None]:
        """Report each request when it is over, or leaves the log; return what ends that."""
        ...

    def find(self, number: int, /) -> LoggedRequest | None: ...


class Workers(Protocol):
    """The workers of a tab and of the session that it belongs to."""

    @property
    def are_bypassed(self) -> bool:
        """Whether the tab's requests go past service workers."""
        ...

    async def list(self) -> list[WorkerInfo]: ...
    async def inspect(self, url: str | None, /) -> Sequence[WorkerInfo]:
        """Return all that is known of the service workers whose URL or scope contains `url`, or of all of them."""
        ...

    async def update(self, url: str | None, /) -> None:
        """Have the browser look for a new version of the service workers whose URL or scope contains `url`."""

    async def bypass(self, bypass: bool, /) -> None:
        """Send the tab's requests past its service worker, from the next request on."""

    async def stop(self, url: str | None, /) -> None:
        """Stop the workers whose URL contains `url`, or all of them."""

    async def unregister(self, url: str | None, /) -> None:
        """Unregister the service workers whose URL or scope contains `url`, or all of them."""
