"""How far a tab's document has come: committed, parsed, loaded."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Any, Literal

from rove.browser.schemes import is_web
from rove.chromium.protocol.connection import CdpSession

Stage = Literal["DOMContentLoaded", "load"]
# A page that puts this many documents in its own place, this fast, will not stop by itself.
RESTLESS_DOCUMENTS = 10
RESTLESS_SECONDS = 10.0
# One that has stayed as long as this has come to its end after all.
RESTING = 2.0


class LoadState:
    """Follows the main frame's document through the browser's own lifecycle events."""

    def __init__(self, main_frame: str, url: str) -> None:
        self._main_frame = main_frame
        self.url = url or "about:blank"
        self._reached: set[str] = {"DOMContentLoaded", "load"}
        self._loader: str | None = None
        self._is_received = False
        self._changed = asyncio.Event()
        self._recent: deque[float] = deque(maxlen=RESTLESS_DOCUMENTS)
        self._shown: deque[str] = deque(maxlen=RESTLESS_DOCUMENTS)
        # A navigation is first announced by the page and then begun by the browser, which may also refuse it.
        self._is_announced = False
        self._is_begun = False
        self.commits = 0
        self.documents = 0

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.lifecycleEvent", self._on_lifecycle)
        cdp.on("Page.frameNavigated", self._on_navigated)
        cdp.on("Page.navigatedWithinDocument", self._on_moved_within)
        cdp.on("Page.frameScheduledNavigation", self._on_announced)
        cdp.on("Page.frameRequestedNavigation", self._on_announced)
        cdp.on("Page.frameClearedScheduledNavigation", self._on_called_off)
        cdp.on("Page.frameStartedNavigating", self._on_begun)
        cdp.on("Page.frameStoppedLoading", self._on_stopped)
        cdp.on("Network.loadingFinished", self._on_received)
        cdp.on("Network.loadingFailed", self._on_failure)

    def has(self, stage: Stage) -> bool:
        return stage in self._reached and not self.is_starting

    @property
    def is_starting(self) -> bool:
        return self._is_announced or self._is_begun

    @property
    def is_restless(self) -> bool:
        """Whether the page keeps navigating by itself."""
        now = time.monotonic()
        enough = len(self._recent) == RESTLESS_DOCUMENTS and now - self._recent[0] < RESTLESS_SECONDS
        return enough and now - self._recent[-1] < RESTING

    def calm(self) -> None:
        """What comes from here on was asked for."""
        self._recent.clear()

    def find(self, frame: dict[str, Any]) -> None:
        """Where a document is that was there before we listened, unless another has come since."""
        if self.commits == 0:
            self.url = frame["url"] + frame.get("urlFragment", "")

    def stop(self) -> None:
        """Loading is being broken off: nothing more will be received."""
        self._is_received = True

    async def reaches(self, stage: Stage) -> None:
        """Wait until a document is that far, or until the page shows that none of them ever will be."""
        while not self.has(stage) and not self.is_restless:
            await self._change()

    async def starts(self) -> None:
        """Wait until another document is on its way."""
        while not self.is_starting:
            await self._change()

    async def rests(self) -> None:
        """Wait until no other document is on its way."""
        while self.is_starting:
            await self._change()

    async def commits_after(self, seen: int) -> None:
        """Wait until another document, or another place in this one, has been committed."""
        while self.commits <= seen:
            await self._change()

    async def shows(self, loader: str) -> None:
        """Wait until a given document has been committed."""
        while loader not in self._shown:
            await self._change()

    async def documents_after(self, seen: int) -> None:
        """Wait until another document has been committed."""
        while self.documents <= seen:
            await self._change()

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _on_lifecycle(self, event: dict[str, Any]) -> None:
        if event["frameId"] != self._main_frame:
            return
        if event["name"] == "init":
            self._loader, self._reached, self._is_received = event["loaderId"], set(), False
        elif event["loaderId"] == self._loader:
            self._reached.add(event["name"])
        self._changed.set()

    def _on_navigated(self, event: dict[str, Any]) -> None:
        if event["frame"]["id"] == self._main_frame:
            self.documents += 1
            self._recent.append(time.monotonic())
            self._shown.append(event["frame"]["loaderId"])
            self.url = event["frame"]["url"] + event["frame"].get("urlFragment", "")
            self._arrive()

    def _on_moved_within(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_frame:
            self.url = event["url"]
            self._arrive()

    def _on_announced(self, event: dict[str, Any]) -> None:
        is_here = event["frameId"] == self._main_frame and event.get("disposition", "currentTab") == "currentTab"
        if is_here and event.get("delay", 0) == 0 and is_web(event["url"]):
            self._is_announced = True
            self._changed.set()

    def _on_called_off(self, event: dict[str, Any]) -> None:
        """The page has called its navigation off, or handed it to the browser."""
        if event["frameId"] == self._main_frame:
            self._is_announced = False
            self._changed.set()

    def _on_begun(self, event: dict[str, Any]) -> None:
        is_here = event["frameId"] == self._main_frame and event.get("navigationType") != "sameDocument"
        if is_here and is_web(event["url"]):
            self._is_begun = True
            self._changed.set()

    def _on_stopped(self, event: dict[str, Any]) -> None:
        if event["frameId"] != self._main_frame:
            return
        if self._is_begun:
            # A navigation that became a download, or was refused, commits nothing.
            self._is_announced = self._is_begun = False
        elif self._is_received:
            # A page that tries to leave while it loads is never said to be loaded, even if it had to stay.
            self._end()
        self._changed.set()

    def _on_received(self, event: dict[str, Any]) -> None:
        if event["requestId"] == self._loader:
            self._is_received = True

    def _on_failure(self, event: dict[str, Any]) -> None:
        if event["requestId"] == self._loader:
            self._end()
            self._changed.set()

    def _end(self) -> None:
        """The document is as far as it will ever be."""
        self._reached |= {"DOMContentLoaded", "load"}

    def _arrive(self) -> None:
        self.commits += 1
        self._is_announced = self._is_begun = False
        self._changed.set()
