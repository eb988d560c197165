"""The origin of each frame of a page, known without asking the frame, which may be busy or gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rove.chromium.protocol.connection import CdpSession
from rove.outcome import NOWHERE, origin_in

WEB = ("http://", "https://")
# More frames than that were attached by a page that does so on purpose: the oldest are forgotten.
MAX_FRAMES = 2000


class FrameOrigins:
    """Follows the documents of all frames.

    `page_url` returns the address of the page itself; `may_read`, whether the agent may read an origin.
    """

    def __init__(
        self, main_frame: str, page_url: Callable[[], str], may_read: Callable[[str], bool] = lambda origin: True
    ) -> None:
        self._main_frame = main_frame
        self._may_read = may_read
        self._page_url = page_url
        # The origin of the main document, for one whose address does not tell it.
        self._page_origin = ""
        self._origins: dict[str, str] = {}
        # All origins that frames of this document have had: what one shows may be written by the one before it.
        self._past: dict[str, str] = {}
        # The frame of each execution context, by its CDP session.
        self._frames: dict[tuple[CdpSession, int], str] = {}

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Page.frameNavigated", lambda event: self._on_navigated(event["frame"]))
        cdp.on("Runtime.executionContextCreated", lambda event: self._on_context(cdp, event["context"]))

    @property
    def page(self) -> str:
        """The origin of the page that the tab shows.

        `about:blank` and `blob:` have that of the document which made them, and an error page that of the address
        which could not be loaded.
        """
        url = self._page_url()
        return origin_in(url) if url.startswith(WEB) else self._page_origin or origin_in(url)

    @property
    def all(self) -> frozenset[str]:
        """The origins that the page and its frames have, or have had since the page was loaded."""
        return frozenset({self.page, *self._past})

    def inherit(self, origin: str) -> None:
        """Note the origin of the opener, which is that of an empty window until it loads a document."""
        self._page_origin = self._page_origin or web_origin(origin)

    def of(self, frame: str | None) -> str:
        """Return the origin of a frame, or of any if the frame is not known."""
        return self.page if frame == self._main_frame else self._origins.get(frame or "") or self.of_any

    def of_document(self, url: str, frame: str | None = None) -> str:
        """Return the origin of a document by its address, or by its frame if the address does not tell."""
        return web_origin(url) or self.of(frame)

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

    @property
    def of_any(self) -> str:
        """The origin of words that any frame may have written.

        It is one that may not be read, if there is one, or the one that all frames have in common; else NOWHERE.
        """
        unread = sorted(origin for origin in self.all if not self._may_read(origin))
        return unread[0] if unread else self.page if self.all == frozenset((self.page,)) else NOWHERE

    def start_document(self) -> None:
        """Forget the frames of the document that was replaced."""
        self._origins.clear()
        self._past.clear()
        self._frames.clear()

    def _on_navigated(self, frame: dict[str, Any]) -> None:
        # What a sandboxed frame says is the words of the server at its address, though its origin is opaque.
        known = (frame.get("unreachableUrl", ""), frame["url"], frame["securityOrigin"])
        origin = next(filter(None, map(web_origin, known)), "")
        if not origin and frame["url"].startswith("about:"):
            # The page around it has written it, or the document that was there before.
            origin = self._page_origin if frame["id"] == self._main_frame else self.of(frame.get("parentId"))
        self._note(frame["id"], origin)

    def _on_context(self, cdp: CdpSession, context: dict[str, Any]) -> None:
        facts, origin = context.get("auxData", {}), web_origin(context["origin"])
        frame = facts.get("frameId", "")
        if not frame:
            return
        self._frames[cdp, context["id"]] = frame
        _bound(self._frames)
        if not facts.get("isDefault"):
            return
        if frame == self._main_frame and (origin or self._page_url().startswith("about:")):
            self._page_origin = origin
        elif frame != self._main_frame and (origin or frame not in self._origins):
            self._note(frame, origin)

    def _note(self, frame: str, origin: str) -> None:
        if frame == self._main_frame:
            self._page_origin = origin
            return
        self._origins.pop(frame, None)
        # An opaque origin, as that of a sandboxed frame, is written as `null`.
        self._origins[frame] = origin or "null"
        self._past[self._origins[frame]] = ""
        _bound(self._origins)
        _bound(self._past)


def web_origin(url: str) -> str:
    """Return the origin of an address of the web, or of what a document of the web made; empty if it has none."""
    inner = url.removeprefix("blob:")
    return origin_in(inner) if inner.startswith(WEB) else ""


def _bound(known: dict[Any, str]) -> None:
    if len(known) > MAX_FRAMES:
        del known[next(iter(known))]
