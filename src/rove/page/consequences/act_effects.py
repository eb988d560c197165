"""What became of an act that the page's rows do not tell: a value that was not kept, a look that changed."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

from rove.browser.failures import BrowserError
from rove.errors import ElementGone
from rove.page_text import Own, PageText

if TYPE_CHECKING:
    from rove.page.input.aims import FilledField
    from rove.page.input.devices import InputDevices
    from rove.page.page_observer import PageObserver

# Seconds that the page has to answer: what it does not tell in time is left out.
ANSWER_SECONDS = 0.5
LONGEST_VALUE = 80


class ActEffects:
    """What the last act on a tab led to."""

    def __init__(self, devices: InputDevices, observer: PageObserver) -> None:
        self._devices = devices
        self._observer = observer
        observer.filled = devices.filled

    def begin(self) -> None:
        """Forget the last act."""
        self._devices.filled.clear()

    async def unkept_values(self) -> list[PageText]:
        """Return what each field holds whose value is not the one that was filled in."""
        filled = list(self._devices.filled)
        found = [await self._unkept_value(field, wanted) for field, wanted in filled]
        return [each for each in found if each is not None]

    async def _unkept_value(self, element: FilledField, wanted: str) -> PageText | None:
        read = self._observer.values.get(element.ref)
        # A field that is gone, or whose page is busy, is told in other ways.
        with contextlib.suppress(ElementGone, BrowserError, TimeoutError):
            async with asyncio.timeout(ANSWER_SECONDS):
                held = element.value_in(read) if read else await element.value()
            if held is not None and _squashed(held) != _squashed(wanted):
                what = f"holds {_quoted(held)}" if held else "is empty"
                meant = _quoted(wanted) if wanted else "empty"
                return element.quote(f"{element.line} [{element.ref}] {what}, not {meant}.")
        return None

    async def changed_look(self) -> Own | None:
        """Return in what the element that was pressed looks different, or what is in it or around it."""
        for world in self._observer.acted_in:
            with contextlib.suppress(BrowserError, TimeoutError):  # the page was replaced, or is busy
                async with asyncio.timeout(ANSWER_SECONDS):
                    if change := await world.call("() => rove.changedLook()"):
                        ref = world.prefix + change["ref"]
                        return Own("; ".join(_told_look(each, ref) for each in change["found"]))
        return None


# Where something looks different, in relation to the element that was pressed.
_WHERE = {"it": "{ref}", "within": "in {ref}", "around": "around {ref}", "page": "the page"}


def _told_look(change: dict[str, Any], ref: str) -> str:
    return f"{_WHERE[change['where']].format(ref=ref)}: {', '.join(change['words'])}"


def _squashed(value: str) -> str:
    """Return a value without the spaces and line breaks that editors add, and a colour in small letters."""
    squashed = " ".join(value.split())
    return squashed.lower() if squashed.startswith("#") else squashed


def _quoted(value: str) -> str:
    cut = value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
    return json.dumps(cut, ensure_ascii=False)
