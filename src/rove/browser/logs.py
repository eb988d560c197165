"""What a tab logs: console messages, network requests and workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import field
from typing import Literal

from rove.records import dataclass

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
