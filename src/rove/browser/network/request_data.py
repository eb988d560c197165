"""Plain data about one request: the phases of its time, and the messages that it carried."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import field
from typing import Literal

from rove.validation.record import dataclass

# Of each WebSocket or event stream the latest messages are kept.
MAX_MESSAGES = 100
MAX_MESSAGE_LENGTH = 2000


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
