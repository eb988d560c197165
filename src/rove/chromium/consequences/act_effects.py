"""What became of an act that the page's rows do not tell: a value that was not kept, a look that changed."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING

from rove.chromium.protocol.connection import CdpError
from rove.errors import RoveError
from rove.page_text import Own, PageText

if TYPE_CHECKING:
    from rove.chromium.input.devices import InputDevices
    from rove.chromium.input.element import Element

# Seconds that the page has to answer: what it does not tell in time is left out.
ANSWER_SECONDS = 0.5
LONGEST_VALUE = 80


class ActEffects:
    """What the last act on a tab led to."""

    def __init__(self, devices: InputDevices) -> None:
        self._devices = devices

    def begin(self) -> None:
        """Forget the last act."""
        self._devices.filled.clear()

    async def unkept_values(self) -> list[PageText]:
        """Return what each field holds whose value is not the one that was filled in."""
        filled = list(self._devices.filled)
        found = await asyncio.gather(*(_unkept_value(element, wanted) for element, wanted in filled))
        return [each for each in found if each is not None]


async def _unkept_value(element: Element, wanted: str) -> PageText | None:
    # A field that is gone, or whose page is busy, is told in other ways.
    with contextlib.suppress(RoveError, CdpError, TimeoutError):
        async with asyncio.timeout(ANSWER_SECONDS):
            held = await element.value()
        if held is not None and _squashed(held) != _squashed(wanted):
            what = f"holds {_quoted(held)}" if held else "is empty"
            return element.quote(f"{element.line} [{element.ref}] {what}, not {_quoted(wanted) if wanted else 'cleared'}.")
    return None


def _squashed(value: str) -> str:
    """Return a value without the spaces and line breaks that editors add, and a colour in small letters."""
    squashed = " ".join(value.split())
    return squashed.lower() if squashed.startswith("#") else squashed


def _quoted(value: str) -> str:
    cut = value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
    return json.dumps(cut, ensure_ascii=False)
