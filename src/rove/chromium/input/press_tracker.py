"""The result of a mouse press, as rove's script reports it when the page receives the press (`acting/presses.js`)."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from rove.chromium.input.page_modes import MODES_BINDING
from rove.chromium.protocol.connection import CdpSession

PRESS_PREFIX = "pressed "


class PressResult(NamedTuple):
    """A press that the page received; `missed` says what it hit instead of the intended element, if it did."""

    missed: str | None


class PressTracker:
    """The result of the latest press in one tab."""

    def __init__(self) -> None:
        self._result: PressResult | None = None

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Runtime.bindingCalled", self._on_binding_called)

    def reset(self) -> None:
        """Forget the last result, before another press."""
        self._result = None

    @property
    def result(self) -> PressResult | None:
        """The result of the latest press; None if none was reported, which does not mean that nothing was pressed."""
        return self._result

    def _on_binding_called(self, event: dict[str, Any]) -> None:
        if event["name"] == MODES_BINDING and event["payload"].startswith(PRESS_PREFIX):
            self._result = PressResult(json.loads(event["payload"].removeprefix(PRESS_PREFIX)))
