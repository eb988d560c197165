"""The time that the running action has left."""

from __future__ import annotations

import time

# Seconds of an action's time that are reserved for a snapshot of the page once it has loaded.
LOOK_SECONDS = 1.0


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
