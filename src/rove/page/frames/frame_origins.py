"""The origin of each frame of a page, known without asking the frame, which may be busy or gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
        # The address that was asked about last, and its origin if it is one of the web.
        self._last_url = self._last_origin = ""
        # The origin of the main document, for one whose address does not tell it.
        self._page_origin = ""
        self._origins: dict[str, str] = {}
        # All origins that frames of this document have had: what one shows may be written by the one before it.
        self._past: dict[str, str] = {}

    @property
    def page(self) -> str:
        """The origin of the page that the tab shows.

        `about:blank` and `blob:` have that of the document which made them, and an error page that of the address
        which could not be loaded.
        """
        url = self._page_url()
        if url is not self._last_url:
            self._last_url, self._last_origin = url, origin_in(url) if url.startswith(WEB) else ""
        return self._last_origin or self._page_origin or origin_in(url)

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

    def note_document(self, frame: str, parent: str | None, url: str, *other_addresses: str) -> None:
        """Note that a frame shows another document. `other_addresses`: where its words are from if `url` says nothing.

        What a sandboxed frame says is the words of the server at its address, though its origin is opaque.
        """
        origin = next(filter(None, map(web_origin, (url, *other_addresses))), "")
        if not origin and url.startswith("about:"):
            # The page around it has written it, or the document that was there before.
            origin = self._page_origin if frame == self._main_frame else self.of(parent)
        self._note(frame, origin)

    def note_realm(self, frame: str, realm_origin: str) -> None:
        """Note the origin that the browser gives for the scripts of a frame's document."""
        origin = web_origin(realm_origin)
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
        bound(self._origins)
        bound(self._past)


def web_origin(url: str) -> str:
    """Return the origin of an address of the web, or of what a document of the web made; empty if it has none."""
    inner = url.removeprefix("blob:")
    return origin_in(inner) if inner.startswith(WEB) else ""


def bound(known: dict[Any, str]) -> None:
    """Forget the oldest entry of too many."""
    if len(known) > MAX_FRAMES:
        del known[next(iter(known))]
