"""How far a tab's document has come: committed, parsed, loaded."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from rove.chromium.wire import Wire

Stage = Literal["DOMContentLoaded", "load"]


class Loading:
    """Follows the main frame's document through the browser's own lifecycle events."""

    def __init__(self, main_frame: str, url: str) -> None:
        self._main_frame = main_frame
        self.url = url or "about:blank"
        self._reached: set[str] = {"DOMContentLoaded", "load"}
        self._loader: str | None = None
        self._changed = asyncio.Event()
        self.commits = 0
        self.documents = 0
        self.is_starting = False

    def listen(self, session: Wire) -> None:
        session.on("Page.lifecycleEvent", self._on_lifecycle)
        session.on("Page.frameNavigated", self._on_navigated)
        session.on("Page.navigatedWithinDocument", self._on_moved_within)
        session.on("Page.frameRequestedNavigation", self._on_requested)
        session.on("Page.frameStartedNavigating", self._on_starting)
        session.on("Page.frameClearedScheduledNavigation", self._on_stopped)
        session.on("Page.frameStoppedLoading", self._on_stopped)

    def has(self, stage: Stage) -> bool:
        return stage in self._reached and not self.is_starting

    async def reaches(self, stage: Stage) -> None:
        while not self.has(stage):
            await self._change()

    async def commits_after(self, seen: int) -> None:
        """Wait until another document, or another place in this one, has been committed."""
        while self.commits <= seen:
            await self._change()

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _on_lifecycle(self, event: dict[str, Any]) -> None:
        if event["frameId"] != self._main_frame:
            return
        if event["name"] == "init":
            self._loader, self._reached = event["loaderId"], set()
        elif event["loaderId"] == self._loader:
            self._reached.add(event["name"])
        self._changed.set()

    def _on_navigated(self, event: dict[str, Any]) -> None:
        if event["frame"]["id"] == self._main_frame:
            self.documents += 1
            self.url = event["frame"]["url"] + event["frame"].get("urlFragment", "")
            self._arrive()

    def _on_moved_within(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_frame:
            self.url = event["url"]
            self._arrive()

    def _on_requested(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_frame and event.get("disposition") == "currentTab":
            self.is_starting = True

    def _on_starting(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_frame and event.get("navigationType") != "sameDocument":
            self.is_starting = True

    def _on_stopped(self, event: dict[str, Any]) -> None:
        # A navigation that became a download, or was refused, commits nothing.
        if event["frameId"] == self._main_frame:
            self.is_starting = False
            self._changed.set()

    def _arrive(self) -> None:
        self.commits += 1
        self.is_starting = False
        self._changed.set()
