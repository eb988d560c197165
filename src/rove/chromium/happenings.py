"""What happens on a tab without being asked for, kept until someone asks what happened."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from rove.chromium.wire import Wire

KEPT = 200
LONGEST = 500


@dataclass
class Happening:
    """One thing that happened, in the page's words, and how often."""

    kind: str
    text: str
    at: float = field(default_factory=time.monotonic)
    times: int = 1

    def __str__(self) -> str:
        return self.text if self.times == 1 else f"{self.text} ({self.times} times)"


class Happenings:
    """A bounded record: a page that floods it loses its oldest entries, and what repeats itself is told once."""

    def __init__(self) -> None:
        self._unseen: dict[tuple[str, str], Happening] = {}

    def add(self, kind: str, text: str) -> None:
        happening = Happening(kind, text[:LONGEST])
        known = self._unseen.setdefault((happening.kind, happening.text), happening)
        if known is not happening:
            known.times += 1
        elif len(self._unseen) > KEPT:
            del self._unseen[next(iter(self._unseen))]

    def unseen(self) -> list[Happening]:
        """What came since the last call."""
        new = list(self._unseen.values())
        self._unseen.clear()
        return new

    def listen(self, wire: Wire) -> None:
        wire.on("Runtime.consoleAPICalled", self._on_console)
        wire.on("Runtime.exceptionThrown", self._on_exception)

    def _on_console(self, event: dict[str, Any]) -> None:
        if event["type"] == "error":
            words = (str(part.get("value", part.get("description", ""))) for part in event["args"])
            self.add("console error", " ".join(words))

    def _on_exception(self, event: dict[str, Any]) -> None:
        details = event["exceptionDetails"]
        text = details.get("exception", {}).get("description") or details["text"]
        self.add("page error", text.splitlines()[0])
