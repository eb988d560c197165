"""The network log of a tab, as Firefox reports requests."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rove.browser.network.header_masking import truncate_headers
from rove.browser.network.request_data import PageLoad, Transport
from rove.firefox.events.error_names import ABORTED, BLOCKED, chromium_name
from rove.firefox.events.worker_scripts import WorkerScripts
from rove.firefox.protocol.connection import BidiError, PageChannel
from rove.firefox.protocol.request_facts import bytes_of, headers_of, initiator_of, kind_of, timing_of
from rove.page.frames.frame_origins import FrameOrigins
from rove.page.logs import network_log
from rove.page.logs.network_log import MAX_PAGES, MAX_URL_LENGTH, proxy_refusal

Event = dict[str, Any]
# Larger bodies are not fetched.
MAX_BODY_BYTES = 50_000_000


@dataclass(slots=True, kw_only=True)
class LoggedRequest(network_log.LoggedRequest):
    """One request and the response to it, as far as it has arrived."""

    channel: PageChannel = field(repr=False)

    async def request_body(self) -> bytes | None:
        """Return the request body; None if Firefox no longer has it."""
        return await self._body("request")

    async def response_body(self) -> bytes | None:
        """Return the response body; None if Firefox does not have it, or no longer."""
        return await self._body("response")

    async def _body(self, kind: str) -> bytes | None:
        params = {"dataType": kind, "request": self.identity}
        try:
            answer = await self.channel.connection.send("network.getData", params, max_bytes=MAX_BODY_BYTES)
        except BidiError:
            return None
        return bytes_of(answer["bytes"])


class NetworkLog(network_log.NetworkLog[LoggedRequest]):
    """The latest requests of a page, its frames and dedicated workers."""

    def __init__(self, origins: FrameOrigins) -> None:
        super().__init__()
        self._origins = origins
        self._pages: deque[PageLoad] = deque(maxlen=MAX_PAGES)
        # The navigation to the latest document.
        self._navigation = ""
        self._workers = WorkerScripts()

    @property
    def pages(self) -> Sequence[PageLoad]:
        return tuple(self._pages)

    def listen(self, channel: PageChannel) -> None:
        channel.on("network.beforeRequestSent", lambda event: self._on_request(event, channel))
        channel.on("network.responseStarted", self._on_response)
        channel.on("network.responseCompleted", self._on_completed)
        channel.on("network.fetchError", self._on_failure)
        channel.on("browsingContext.domContentLoaded", lambda event: self._on_stage(event, channel))
        channel.on("browsingContext.load", lambda event: self._on_stage(event, channel, is_loaded=True))
        channel.on("dropped", self._on_dropped)
        self._workers.listen(channel)

    def _on_request(self, event: Event, channel: PageChannel) -> None:
        request = event["request"]
        if request["url"].startswith("data:"):
            return  # never leaves the page
        at, headers = event["timestamp"] / 1000, headers_of(request)
        self._add(
            LoggedRequest(
                self._next_number(),
                request["request"],
                self._sender(event, channel, headers.get("Referer", "")),
                self._origins.of(event["context"]),
                request["method"],
                request["url"][:MAX_URL_LENGTH],
                kind_of(request),
                at,
                at,
                truncate_headers(headers),
                bool(request.get("bodySize")),
                initiator=initiator_of(event),
                page=self._page_of(event, channel, at),
                channel=channel,
            )
        )

    def _page_of(self, event: Event, channel: PageChannel, at: float) -> int:
        """Return the number of the document that a request belongs to: a new one if it is the request for that."""
        is_document = event.get("navigation") is not None and event["context"] == channel.context
        last = self._pages[-1].number if self._pages else 0
        if not is_document or event.get("redirectCount"):
            return last
        self._pages.append(PageLoad(last + 1, event["request"]["url"][:MAX_URL_LENGTH], at))
        self._navigation = event["navigation"]
        return last + 1

    def _on_stage(self, event: Event, channel: PageChannel, is_loaded: bool = False) -> None:
        """Note when the document was parsed, and when it was loaded with all that belongs to it."""
        if not self._pages or event["context"] != channel.context or event["navigation"] != self._navigation:
            return
        if is_loaded:
            self._pages[-1].loaded = event["timestamp"] / 1000
        else:
            self._pages[-1].parsed = event["timestamp"] / 1000

    def _sender(self, event: Event, channel: PageChannel, referrer: str) -> str:
        """Return what sent a request. Firefox names the frame also for its workers, which are known by the referrer."""
        if referrer in self._workers:
            return "worker"
        return "page" if event["context"] == channel.context else "frame"

    def _on_response(self, event: Event) -> None:
        if request := self._pending.get(event["request"]["request"]):
            self._set_response(request, event)

    def _set_response(self, request: LoggedRequest, event: Event) -> None:
        response = event["response"]
        headers = headers_of(response)
        request.status, request.mime = response["status"], response.get("mimeType", "")
        request.request_headers = truncate_headers(headers_of(event["request"]))
        request.response_headers = truncate_headers(headers)
        # Firefox has no cache on the disk here (`process/preferences.py`).
        source = "service worker" if response.get("fromServiceWorker") else "network"
        request.source = request.source or ("memory cache" if response.get("fromCache") else source)
        request.transport = Transport(response.get("protocol", ""), status_text=response.get("statusText", ""))
        request.failure = proxy_refusal(request.url, headers)

    def _on_completed(self, event: Event) -> None:
        if request := self._pending.pop(event["request"]["request"], None):
            self._set_response(request, event)
            request.size = event["response"].get("bytesReceived") or 0
            request.timing = timing_of(event["request"])
            self._end(request, event)

    def _on_failure(self, event: Event) -> None:
        if request := self._pending.pop(event["request"]["request"], None):
            error = chromium_name(event["errorText"])
            # Firefox ends a request that a rule blocks as it ends one that its page no longer wants.
            is_blocked = error == ABORTED and request.intercepted is not None and request.status is None
            request.failure = BLOCKED if is_blocked else error
            self._end(request, event)

    def _end(self, request: LoggedRequest, event: Event) -> None:
        request.seconds = max(event["timestamp"] / 1000 - request.began, 0.0)
        self._report(request)

    def _on_dropped(self, event: Event) -> None:
        self.unrecorded += event["method"] == "network.beforeRequestSent"
