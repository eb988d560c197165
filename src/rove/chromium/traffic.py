"""Which requests a tab has under way."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import playwright.async_api as pw

# What can still change what the page says. Pictures and fonts cannot; sockets and beacons stay open by design.
WEIGHTY = frozenset({"document", "script", "stylesheet", "fetch", "xhr"})


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


class Traffic:
    """Requests under way and when each began, so that what an act caused can be told from what it met."""

    def __init__(self) -> None:
        self._open: dict[pw.Request, Exchange] = {}
        self._changed = asyncio.Event()
        self.document: Document | None = None

    def listen(self, page: pw.Page) -> None:
        page.on("request", self._on_request)
        page.on("response", self._on_response)
        page.on("requestfinished", self._on_end)
        page.on("requestfailed", self._on_end)

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

    def _on_request(self, request: pw.Request) -> None:
        if request.is_navigation_request() and request.frame.parent_frame is None:
            # Another document: what the last one asked for is nobody's concern any more.
            self.document = Document(request.url)
            self._open.clear()
        if request.resource_type in WEIGHTY:
            self._open[request] = Exchange(request.url, request.method, time.monotonic())

    def _on_response(self, response: pw.Response) -> None:
        if self.document is not None and response.url == self.document.url:
            self.document.status = response.status
        if exchange := self._open.get(response.request):
            exchange.answered = time.monotonic()
            self._changed.set()

    def _on_end(self, request: pw.Request) -> None:
        self._open.pop(request, None)
        self._changed.set()
