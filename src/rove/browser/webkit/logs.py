"""What the page's scripts log and request, as far as rove's script in the page sees it."""

from __future__ import annotations

import time
from typing import Any

from rove.browser.page_data import ConsoleSource
from rove.browser.page_state import PageEvents
from rove.browser.shared.frames import FrameOrigins
from rove.browser.shared.logs import ConsoleLog, LoggedRequest, NetworkLog

_KINDS = {"warn": "warning"}


class PageConsole(ConsoleLog):
    """The messages of the page since rove's script is in it; frames and workers are not heard."""

    def __init__(self, events: PageEvents, origins: FrameOrigins) -> None:
        super().__init__(events)
        self._page_events = events
        self._origins = origins

    def note(self, kind: str, text: str, place: str, at: float, arguments: list[Any]) -> None:
        """Add a message; an error is reported as an event too."""
        source = ConsoleSource("page", self._origins.page)
        self.add(_KINDS.get(kind, kind), text, place, source, at, arguments)
        if kind in ("error", "exception"):
            self._page_events.add("page error" if kind == "exception" else "console error", source.quote(text))


class ScriptRequest(LoggedRequest):
    """A request that a script of the page has sent: its address, its status and how long it took; no more is known."""

    async def request_body(self) -> bytes | None:
        return None

    async def response_body(self) -> bytes | None:
        return None


class PageRequests(NetworkLog[ScriptRequest]):
    """The requests of the page's scripts since rove's script is in the page."""

    def __init__(self, origins: FrameOrigins) -> None:
        super().__init__()
        self._origins = origins

    def begin(self, identity: int, method: str, url: str) -> None:
        """Add a request."""
        origin, at, began = self._origins.page, time.time(), time.monotonic()
        number = self._next_number()
        self._add(ScriptRequest(number, str(identity), "page", origin, method, url, "fetch", at, began, {}))

    def end(self, identity: int, status: int) -> None:
        """Note the answer; a status of 0 is none."""
        if request := self._pending.pop(str(identity), None):
            request.seconds = time.monotonic() - request.began
            request.status = status or None
            request.failure = None if status else "no answer that the page may read"

    def start_document(self) -> None:
        """Forget which requests of the last document are under way."""
        self._pending.clear()
