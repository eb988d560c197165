"""Which requests a tab has under way."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import playwright.async_api as pw

# These stay open by design, or matter to nobody who looks at the page.
ENDLESS = frozenset({"websocket", "eventsource", "ping", "media", "manifest", "other"})


class Traffic:
    """Requests under way and when each began, so that what an act caused can be told from what it met."""

    def __init__(self) -> None:
        self._open: dict[pw.Request, float] = {}
        self._changed = asyncio.Event()
        self.document: pw.Request | None = None

    def listen(self, page: pw.Page) -> None:
        page.on("request", self._on_request)
        page.on("requestfinished", self._on_end)
        page.on("requestfailed", self._on_end)

    def since(self, moment: float) -> list[pw.Request]:
        return [request for request, began in self._open.items() if began >= moment]

    async def next_end(self) -> None:
        """Wait until one more request is over."""
        self._changed.clear()
        await self._changed.wait()

    def forget(self) -> None:
        """Another document: what the last one asked for is nobody's concern any more."""
        self._open.clear()
        self._changed.set()

    def _on_request(self, request: pw.Request) -> None:
        if request.is_navigation_request() and request.frame.parent_frame is None:
            self.document = request
        if request.resource_type not in ENDLESS:
            self._open[request] = time.monotonic()

    def _on_end(self, request: pw.Request) -> None:
        self._open.pop(request, None)
        self._changed.set()
