"""What rove's script reports while an act runs: the result of a mouse press, and the answer of an act that is done.

`acting/presses.js` and `acting/element_calls.js` report them.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable
from typing import Any, NamedTuple

from rove.browser.page_state import Dialogs
from rove.tasks import Interrupted, Interruption, Signal

PRESS_PREFIX = "pressed "
DONE_PREFIX = "done "


class PressResult(NamedTuple):
    """A press that the page received; `missed` says what it hit instead of the intended element, if it did."""

    missed: str | None


class PressTracker:
    """The result of the latest press in one tab."""

    def __init__(self) -> None:
        self._result: PressResult | None = None

    def reset(self) -> None:
        """Forget the last result, before another press."""
        self._result = None

    @property
    def result(self) -> PressResult | None:
        """The result of the latest press; None if none was reported, which does not mean that nothing was pressed."""
        return self._result

    def on_report(self, report: str) -> None:
        if report.startswith(PRESS_PREFIX):
            self._result = PressResult(json.loads(report.removeprefix(PRESS_PREFIX)))


class DoneReports:
    """The answers of acts that were done when a listener of the page opened a dialog, which blocks the page."""

    def __init__(self, dialogs: Dialogs) -> None:
        self._dialogs = dialogs
        self._answer: dict[str, Any] = {}
        self._has_come = Signal()

    async def answer_of(self, act: Awaitable[dict[str, Any]]) -> dict[str, Any]:
        """Return the answer of an act; if a dialog holds it back, the one that was reported before."""
        self._has_come.clear()
        try:
            with Interruption(self._dialogs.opened, self._has_come, when=self._is_blocked):
                return await act
        except Interrupted:
            return self._answer

    def _is_blocked(self) -> bool:
        return self._dialogs.open is not None and self._has_come.is_held

    def on_report(self, report: str) -> None:
        if report.startswith(DONE_PREFIX):
            self._answer = json.loads(report.removeprefix(DONE_PREFIX))
            self._has_come.hold()
