"""The console events of a session, which Firefox stops sending for a while if pages write without end.

Each event passes Firefox's main thread, which all sessions share. To drop them here would not relieve it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from rove.firefox.protocol.connection import BidiConnection
from rove.tasks import BackgroundTasks

# A session whose pages write so many messages more than are read, in so many seconds, is not listened to.
MAX_DROPPED = 5000
COUNTING_SECONDS = 5.0
PAUSE_SECONDS = 3.0


class ConsoleSubscription:
    """Asks Firefox for the console events of one user context. `on_paused` is called when it stops to."""

    def __init__(
        self, connection: BidiConnection, context: str, tasks: BackgroundTasks, on_paused: Callable[[], object]
    ) -> None:
        self._connection = connection
        self._context = context
        self._tasks = tasks
        self._on_paused = on_paused
        self._subscription = ""
        self._dropped = 0
        self._since = 0.0
        # When the last pause began: what is older was told before it, and Firefox tells it once more.
        self.paused_at = 0.0

    async def open(self) -> None:
        """Ask for the events, from the first page of the context on."""
        params = {"events": ["log.entryAdded"], "userContexts": [self._context]}
        self._subscription = (await self._connection.send("session.subscribe", params))["subscription"]

    def note_dropped(self, event: dict[str, Any]) -> None:
        """Count an event of a page that was dropped; listen no more for a while after too many."""
        if event["method"] != "log.entryAdded" or not self._subscription:
            return
        now = time.monotonic()
        if now - self._since > COUNTING_SECONDS:
            self._since, self._dropped = now, 0
        self._dropped += 1
        if self._dropped > MAX_DROPPED:
            subscription, self._subscription = self._subscription, ""
            self._tasks.start(self._pause(subscription))

    def is_repeated(self, entry: dict[str, Any]) -> bool:
        """Return whether an entry was there before the last pause."""
        return bool(entry["timestamp"] / 1000 < self.paused_at)

    async def _pause(self, subscription: str) -> None:
        self._on_paused()
        await self._connection.send("session.unsubscribe", {"subscriptions": [subscription]})
        self.paused_at, self._since = time.time(), 0.0
        await asyncio.sleep(PAUSE_SECONDS)
        await self.open()
