"""The scripts of the dedicated workers of a page, as long as they run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rove.firefox.protocol.connection import PageChannel

# The oldest of more than that are forgotten.
MAX_WORKERS = 1000


class WorkerScripts:
    """Their addresses, by the realms that they run in."""

    def __init__(self) -> None:
        self._by_realm: dict[str, str] = {}

    def listen(self, channel: PageChannel) -> None:
        channel.on("script.realmCreated", self._on_created)
        channel.on("script.realmDestroyed", lambda event: self._by_realm.pop(event["realm"], None))

    def _on_created(self, event: dict[str, Any]) -> None:
        if event["type"] == "dedicated-worker":
            self._by_realm[event["realm"]] = event["origin"]
            if len(self._by_realm) > MAX_WORKERS:
                del self._by_realm[next(iter(self._by_realm))]

    def __contains__(self, url: str) -> bool:
        return bool(url) and url in self._by_realm.values()

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._by_realm.values()))
