"""The load state of a tab's main document, as the browser's lifecycle and navigation events report it."""

from __future__ import annotations

from typing import Any

from rove.browser.network.schemes import is_web
from rove.chromium.protocol.connection import CdpSession
from rove.page.events import load_state


class LoadState(load_state.LoadState):
    """Follows the main frame's document through the events of its CDP session."""

    def __init__(self, main_frame: str, url: str) -> None:
        super().__init__(url)
        self._main_frame = main_frame

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.lifecycleEvent", self._on_lifecycle)
        cdp.on("Page.frameNavigated", lambda event: self._on_navigated(event["frame"]))
        cdp.on("Page.navigatedWithinDocument", self._on_navigated_within)
        cdp.on("Page.frameScheduledNavigation", self._on_requested)
        cdp.on("Page.frameRequestedNavigation", self._on_requested)
        cdp.on("Page.frameClearedScheduledNavigation", self._on_cleared)
        cdp.on("Page.frameStartedNavigating", self._on_started)
        cdp.on("Page.frameStoppedLoading", self._on_loading_stopped)
        cdp.on("Network.loadingFinished", lambda event: self.note_body_complete(event["requestId"]))
        cdp.on("Network.loadingFailed", lambda event: self.note_body_failed(event["requestId"]))

    def set_initial_url(self, frame: dict[str, Any]) -> None:
        """Set the URL of a document that was there before `listen`, unless another was committed since."""
        self.set_initial_document(frame["url"] + frame.get("urlFragment", ""), frame["mimeType"])

    def _on_lifecycle(self, event: dict[str, Any]) -> None:
        if event["frameId"] != self._main_frame:
            return
        if event["name"] == "init":
            self.begin_document(event["loaderId"])
        else:
            self.reach(event["name"], event["loaderId"])

    def _on_navigated(self, frame: dict[str, Any]) -> None:
        if frame["id"] == self._main_frame:
            self.commit_document(frame["url"] + frame.get("urlFragment", ""), frame["loaderId"], frame["mimeType"])

    def _on_navigated_within(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_frame:
            self.commit_within(event["url"])

    def _on_requested(self, event: dict[str, Any]) -> None:
        is_main_frame = event["frameId"] == self._main_frame and event.get("disposition", "currentTab") == "currentTab"
        if is_main_frame and event.get("delay", 0) == 0 and is_web(event["url"]):
            self.note_requested()

    def _on_cleared(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_frame:
            self.note_cleared()

    def _on_started(self, event: dict[str, Any]) -> None:
        is_main_frame = event["frameId"] == self._main_frame and event.get("navigationType") != "sameDocument"
        if is_main_frame and is_web(event["url"]):
            self.note_started()

    def _on_loading_stopped(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self._main_frame:
            self.note_loading_stopped()
