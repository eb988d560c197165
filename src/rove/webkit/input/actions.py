"""WebDriver's actions: what input sources do at the same time, tick by tick."""

from __future__ import annotations

from typing import Any

from rove.browser.element import Button, Point
from rove.page.input.keys import MODIFIER_BITS, Key
from rove.webkit.events.live_page import LivePage

Tick = dict[str, Any]
BUTTONS: dict[Button, int] = {"left": 0, "middle": 1, "right": 2}
PAUSE: Tick = {"type": "pause", "duration": 0}
# Keys that write no character, by WebDriver's code points for them.
_NAMED = {
    "Backspace": 0xE003, "Tab": 0xE004, "Enter": 0xE007, "Shift": 0xE008, "Control": 0xE009, "Alt": 0xE00A,
    "Pause": 0xE00B, "Escape": 0xE00C, "PageUp": 0xE00E, "PageDown": 0xE00F, "End": 0xE010, "Home": 0xE011,
    "ArrowLeft": 0xE012, "ArrowUp": 0xE013, "ArrowRight": 0xE014, "ArrowDown": 0xE015, "Insert": 0xE016,
    "Delete": 0xE017, "Meta": 0xE03D, **{f"F{number}": 0xE030 + number for number in range(1, 13)},
}  # fmt: skip


def key_value(key: Key) -> str | None:
    """Return a key as WebDriver writes it; None for one that it does not have."""
    if key.key in _NAMED:
        return chr(_NAMED[key.key])
    return key.text or (key.key if len(key.key) == 1 else None)


def modifier_values(bits: int) -> list[str]:
    """Return the modifier keys of these bits."""
    return [chr(_NAMED[name]) for name, bit in MODIFIER_BITS.items() if bits & bit]


def key_down(value: str) -> Tick:
    return {"type": "keyDown", "value": value}


def key_up(value: str) -> Tick:
    return {"type": "keyUp", "value": value}


def move_to(point: Point) -> Tick:
    return {"type": "pointerMove", "x": round(point[0]), "y": round(point[1]), "duration": 0}


async def perform(page: LivePage, pointer: list[Tick] | None = None, keys: list[Tick] | None = None) -> None:
    """Have the browser do this in the page, and wait until the page has handled it."""
    sources: list[dict[str, Any]] = []
    if keys:
        sources.append({"type": "key", "id": "keyboard", "actions": keys})
    if pointer:
        parameters = {"pointerType": "mouse"}
        sources.append({"type": "pointer", "id": "mouse", "parameters": parameters, "actions": pointer})
    await page.send_input({"actions": sources})


async def turn_wheel(page: LivePage, point: Point, dx: float, dy: float) -> None:
    """Turn the wheel over a point by so many pixels."""
    x, y = round(point[0]), round(point[1])
    turn = {"type": "scroll", "x": x, "y": y, "deltaX": round(dx), "deltaY": round(dy), "duration": 0}
    # WebKit takes a turn for the difference to the last one of the same wheel, so that each has a wheel of its own.
    await page.send_input({"actions": [{"type": "wheel", "id": f"wheel {page.next_call()}", "actions": [turn]}]})
