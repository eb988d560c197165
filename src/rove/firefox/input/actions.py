"""Input actions of WebDriver: keys as it names them, and the sources that a page's mouse, wheel and keyboard are."""

from __future__ import annotations

from typing import Any

from rove.page.input.keys import Key

Action = dict[str, Any]
MOUSE_BUTTONS = {"left": 0, "middle": 1, "right": 2}
# Keys that write no text are private characters in WebDriver.
_CODE_POINTS = {
    "Backspace": 0xE003, "Tab": 0xE004, "Enter": 0xE007, "Shift": 0xE008, "Control": 0xE009, "Alt": 0xE00A,
    "Pause": 0xE00B, "Escape": 0xE00C, "PageUp": 0xE00E, "PageDown": 0xE00F, "End": 0xE010, "Home": 0xE011,
    "ArrowLeft": 0xE012, "ArrowUp": 0xE013, "ArrowRight": 0xE014, "ArrowDown": 0xE015, "Insert": 0xE016,
    "Delete": 0xE017, "Meta": 0xE03D, **{f"F{number}": 0xE030 + number for number in range(1, 13)},
}  # fmt: skip


def key_value(key: Key) -> str | None:
    """Return a key as WebDriver names it; None for one that it does not have, such as CapsLock."""
    if (point := _CODE_POINTS.get(key.key)) is not None:
        return chr(point)
    return key.text or (key.key if len(key.key) == 1 else None)


def mouse(actions: list[Action]) -> Action:
    """Return what the mouse does."""
    return {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}


def touch(actions: list[Action]) -> Action:
    """Return what one finger does."""
    return {"type": "pointer", "id": "touch", "parameters": {"pointerType": "touch"}, "actions": actions}


def keyboard(actions: list[Action]) -> Action:
    """Return what the keyboard does."""
    return {"type": "key", "id": "keyboard", "actions": actions}


def wheel(actions: list[Action]) -> Action:
    """Return what the wheel does."""
    return {"type": "wheel", "id": "wheel", "actions": actions}


def move(x: float, y: float) -> Action:
    """Return a move of the pointer to a point of the viewport."""
    return {"type": "pointerMove", "x": x, "y": y, "duration": 0}


def pause(seconds: float = 0.0) -> Action:
    """Return a pause, by which a source waits for another."""
    return {"type": "pause", "duration": round(seconds * 1000)}


def while_keys_are_held(held: list[str], actions: list[Action]) -> list[Action]:
    """Return what the keyboard does, between the presses and the releases of other keys."""
    downs: list[Action] = [{"type": "keyDown", "value": key} for key in held]
    ups: list[Action] = [{"type": "keyUp", "value": key} for key in reversed(held)]
    return [*downs, *actions, *ups]
