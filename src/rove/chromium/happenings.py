"""What happens on a tab without being asked for, kept until someone asks what happened."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import playwright.async_api as pw

KEPT = 200
LONGEST = 500


@dataclass(frozen=True)
class Happening:
    """One thing that happened, in the page's words."""

    kind: str
    text: str
    at: float = field(default_factory=time.monotonic)


class Happenings:
    """A bounded record: a page that floods it loses its oldest entries, and the loss is counted."""

    def __init__(self) -> None:
        self._kept: deque[Happening] = deque(maxlen=KEPT)
        self._total = 0
        self._seen = 0

    def add(self, kind: str, text: str) -> None:
        self._kept.append(Happening(kind, text[:LONGEST]))
        self._total += 1

    def unseen(self) -> list[Happening]:
        """What came since the last call."""
        new = min(self._total - self._seen, len(self._kept))
        self._seen = self._total
        return list(self._kept)[len(self._kept) - new :] if new else []

    def listen(self, page: pw.Page) -> None:
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.add("page error", str(error)))
        page.on("requestfailed", self._on_request_failed)
        page.on("crash", lambda _: self.add("crash", "The page crashed."))

    def _on_console(self, message: pw.ConsoleMessage) -> None:
        if message.type == "error":
            self.add("console error", message.text)

    def _on_request_failed(self, request: pw.Request) -> None:
        # A page that moves on aborts what it no longer needs: that is not news.
        if request.failure != "net::ERR_ABORTED":
            self.add("request failed", f"{request.method} {request.url} ({request.failure})")
