"""What happens on a tab without being asked for, kept until someone asks what happened."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

from rove.chromium.wire import Wire

KEPT = 200
LONGEST = 500
# Told one by one; a page that repeats its errors must not fill the answer with them.
ERRORS_TOLD = 10
_ERRORS = frozenset({"console error", "page error"})


@dataclass(frozen=True)
class Happening:
    """One thing that happened, in the page's words."""

    kind: str
    text: str
    # What to do about it, in our own words.
    advice: str = ""
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
        """What came since the last call; of errors the first few, as browser_console has them all."""
        new = min(self._total - self._seen, len(self._kept))
        self._seen = self._total
        return _without_flood(list(self._kept)[len(self._kept) - new :]) if new else []

    def listen(self, wire: Wire) -> None:
        wire.on("Inspector.targetCrashed", lambda _: self.add("crash", "The page crashed."))


def _without_flood(happenings: list[Happening]) -> list[Happening]:
    errors = [happening for happening in happenings if happening.kind in _ERRORS]
    if len(errors) <= ERRORS_TOLD:
        return happenings
    left_out = {id(error) for error in errors[ERRORS_TOLD:]}
    more = Happening("console error", f"{len(left_out)} more", "All errors are in browser_console.")
    return [*(happening for happening in happenings if id(happening) not in left_out), more]
