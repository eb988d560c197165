"""Session storage of a restored state: given to each new tab once, before the first script of an origin runs there."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from rove.firefox.protocol.connection import PageChannel
from rove.outcome import origin_in
from rove.page.tabs.session_storage import SCRIPT
from rove.tasks import BackgroundTasks

SANDBOX = "rove-state"


class SessionStorageSeed:
    """Writes the items of an origin when the tab first shows it, and not again: the page may clear them."""

    def __init__(self, channel: PageChannel, tasks: BackgroundTasks, items: dict[str, list[dict[str, str]]]) -> None:
        self._channel = channel
        self._tasks = tasks
        self._items = dict(items)
        self._added: str | None = None
        self._lock = asyncio.Lock()

    async def add(self) -> None:
        """Add the script to the tab, which has shown nothing yet."""
        self._channel.on("browsingContext.navigationCommitted", self._on_navigated)
        await self._replace()

    def _on_navigated(self, event: dict[str, Any]) -> None:
        is_main = event["context"] == self._channel.context
        if is_main and self._items.pop(origin_in(event["url"]), None) is not None:
            self._tasks.start(self._replace())

    async def _replace(self) -> None:
        connection = self._channel.connection
        async with self._lock:
            added, self._added = self._added, None
            if self._items:
                params = {
                    "functionDeclaration": f"() => {{ {SCRIPT % json.dumps(self._items)} }}",
                    "contexts": [self._channel.context],
                    "sandbox": SANDBOX,
                }
                self._added = (await connection.send("script.addPreloadScript", params))["script"]
            if added is not None:
                await connection.send("script.removePreloadScript", {"script": added})
