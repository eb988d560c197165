"""The origin of each frame of a page, known without asking the frame, which may be busy or gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rove.chromium.protocol.connection import CdpSession
from rove.outcome import NOWHERE, origin_in

# More frames than that were attached by a page that does so on purpose: the oldest are forgotten.
MAX_FRAMES = 2000


class FrameOrigins:
    """Follows the documents of all frames. `page_url` returns the address of the page itself."""

    def __init__(self, main_frame: str, page_url: Callable[[], str]) -> None:
        self._main_frame = main_frame
        self._page_url = page_url
        self._origins: dict[str, str] = {}
        # The frame of each execution context, by its CDP session.
        self._frames: dict[tuple[CdpSession, int], str] = {}

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.frameNavigated", lambda event: self._on_navigated(event["frame"]))
        cdp.on("Runtime.executionContextCreated", lambda event: self._on_context(cdp, event["context"]))

    @property
    def page(self) -> str:
        """The origin of the page that the tab shows."""
        return origin_in(self._page_url())

    def of(self, frame: str | None) -> str:
        """Return the origin of a frame; NOWHERE if the frame is not known."""
        return self.page if frame == self._main_frame else self._origins.get(frame or "", NOWHERE)

    def of_document(self, url: str, frame: str | None = None) -> str:
        """Return the origin of a document by its address, or by its frame if the address does not tell."""
        inner = url.removeprefix("blob:")
        return origin_in(inner) if inner.startswith(("http://", "https://")) else self.of(frame)

    def of_context(self, cdp: CdpSession, event: dict[str, Any]) -> str:
        """Return the origin of the frame in whose execution context an event happened."""
        frame = self._frames.get((cdp, event.get("executionContextId", 0)))
        return self.of(frame) if frame else self.of_any

    @property
    def of_any(self) -> str:
        """The origin of all frames, if they have one in common; else NOWHERE."""
        return self.page if {*self._origins.values()} <= {self.page} else NOWHERE

    def start_document(self) -> None:
        """Forget the frames of the document that was replaced."""
        self._origins.clear()
        self._frames.clear()

    def _on_navigated(self, frame: dict[str, Any]) -> None:
        # What a sandboxed frame says is the words of the server at its address, though its origin is opaque.
        is_of_server = frame["url"].startswith(("http://", "https://"))
        self._note(frame["id"], frame["url"] if is_of_server else frame["securityOrigin"])

    def _on_context(self, cdp: CdpSession, context: dict[str, Any]) -> None:
        frame = context.get("auxData", {}).get("frameId", "")
        if frame:
            self._frames[cdp, context["id"]] = frame
            _bound(self._frames)
        if frame and frame not in self._origins:
            self._note(frame, context["origin"])

    def _note(self, frame: str, origin: str) -> None:
        if frame == self._main_frame:
            return
        self._origins.pop(frame, None)
        # An opaque origin, as that of a sandboxed frame, is written as `null` or `://`.
        self._origins[frame] = origin_in(origin) if origin.startswith(("http://", "https://", "file://")) else "null"
        _bound(self._origins)


def _bound(known: dict[Any, str]) -> None:
    if len(known) > MAX_FRAMES:
        del known[next(iter(known))]
