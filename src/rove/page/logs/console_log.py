"""The latest console messages of a tab."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rove.browser.page_data import ConsoleMessage, ConsoleSource, Level
from rove.browser.page_events import PageEvents
from rove.page.logs.console_text import truncate

MAX_MESSAGES = 500
# So many of the latest uncaught errors are kept, whatever is written after them.
MAX_KEPT_ERRORS = 100

_LEVELS: dict[str, Level] = {
    "error": "error", "assert": "error", "exception": "error", "warning": "warning", "debug": "debug",
    "verbose": "debug",
}  # fmt: skip


class ConsoleLog:
    """The latest console messages and uncaught errors.

    `dropped` counts older ones, `unrecorded` those that came too fast to be read.
    `is_uncounted`: there were more that the browser was not asked for.
    """

    def __init__(self, events: PageEvents | None = None) -> None:
        self._events = events
        self._messages: deque[ConsoleMessage] = deque()
        self.dropped = self.unrecorded = 0
        self.is_uncounted = False

    def __iter__(self) -> Iterator[ConsoleMessage]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    async def catch_up(self) -> None:
        """Wait until what was written so far is in the log."""

    def clear(self) -> int:
        """Remove all messages; return how many there were."""
        count = sum(message.count for message in self._messages)
        self._messages.clear()
        self.dropped = self.unrecorded = 0
        self.is_uncounted = False
        return count

    def add(
        self,
        kind: str,
        text: str,
        location: str,
        source: ConsoleSource,
        at: float,
        args: list[Any] | None = None,
        level: str | None = None,
    ) -> None:
        """Add a message, or count it if it is the same as the last one. `at`: milliseconds since the epoch."""
        rank, shown = _LEVELS.get(level or kind, "info"), truncate(text)
        entry = ConsoleMessage(rank, kind, shown, location, source, at / 1000, [shown] if args is None else args)
        last = self._messages[-1] if self._messages else None
        if last is not None and replace(last, at=entry.at, count=1) == entry:
            self._messages[-1] = replace(entry, count=last.count + 1)
            return
        self._messages.append(entry)
        if len(self._messages) > MAX_MESSAGES:
            del self._messages[self._least_wanted()]
            self.dropped += 1

    def _least_wanted(self) -> int:
        """Return the index of the oldest message that is no uncaught error, or of the oldest of too many errors."""
        for index, message in enumerate(self._messages):
            if message.kind != "exception":
                return index
            if index >= MAX_KEPT_ERRORS:
                break
        return 0
