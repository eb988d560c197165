"""The state of a page: how far it has loaded, its requests, dialogs, downloads, frames and events."""

from __future__ import annotations

import time
from dataclasses import field
from typing import Literal

from rove.advice import Advice
from rove.page_text import Own, PageText, Text
from rove.records import dataclass

# Seconds of an action's time that are reserved for a snapshot of the page once it has loaded.
LOOK_SECONDS = 1.0
MAX_EVENTS = 200
MAX_TEXT_LENGTH = 500
# Further errors are only counted: a page that repeats its errors must not fill the report.
MAX_ERRORS_SHOWN = 10
_ERRORS = frozenset({"console error", "page error"})
DIALOG_OPEN = "dialog open"
# Kinds of events after which a page is not what the agent left: every answer tells them, also one of a fixed form.
LOSSES = frozenset({"browser restarted", "session restored", "tab reset", "page lost"})
Stage = Literal["DOMContentLoaded", "load"]


class TimeBudget:
    """The deadline of the action that runs on a tab. Between two actions, `default` seconds."""

    def __init__(self, default: float) -> None:
        self._default = default
        self._deadline: float | None = None
        self._given = default
        # Seconds that the caller allowed for the action, some of which may be over already.
        self.allowed = default

    def set(self, deadline: float | None, allowed: float | None = None) -> None:
        """Set the moment, in `time.monotonic()` seconds, by which the running action must have answered."""
        self._deadline = deadline
        self._given = self.left
        self.allowed = self._given if allowed is None else allowed

    @property
    def left(self) -> float:
        """Seconds until the running action must have answered."""
        return self._default if self._deadline is None else max(self._deadline - time.monotonic(), 0.0)

    @property
    def for_loading(self) -> float:
        """Seconds that may be spent on waiting for a page, so that time is left to look at it."""
        return max(self.left - min(LOOK_SECONDS, self._given / 3), 0.0)


@dataclass
class PageEvent:
    """One event, in the words of rove or of a page, and how often it happened."""

    kind: Own
    text: Text
    # What to do about it.
    advice: Own = Own()
    at: float = field(default_factory=time.monotonic)
    times: int = 1

    @property
    def told(self) -> Text:
        """The text, with the number of times."""
        if self.times == 1:
            return self.text
        if isinstance(self.text, PageText):
            return self.text.around(f"{self.text} ({self.times} times)")
        return Advice("{text} ({times} times)", text=self.text, times=str(self.times))


class PageEvents:
    """A bounded list of events: the oldest are dropped first, and repeated ones are counted."""

    def __init__(self) -> None:
        self._unreported: dict[tuple[str, str, str], PageEvent] = {}

    def add(self, kind: str, text: Text, advice: str = "") -> None:
        """Add an event, or count it if it is in the list already. `advice`: what to do about it."""
        event = PageEvent(Own(kind), _cut(text), advice if isinstance(advice, Own) else Own(advice))
        origin = text.origin if isinstance(text, PageText) else ""
        known = self._unreported.setdefault((event.kind, event.text, origin), event)
        if known is not event:
            known.times += 1
        elif len(self._unreported) > MAX_EVENTS:
            del self._unreported[next(iter(self._unreported))]

    def drop_advice(self, kind: str) -> None:
        """Drop what rove says of events of a kind, as the caller is told more."""
        for event in self._unreported.values():
            if event.kind == kind:
                event.advice = Own()

    def take_unreported(self) -> list[PageEvent]:
        """Return the events since the last call, with only the first few errors; the console has them all."""
        events = list(self._unreported.values())
        self._unreported.clear()
        return _limit_errors(events)

    def take_losses(self) -> list[Own]:
        """Return what rove says of the losses since the last call, and forget them."""
        losses = {key: event for key, event in self._unreported.items() if event.kind in LOSSES}
        self._unreported = {key: event for key, event in self._unreported.items() if key not in losses}
        return [event.advice for event in losses.values()]


def _cut(text: Text) -> Text:
    if isinstance(text, PageText):
        return text.around(text[:MAX_TEXT_LENGTH])
    return text if isinstance(text, Advice) else Own(text[:MAX_TEXT_LENGTH])


def _limit_errors(events: list[PageEvent]) -> list[PageEvent]:
    errors = [event for event in events if event.kind in _ERRORS]
    if len(errors) <= MAX_ERRORS_SHOWN:
        return events
    left_out = {id(error) for error in errors[MAX_ERRORS_SHOWN:]}
    count = PageEvent(Own("console error"), Own(f"{len(left_out)} more"), Own("All errors are in {console}."))
    return [*(event for event in events if id(event) not in left_out), count]
