"""Which requests a tab has under way, and what became of its document."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypeVar

from rove.browser.navigation_errors import place_of
from rove.browser.page_events import PageEvents
from rove.browser.page_state import DocumentRequest, TrackedRequest
from rove.chromium.protocol.connection import CdpSession

# What can still change what the page says. Pictures and fonts cannot; sockets and beacons stay open by design.
WEIGHTY = frozenset({"Document", "Script", "Stylesheet", "Fetch", "XHR"})
# A page that moves on aborts what it no longer needs: that is not news.
NO_NEWS = frozenset({"net::ERR_ABORTED"})
# For these a browser with a window asks its user; a page that wants a token asks by itself.
PASSWORD_SCHEMES = ("basic", "digest", "ntlm", "negotiate")
LONGEST_CHALLENGE = 200

# A page that has more under way than this is followed as far as this.
MOST_FOLLOWED = 1000

V = TypeVar("V")


class _Latest(dict[str, V]):
    """Holds so many; the oldest is given up for one more."""

    def __setitem__(self, key: str, value: V) -> None:
        super().__setitem__(key, value)
        if len(self) > MOST_FOLLOWED:
            del self[next(iter(self))]


class RequestTracker:
    """Requests under way and when each began, so that what an act caused can be told from what it met."""

    def __init__(self, main_frame: str, page_events: PageEvents, most_bytes: int, stop: Callable[[], None]) -> None:
        self._main_frame = main_frame
        self._events = page_events
        self._most_bytes = most_bytes
        self._stop = stop
        self._open: dict[str, TrackedRequest] = _Latest()
        self._addresses: dict[str, str] = _Latest()
        self._changed = asyncio.Event()
        self.ended = 0
        self.document: DocumentRequest | None = None
        # Whoever asked for a document is told of its failure; it is news only if a page asked by itself.
        self.is_asked = False

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Network.requestWillBeSent", self._on_request)
        cdp.on("Network.responseReceived", self._on_response)
        cdp.on("Network.dataReceived", self._on_data)
        cdp.on("Network.loadingFinished", self._on_end)
        cdp.on("Network.loadingFailed", self._on_failure)

    @property
    def under_way(self) -> list[TrackedRequest]:
        return list(self._open.values())

    @property
    def silent_server(self) -> str | None:
        """Who has been asked for a document and has not answered."""
        document = self.document
        if document is None or document.status is not None or not document.url.startswith("http"):
            return None  # an address for another program has no server
        return place_of(document.url)

    def stop(self) -> None:
        """Loading is being broken off, of which not every request tells."""
        self._open.clear()
        self._changed.set()

    async def changes(self, patience: float) -> None:
        """Wait until one more request is answered or over, or for `patience` seconds."""
        self._changed.clear()
        try:
            async with asyncio.timeout(patience):
                await self._changed.wait()
        except TimeoutError:
            return

    def _on_request(self, event: dict[str, Any]) -> None:
        identity, request = event["requestId"], event["request"]
        if event.get("frameId") == self._main_frame and identity == event.get("loaderId"):
            self._begin_document(identity, request["url"], "redirectResponse" in event)
        self._addresses[identity] = f"{request['method']} {request['url'][:300]}"
        # The script of a worker is asked for in the page's name, outside of any document; the worker hears the rest.
        is_own = event.get("loaderId") and not request["url"].startswith("blob:")
        if event.get("type") in WEIGHTY and is_own:
            self._open[identity] = TrackedRequest(request["url"], request["method"], time.monotonic())

    def _begin_document(self, loader: str, url: str, is_redirect: bool) -> None:
        if is_redirect and self.document is not None and self.document.loader == loader:
            self.document.hops.append(self.document.url)
            self.document.url = url
            return
        # Another document: what the last one asked for is nobody's concern any more.
        self.document = DocumentRequest(loader, url)
        self._open.clear()
        self._addresses.clear()

    def _own(self, event: dict[str, Any]) -> DocumentRequest | None:
        """The document, if it is what an event is about."""
        document = self.document
        return document if document is not None and document.loader == event["requestId"] else None

    def _on_response(self, event: dict[str, Any]) -> None:
        if document := self._own(event):
            response = event["response"]
            document.status = response["status"]
            document.headers = {name.lower(): value for name, value in response["headers"].items()}
            document.challenge = _challenge(response)
            if document.challenge and not self.is_asked:
                self._events.add("needs credentials", f"{document.url} asks for a password ({document.challenge})")
        if exchange := self._open.get(event["requestId"]):
            exchange.answered = time.monotonic()
            self._changed.set()

    def _on_data(self, event: dict[str, Any]) -> None:
        document = self._own(event)
        if document is None or document.is_cut:
            return
        document.received += event["dataLength"]
        if document.received > self._most_bytes:
            document.is_cut = True
            most = self._most_bytes // 2**20
            self._events.add("page cut", f"{document.url} is larger than {most} MB: the rest was not loaded")
            self._stop()

    def _on_end(self, event: dict[str, Any]) -> None:
        self._addresses.pop(event["requestId"], None)
        if self._open.pop(event["requestId"], None) is not None:
            self.ended += 1
        self._changed.set()

    def _on_failure(self, event: dict[str, Any]) -> None:
        document = self._own(event)
        if document is not None and not event.get("canceled"):
            document.failure = event["errorText"]
        address = self._addresses.get(event["requestId"])
        is_told = document is not None and self.is_asked
        if address and not is_told and not event.get("canceled") and event["errorText"] not in NO_NEWS:
            self._events.add("request failed", f"{address} ({event['errorText']})")
        self._on_end(event)


def _challenge(response: dict[str, Any]) -> str | None:
    """What a server wants to be told before it shows a page, where a person would be asked for it."""
    if response["status"] not in (401, 407):
        return None
    headers = {name.lower(): value for name, value in response["headers"].items()}
    wanted: str = headers.get("www-authenticate" if response["status"] == 401 else "proxy-authenticate", "")
    return wanted[:LONGEST_CHALLENGE] if wanted.lower().startswith(PASSWORD_SCHEMES) else None
