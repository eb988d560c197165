"""The pending requests of a tab, as Firefox reports them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rove.browser.page_events import PageEvents
from rove.firefox.events.error_names import ABORTED, chromium_name
from rove.firefox.protocol.connection import PageChannel
from rove.firefox.protocol.request_facts import headers_of, kind_of
from rove.page.events import request_tracker
from rove.page.frames.frame_origins import FrameOrigins

_ENDS = frozenset({"network.responseCompleted", "network.fetchError"})


class RequestTracker(request_tracker.RequestTracker):
    """Pending requests of a page and its frames. The id of the request for a document is that of its navigation."""

    def __init__(
        self,
        channel: PageChannel,
        page_events: PageEvents,
        max_bytes: int,
        stop: Callable[[], None],
        origins: FrameOrigins,
    ) -> None:
        super().__init__(page_events, max_bytes, stop)
        self._channel = channel
        self._origins = origins

    def listen(self) -> None:
        self._channel.on("network.beforeRequestSent", self._on_request)
        self._channel.on("network.responseStarted", self._on_response)
        self._channel.on("network.responseCompleted", self._on_completed)
        self._channel.on("network.fetchError", self._on_failure)
        self._channel.on("dropped", self._on_dropped)

    def _identity(self, event: dict[str, Any]) -> str:
        is_document = event["context"] == self._channel.context and event.get("navigation")
        return str(event["navigation"] if is_document else event["request"]["request"])

    def _on_request(self, event: dict[str, Any]) -> None:
        identity, request = self._identity(event), event["request"]
        if identity == event.get("navigation"):
            self.begin_document(identity, request["url"], event["redirectCount"] > 0)
        is_local = request["url"].startswith(("blob:", "data:"))
        resource = "" if is_local else kind_of(request)
        self.begin(identity, request["method"], request["url"], self._origins.of(event["context"]), resource)

    def _on_response(self, event: dict[str, Any]) -> None:
        response = event["response"]
        self.respond(self._identity(event), response["status"], headers_of(response))

    def _on_completed(self, event: dict[str, Any]) -> None:
        identity, response = self._identity(event), event["response"]
        if 300 <= response["status"] < 400 and identity == event.get("navigation"):
            return  # a redirect, whose next request has the same id
        # Firefox tells the size of a document only at its end.
        self.receive(identity, response.get("content", {}).get("size") or response.get("bytesReceived") or 0)
        self.end(identity)

    def _on_failure(self, event: dict[str, Any]) -> None:
        error = chromium_name(event["errorText"])
        self.fail(self._identity(event), error, error == ABORTED)

    def _on_dropped(self, event: dict[str, Any]) -> None:
        """Count a request that is not followed, or that one of them is over."""
        if event["method"] == "network.beforeRequestSent":
            self.unfollowed += 1
        elif event["method"] in _ENDS and self.unfollowed > 0:
            self.unfollowed -= 1
        elif event["method"] not in _ENDS:
            return
        self.unfollowed_at = time.monotonic()
