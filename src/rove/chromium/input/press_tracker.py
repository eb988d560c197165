"""How a press arrived, as the page's world tells of it in the moment it happens (`acting/presses.js`)."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from rove.chromium.input.page_modes import TELLING
from rove.chromium.protocol.connection import CdpSession

PRESSED = "pressed "


class PressResult(NamedTuple):
    """A press that the page's world saw; `missed` is what it hit in place of what it was aimed at."""

    missed: str | None


class PressTracker:
    """The latest press of one tab."""

    def __init__(self) -> None:
        self._latest: PressResult | None = None

    def listen(self, cdp: CdpSession) -> None:
        cdp.on("Runtime.bindingCalled", self._on_told)

    def expect(self) -> None:
        """Another press is about to be made."""
        self._latest = None

    @property
    def arrival(self) -> PressResult | None:
        """None if no word has come, which does not mean that nothing was pressed."""
        return self._latest

    def _on_told(self, event: dict[str, Any]) -> None:
        if event["name"] == TELLING and event["payload"].startswith(PRESSED):
            self._latest = PressResult(json.loads(event["payload"].removeprefix(PRESSED)))
