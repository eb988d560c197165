"""What is remembered of closed sessions."""

from __future__ import annotations

from rove.browser.refs import RefNumbers

# The numbers of refs that older sessions have given are forgotten.
MAX_CLOSED_SESSIONS = 1000


class ClosedSessions:
    """The numbers of refs that closed sessions have given: an agent may use old refs in a new session of that name."""

    def __init__(self) -> None:
        self._ref_numbers: dict[str, RefNumbers] = {}

    def add(self, name: str, numbers: RefNumbers | None) -> None:
        """Remember a session that has just been closed."""
        if numbers is not None:
            self._ref_numbers[name] = numbers.continued("the session was closed and opened anew")
        if len(self._ref_numbers) > MAX_CLOSED_SESSIONS:
            del self._ref_numbers[next(iter(self._ref_numbers))]

    def take_ref_numbers(self, name: str) -> RefNumbers | None:
        """Return the numbers that go on in a new session of this name."""
        return self._ref_numbers.pop(name, None)
