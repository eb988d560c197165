"""What happens on a tab without being asked for, kept until someone asks what happened."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from rove.chromium.wire import Wire

KEPT = 200
LONGEST = 500


@dataclass(frozen=True)
class Happening:
    """One thing that happened, in the page's words."""

    kind: str
    text: str
    at: float = field(default_factory=time.monotonic)


class Happenings:
    """A bounded record: a page that floods it loses its oldest entries."""

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

    def listen(self, wire: Wire) -> None:
        wire.on("Runtime.consoleAPICalled", self._on_console)
        wire.on("Runtime.exceptionThrown", self._on_exception)
        wire.on("Inspector.targetCrashed", lambda _: self.add("crash", "The page crashed."))

    def _on_console(self, event: dict[str, Any]) -> None:
        if event["type"] == "error":
            words = (str(part.get("value", part.get("description", ""))) for part in event["args"])
            self.add("console error", " ".join(words))

    def _on_exception(self, event: dict[str, Any]) -> None:
        details = event["exceptionDetails"]
        text = details.get("exception", {}).get("description") or details["text"]
        self.add("page error", text.splitlines()[0])
