"""Blocking the navigations of a page that keeps navigating by itself, so that it can be read."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from rove.chromium.protocol.connection import CdpSession

# Seconds to wait for the page's next attempt to navigate; without one by then, the page no longer tries.
REFUSAL_TIMEOUT = 1.0
DOCUMENT_REQUESTS = {"patterns": [{"resourceType": "Document", "requestStage": "Request"}]}


class NavigationBlock:
    """Fails every request of a page's main frame for another document while it is enabled."""

    def __init__(self, cdp: CdpSession, main_frame: str, send_soon: Callable[[str, dict[str, Any]], None]) -> None:
        self._cdp = cdp
        self._main_frame = main_frame
        self._send_soon = send_soon
        self._has_refused = asyncio.Event()
        self.is_on = False

    def listen(self) -> None:
        self._cdp.on("Fetch.requestPaused", self._on_paused)

    async def enable(self) -> None:
        """Block navigations; returns once one was refused or the page has stopped trying."""
        if not self.is_on:
            self.is_on = True
            self._has_refused.clear()
            await self._cdp.send("Fetch.enable", DOCUMENT_REQUESTS)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REFUSAL_TIMEOUT):
                await self._has_refused.wait()

    def disable(self) -> None:
        if self.is_on:
            self.is_on = False
            self._send_soon("Fetch.disable", {})

    def _on_paused(self, event: dict[str, Any]) -> None:
        request = {"requestId": event["requestId"]}
        if event["frameId"] != self._main_frame:
            self._send_soon("Fetch.continueRequest", request)
            return
        self._send_soon("Fetch.failRequest", {**request, "errorReason": "Aborted"})
        self._has_refused.set()
