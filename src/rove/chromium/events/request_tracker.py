"""The pending requests of a tab, as its CDP sessions report them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rove.browser.page_events import PageEvents
from rove.chromium.frames.frame_origins import FrameOrigins
from rove.chromium.protocol.connection import CdpSession
from rove.page.events import request_tracker

_ENDS = frozenset({"Network.loadingFinished", "Network.loadingFailed"})


class RequestTracker(request_tracker.RequestTracker):
    """Pending requests of a page and its frames."""

    def __init__(
        self,
        main_frame: str,
        page_events: PageEvents,
        max_bytes: int,
        stop: Callable[[], None],
        origins: FrameOrigins,
    ) -> None:
        super().__init__(page_events, max_bytes, stop)
        self._origins = origins
        self._main_frame = main_frame

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Network.requestWillBeSent", self._on_request)
        cdp.on("Network.responseReceived", self._on_response)
        cdp.on("Network.dataReceived", lambda event: self.receive(event["requestId"], event["dataLength"]))
        cdp.on("Network.loadingFinished", lambda event: self.end(event["requestId"]))
        cdp.on("Network.loadingFailed", self._on_failure)
        cdp.on("dropped", self._on_dropped)

    def _on_request(self, event: dict[str, Any]) -> None:
        identity, request = event["requestId"], event["request"]
        if event.get("frameId") == self._main_frame and identity == event.get("loaderId"):
            self.begin_document(identity, request["url"], "redirectResponse" in event)
        origin = self._origins.of_document(event.get("documentURL", ""), event.get("frameId"))
        # A worker's script is requested without a loader id; the worker's own CDP session reports its response.
        is_own = bool(event.get("loaderId")) and not request["url"].startswith("blob:")
        resource = str(event.get("type", "")).lower() if is_own else ""
        self.begin(identity, request["method"], request["url"], origin, resource)

    def _on_response(self, event: dict[str, Any]) -> None:
        response = event["response"]
        self.respond(event["requestId"], response["status"], response["headers"])

    def _on_failure(self, event: dict[str, Any]) -> None:
        self.fail(event["requestId"], event["errorText"], bool(event.get("canceled")))

    def _on_dropped(self, event: dict[str, Any]) -> None:
        """Count a request that is not followed, or that one of them is over."""
        if event["method"] == "Network.requestWillBeSent":
            self.unfollowed += 1
        elif event["method"] in _ENDS and self.unfollowed > 0:
            self.unfollowed -= 1
        elif event["method"] not in _ENDS:
            return
        self.unfollowed_at = time.monotonic()
