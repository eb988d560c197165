"""Which requests a tab has under way."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from rove.chromium.happenings import Happenings
from rove.chromium.wire import Wire

# What can still change what the page says. Pictures and fonts cannot; sockets and beacons stay open by design.
WEIGHTY = frozenset({"Document", "Script", "Stylesheet", "Fetch", "XHR"})
# A page that moves on aborts what it no longer needs: that is not news.
NO_NEWS = frozenset({"net::ERR_ABORTED"})


@dataclass
class Exchange:
    """One request under way."""

    url: str
    method: str
    began: float
    answered: float | None = None


@dataclass
class Document:
    """The page itself, as the server answered for it."""

    url: str
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])


class Traffic:
    """Requests under way and when each began, so that what an act caused can be told from what it met."""

    def __init__(self, main_frame: str, happenings: Happenings) -> None:
        self._main_frame = main_frame
        self._happenings = happenings
        self._open: dict[str, Exchange] = {}
        self._addresses: dict[str, str] = {}
        self._changed = asyncio.Event()
        self.document: Document | None = None

    def listen(self, wire: Wire) -> None:
        wire.on("Network.requestWillBeSent", self._on_request)
        wire.on("Network.responseReceived", self._on_response)
        wire.on("Network.loadingFinished", self._on_end)
        wire.on("Network.loadingFailed", self._on_failure)

    @property
    def under_way(self) -> list[Exchange]:
        return list(self._open.values())

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
            # Another document: what the last one asked for is nobody's concern any more.
            self.document = Document(request["url"])
            self._open.clear()
            self._addresses.clear()
        self._addresses[identity] = f"{request['method']} {request['url'][:300]}"
        if event.get("type") in WEIGHTY:
            self._open[identity] = Exchange(request["url"], request["method"], time.monotonic())

    def _on_response(self, event: dict[str, Any]) -> None:
        is_document = event["requestId"] == event.get("loaderId") and event.get("frameId") == self._main_frame
        if self.document is not None and is_document:
            response = event["response"]
            self.document.status = response["status"]
            self.document.headers = {name.lower(): value for name, value in response["headers"].items()}
        if exchange := self._open.get(event["requestId"]):
            exchange.answered = time.monotonic()
            self._changed.set()

    def _on_end(self, event: dict[str, Any]) -> None:
        self._addresses.pop(event["requestId"], None)
        self._open.pop(event["requestId"], None)
        self._changed.set()

    def _on_failure(self, event: dict[str, Any]) -> None:
        address = self._addresses.get(event["requestId"])
        if address and not event.get("canceled") and event["errorText"] not in NO_NEWS:
            self._happenings.add("request failed", f"{address} ({event['errorText']})")
        self._on_end(event)
