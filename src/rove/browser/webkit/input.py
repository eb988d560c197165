"""Mouse and keyboard of a page, as WebDriver's actions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rove.browser.element import Button, Point
from rove.browser.shared import input as shared_input
from rove.browser.shared.frames import World
from rove.browser.shared.input import Position, first_points
from rove.browser.shared.keys import KEYS, MODIFIER_BITS, Key, foreign_key
from rove.browser.shared.targets import element_with_focus
from rove.browser.webkit.live_page import LivePage
from rove.errors import Unsupported

if TYPE_CHECKING:
    pass

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

# Characters that are typed with one command.
MAX_RUN = 50
INSERT = "text => document.execCommand('insertText', false, text)"


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


_SHIFT = modifier_values(MODIFIER_BITS["Shift"])[0]


class Keyboard(shared_input.Keyboard):
    """Sends keys to the element that has the focus."""

    _page: LivePage

    async def send_press(self, held_keys: list[Key], last: Key, hold: float) -> None:
        held, value = [_value(key) for key in held_keys], _value(last)
        if not held and last.shift:
            held = [_SHIFT]
        # In Control+A the letter names the key, so its case does not imply Shift.
        value = (
            value.lower()
            if held_keys and len(value) == 1 and not any(key.key == "Shift" for key in held_keys)
            else value
        )
        pause: list[Tick] = [{"type": "pause", "duration": round(hold * 1000)}] if hold else []
        down = [*map(key_down, held), key_down(value)]
        await perform(self._page, keys=[*down, *pause, key_up(value), *map(key_up, reversed(held))])

    async def send_text(self, text: str) -> None:
        for start in range(0, len(text), MAX_RUN):
            run = text[start : start + MAX_RUN]
            if any(_is_control(character) for character in run):
                for character in run:
                    await (self.insert_text(character) if _is_control(character) else self._type(character))
            else:
                await self._type(run)

    async def _type(self, text: str) -> None:
        ticks = list[Tick]()
        for character in text:
            known = KEYS.get(character)
            value = _value(known or foreign_key(character))
            pressed = [key_down(value), key_up(value)]
            # With Shift, a character that is on no US keyboard would be another one, or none.
            ticks += [key_down(_SHIFT), *pressed, key_up(_SHIFT)] if known is not None and known.shift else pressed
        await perform(self._page, keys=ticks)

    async def insert_text(self, text: str) -> None:
        """Write a text in place of what is selected."""
        focused = await element_with_focus(self._devices)
        await (focused.world if focused is not None else self._page.worlds.main).call(INSERT, text)


def _is_control(character: str) -> bool:
    return (character < " " or character == "\x7f") and character not in "\n\r"


def _value(key: Key) -> str:
    value = key_value(key)
    if value is None:
        raise Unsupported(f"WebDriver has no key {key.key}.")
    return value


class Mouse(shared_input.Mouse):
    """Moves, presses and drags at points of the viewport. What WebKit makes a drag of HTML is up to WebKit."""

    _page: LivePage

    async def send_move(self, x: float, y: float) -> None:
        await perform(self._page, [move_to((x, y))])

    async def send_wheel(self, point: Point, dx: float, dy: float) -> None:
        await turn_wheel(self._page, point, dx, dy)

    async def send_click(self, point: Point, button: Button, count: int, modifiers: int, hold: float) -> None:
        down, up = _press(button), _release(button)
        held = modifier_values(modifiers)
        pressed: list[Tick] = [*([PAUSE] * len(held)), move_to(point), *([down, up] * (count - 1)), down]
        pause: Tick = {"type": "pause", "duration": round(hold * 1000)}
        ticks = [*pressed, *([pause] if hold else []), up]
        middle = [PAUSE] * (len(ticks) - len(held))
        keys = [*map(key_down, held), *middle, *map(key_up, reversed(held))] if held else None
        await perform(self._page, ticks, keys)

    async def send_drag(self, start: Point, world: World, stops: Sequence[Position], hold: float) -> None:
        await perform(self._page, [move_to(start), _press("left")])
        try:
            await asyncio.sleep(hold)
            for point in first_points(start):
                await self.send_move(*point)
            await self.drag_over(start, stops, world, lambda point: self.send_move(*point))
            await asyncio.sleep(hold)
        except BaseException:
            # The page would take later moves for a part of the drag.
            self._page.tasks.start(perform(self._page, [_release("left")]))
            raise
        await perform(self._page, [_release("left")])


def _press(button: Button) -> Tick:
    return {"type": "pointerDown", "button": BUTTONS[button]}


def _release(button: Button) -> Tick:
    return {"type": "pointerUp", "button": BUTTONS[button]}


class InputDevices(shared_input.InputDevices):
    """The input devices of one tab, which elements use to act on the page."""

    mouse_type, keyboard_type = Mouse, Keyboard
    page: LivePage
