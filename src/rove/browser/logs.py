"""What a tab logs: console messages, network requests and workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from rove.browser.network.request_data import NetworkMessages, PageLoad, RequestTiming, Transport
from rove.browser.page_data import ConsoleMessage, WorkerInfo


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
