"""The documents that a tab has loaded, and when each was parsed and loaded."""

from __future__ import annotations

from collections import deque
from typing import Any

from rove.browser.network.request_data import PageLoad
from rove.page.logs.network_log import MAX_PAGES

Event = dict[str, Any]


class PageLoads:
    """The latest documents of the main frame of a tab."""

    def __init__(self, main_frame: str) -> None:
        self._main_frame = main_frame
        self._pages: deque[PageLoad] = deque(maxlen=MAX_PAGES)
        self._last_number = 0
        # The loader of the latest document, and when its request was made, as CDP counts seconds.
        self._loader = ""
        self._began = 0.0

    @property
    def listed(self) -> tuple[PageLoad, ...]:
        return tuple(self._pages)

    def note_request(self, event: Event, max_url: int) -> int:
        """Return the number of the document that a request belongs to: a new one if it is the request for that."""
        is_document = event.get("frameId") == self._main_frame and event["requestId"] == event.get("loaderId")
        if is_document and "redirectResponse" not in event:
            self._last_number += 1
            self._loader, self._began = event["loaderId"], event["timestamp"]
            self._pages.append(PageLoad(self._last_number, event["request"]["url"][:max_url], event["wallTime"]))
        return self._last_number

    def on_lifecycle(self, event: Event) -> None:
        """Note when the document was parsed, and when it was loaded with all that belongs to it."""
        if not self._pages or event.get("loaderId") != self._loader or event["frameId"] != self._main_frame:
            return
        page = self._pages[-1]
        moment = page.at + event["timestamp"] - self._began
        if event["name"] == "DOMContentLoaded":
            page.parsed = moment
        elif event["name"] == "load":
            page.loaded = moment
