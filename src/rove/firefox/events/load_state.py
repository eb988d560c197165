"""The load state of a tab's main document, as Firefox reports navigations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from rove.browser.network.schemes import is_web
from rove.firefox.protocol.connection import PageChannel
from rove.page.events import load_state

Ending = Literal["committed", "failed", "download"]
# The addresses of the pages that Firefox shows for what it cannot load; they name the address in `u`.
ERROR_PAGES = ("about:neterror", "about:certerror", "about:blocked", "about:httpsonlyerror")
# Endings of navigations that are remembered.
MAX_ENDINGS = 50


class LoadState(load_state.LoadState):
    """Follows the main frame's document through the events of its page."""

    def __init__(self, channel: PageChannel, url: str) -> None:
        super().__init__(url)
        self._channel = channel
        # How navigations have ended, by their ids.
        self._endings: dict[str, Ending] = {}
        self._types: dict[str, str] = {}
        # Called when a document has loaded, to tell when its requests are over.
        self.on_loaded: Callable[[str], object] = lambda navigation: None

    def listen(self) -> None:
        on = self._channel.on
        on("browsingContext.navigationStarted", self._own(self._on_started))
        on("browsingContext.navigationCommitted", self._own(self._on_committed))
        on("browsingContext.navigationFailed", self._own(lambda event: self._end(event["navigation"], "failed")))
        on("browsingContext.navigationAborted", self._own(lambda event: self._end(event["navigation"], "failed")))
        on("browsingContext.downloadWillBegin", self._own(lambda event: self._end(event["navigation"], "download")))
        on("browsingContext.fragmentNavigated", self._own(lambda event: self._on_within(event)))
        on("browsingContext.historyUpdated", self._own(lambda event: self.commit_within(event["url"])))
        on("browsingContext.domContentLoaded", self._own(lambda event: self._on_stage("DOMContentLoaded", event)))
        on("browsingContext.load", self._own(lambda event: self._on_stage("load", event)))
        on("network.beforeRequestSent", self._own(self._on_request))
        on("network.responseStarted", self._own(self._on_response))
        on("network.fetchError", self._own(self._on_error))

    @property
    def loader(self) -> str | None:
        """The navigation that led to the document that is shown."""
        return self._loader

    def _own(self, handler: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], object]:
        """Return a handler for the events of the main frame alone."""
        return lambda event: handler(event) if event["context"] == self._channel.context else None

    def _on_started(self, event: dict[str, Any]) -> None:
        if is_web(event["url"]):
            self.note_started()

    def _on_committed(self, event: dict[str, Any]) -> None:
        navigation = event["navigation"] or ""
        mime_type = self._types.pop(navigation, "")
        self._types.clear()
        self.begin_document(navigation)
        self._endings[navigation] = "committed"
        self.commit_document(shown_url(event["url"]), navigation, mime_type)
        self._forget_old()

    def _on_within(self, event: dict[str, Any]) -> None:
        self._endings[event["navigation"] or ""] = "committed"
        self.commit_within(event["url"])

    def _on_stage(self, stage: str, event: dict[str, Any]) -> None:
        navigation = event["navigation"] or ""
        self.reach(stage, navigation)
        if event["url"].startswith(ERROR_PAGES):
            self.note_body_failed(navigation)  # Firefox reports no `load` for its own page about an error
        elif stage == "load":
            self.on_loaded(navigation)

    def _on_request(self, event: dict[str, Any]) -> None:
        """Note a navigation that is tried again: Firefox reports no other start of one that was stopped."""
        navigation = event.get("navigation")
        if navigation and self._endings.get(navigation) == "failed":
            del self._endings[navigation]
            self.note_started()

    def _on_response(self, event: dict[str, Any]) -> None:
        if event.get("navigation"):
            self._types[event["navigation"]] = event["response"].get("mimeType", "").partition(";")[0].strip().lower()

    def _on_error(self, event: dict[str, Any]) -> None:
        if event.get("navigation"):
            self.note_body_failed(event["navigation"])
            self._end(event["navigation"], "failed")  # of one without content, Firefox reports no end of its own

    def _end(self, navigation: str | None, how: Ending) -> None:
        self._endings[navigation or ""] = how
        self._forget_old()
        self.note_loading_stopped()

    def _forget_old(self) -> None:
        while len(self._endings) > MAX_ENDINGS:
            del self._endings[next(iter(self._endings))]

    async def wait_until_navigating_or_committed(self) -> None:
        """Wait until the first document after the empty one is requested."""
        while not self.is_navigating and not self.commits:
            await self._next_event()

    async def wait_for_ending(self, navigation: str) -> Ending:
        """Wait until a navigation has led to a document or to a download, or has failed."""
        while (how := self._endings.get(navigation)) is None:
            await self._next_event()
        return how


def shown_url(url: str) -> str:
    """Return the address that a person sees: for Firefox's page about an error, that of what could not be loaded."""
    if not url.startswith(ERROR_PAGES):
        return url
    named = parse_qs(urlsplit(url).query).get("u", [""])[0]
    return named or url.partition("?")[0]
