"""A page that keeps navigating by itself is made to stay where it is, so that there is something to look at."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from rove.chromium.protocol.connection import CdpSession

# Until the next try of the page to go elsewhere has been stopped; if there is none by then, it has come to rest.
PATIENCE = 1.0
DOCUMENTS = {"patterns": [{"resourceType": "Document", "requestStage": "Request"}]}


class NavigationBlock:
    """Refuses a tab's page every other document, from when it is put on until it is taken off."""

    def __init__(self, cdp: CdpSession, main_frame: str, tell: Callable[[str, dict[str, Any]], None]) -> None:
        self._cdp = cdp
        self._main_frame = main_frame
        self._tell = tell
        self._has_refused = asyncio.Event()
        self.is_on = False

    def listen(self) -> None:
        self._cdp.on("Fetch.requestPaused", self._on_paused)

    async def enable(self) -> None:
        """Make the page stay; returns when it does."""
        if not self.is_on:
            self.is_on = True
            self._has_refused.clear()
            await self._cdp.send("Fetch.enable", DOCUMENTS)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self._has_refused.wait()

    def disable(self) -> None:
        if self.is_on:
            self.is_on = False
            self._tell("Fetch.disable", {})

    def _on_paused(self, event: dict[str, Any]) -> None:
        request = {"requestId": event["requestId"]}
        if event["frameId"] != self._main_frame:
            self._tell("Fetch.continueRequest", request)
            return
        self._tell("Fetch.failRequest", {**request, "errorReason": "Aborted"})
        self._has_refused.set()
