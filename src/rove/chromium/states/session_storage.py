"""Session storage of a restored state: given to each new tab once, before the first script of an origin runs there."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from rove.chromium.protocol.connection import CdpSession
from rove.page.tabs.session_storage import SCRIPT
from rove.tasks import BackgroundTasks

WORLD = "rove"


class SessionStorageSeed:
    """Writes the items of an origin when the tab first shows it, and not again: the page may clear them."""

    def __init__(self, cdp: CdpSession, tasks: BackgroundTasks, items: dict[str, list[dict[str, str]]]) -> None:
        self._cdp = cdp
        self._tasks = tasks
        self._items = dict(items)
        self._added: dict[str, Any] | None = None
        self._lock = asyncio.Lock()

    async def add(self) -> None:
        """Add the script to the tab, which has shown nothing yet."""
        self._cdp.on("Page.frameNavigated", self._on_navigated)
        await self._replace()

    def _on_navigated(self, event: dict[str, Any]) -> None:
        frame = event["frame"]
        if "parentId" not in frame and self._items.pop(frame.get("securityOrigin", ""), None) is not None:
            self._tasks.start(self._replace())

    async def _replace(self) -> None:
        async with self._lock:
            added, self._added = self._added, None
            if self._items:
                script = {"source": SCRIPT % json.dumps(self._items), "worldName": WORLD}
                self._added = await self._cdp.send("Page.addScriptToEvaluateOnNewDocument", script)
            if added is not None:
                await self._cdp.send("Page.removeScriptToEvaluateOnNewDocument", added)
