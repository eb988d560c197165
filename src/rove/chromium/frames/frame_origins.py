"""The origin of each frame of a page, as its CDP sessions report it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rove.chromium.protocol.connection import CdpSession
from rove.page.frames import frame_origins
from rove.page.frames.frame_origins import bound, web_origin


class FrameOrigins(frame_origins.FrameOrigins):
    """Follows the documents and execution contexts of all frames."""

    def __init__(
        self, main_frame: str, page_url: Callable[[], str], may_read: Callable[[str], bool] = lambda origin: True
    ) -> None:
        super().__init__(main_frame, page_url, may_read)
        # The frame of each execution context, by its CDP session.
        self._frames: dict[tuple[CdpSession, int], str] = {}

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.frameNavigated", lambda event: self._on_navigated(event["frame"]))
        cdp.on("Runtime.executionContextCreated", lambda event: self._on_context(cdp, event["context"]))

    def of_context(self, cdp: CdpSession, event: dict[str, Any]) -> str:
        """Return the origin of the frame in whose execution context an event happened."""
        frame = self._frames.get((cdp, event.get("executionContextId", 0)))
        return self.of(frame) if frame else self.of_any

    def of_entry(self, entry: dict[str, Any], sender: str | None) -> str:
        """Return the origin that an entry of the browser's log is about. `sender`: that of the request it names."""
        if "networkRequestId" in entry:
            return sender or self.of_any
        named = web_origin(entry.get("url", ""))
        return named if named in self.all else self.of_any

    def start_document(self) -> None:
        super().start_document()
        self._frames.clear()

    def _on_navigated(self, frame: dict[str, Any]) -> None:
        known = [frame["url"], frame["securityOrigin"]]
        unreachable = frame.get("unreachableUrl", "")
        if web_origin(unreachable):
            known.insert(0, unreachable)
        self.note_document(frame["id"], frame.get("parentId"), *known)

    def _on_context(self, cdp: CdpSession, context: dict[str, Any]) -> None:
        facts = context.get("auxData", {})
        frame = facts.get("frameId", "")
        if not frame:
            return
        self._frames[cdp, context["id"]] = frame
        bound(self._frames)
        if facts.get("isDefault"):
            self.note_realm(frame, context["origin"])
