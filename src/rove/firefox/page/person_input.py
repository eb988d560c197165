"""Sends the input of a person who drives a tab to its page, over WebDriver BiDi."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rove.firefox.input.actions import (
    MOUSE_BUTTONS,
    Action,
    key_value,
    keyboard,
    mouse,
    move,
    touch,
    wheel,
    while_keys_are_held,
)
from rove.firefox.input.frame_places import FramePlace, focused_frame, frame_at, keyboard_turn
from rove.firefox.input.keyboard import value_of
from rove.page import person_input
from rove.page.input.keys import KEYS, Key
from rove.page.person_input import ALT_GR_BITS, modifier_bits, written_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from rove.browser.input_event import InputEvent
    from rove.browser.page_data import TypedField
    from rove.firefox.events.live_page import LivePage
    from rove.firefox.input.devices import InputDevices

# Seconds within which Firefox counts presses of the mouse as one double click.
CLICK_SECONDS = 0.4


class PersonInput(person_input.PersonInput):
    """The mouse, keyboard, touch screen and clipboard of the person who drives one tab."""

    def __init__(self, page: LivePage, devices: InputDevices, on_typed: Callable[[TypedField], object]) -> None:
        super().__init__(page, devices, on_typed)
        self._live_page = page
        self._channel = page.channel
        # Where the mouse or the finger was pressed: what it does until its release belongs to that frame.
        self._pressed: FramePlace | None = None
        self._clicks = 0
        self._clicked_at = 0.0
        self._clicked_place = (0.0, 0.0)

    async def dispatch(self, event: InputEvent) -> None:
        if event.type == "text":
            await self._devices.keyboard.insert_text(event.text)
        elif event.type in ("keyDown", "keyUp"):
            await self._press_key(event)
        else:
            await self._point(event)

    async def _press_key(self, event: InputEvent) -> None:
        text = written_text(event)
        if len(text) == 1 and text != "\r" and modifier_bits(event) & ALT_GR_BITS == ALT_GR_BITS:
            # Firefox would take a character that is written with AltGr for a command.
            if event.type == "keyDown":
                await self._devices.keyboard.insert_text(text)
            return
        value = key_value(KEYS.get(event.key) or Key(event.key, event.code, 0, text))
        if value is None:
            return  # a key that WebDriver does not have, such as CapsLock
        pressed: list[Action] = [{"type": event.type, "value": value}]
        if event.type == "keyDown" and not (text and text != "\r"):
            pressed = while_keys_are_held(self._missing(event), pressed)
        async with keyboard_turn(self._live_page):
            params = {"context": await focused_frame(self._live_page), "actions": [keyboard(pressed)]}
            await self._channel.send("input.performActions", params)

    def _missing(self, event: InputEvent) -> list[str]:
        """Return the modifiers that the person holds, and whose own events have not come."""
        held = {each.key for each in self._keys.values()}
        return [value_of(KEYS[name]) for name in event.modifiers if name not in held]

    async def _point(self, event: InputEvent) -> None:
        place = self._pressed or await frame_at(self._live_page, (event.x, event.y))
        if event.type in ("mouseDown", "touchStart"):
            self._pressed = place
        elif event.type in ("mouseUp", "touchEnd"):
            self._pressed = None
        source = self._source(event, *place.convert((event.x, event.y)))
        await self._channel.send("input.performActions", {"context": place.frame, "actions": [source]})

    def _source(self, event: InputEvent, x: float, y: float) -> Action:
        if event.type == "wheel":
            turn = {"deltaX": round(event.deltaX), "deltaY": round(event.deltaY)}
            return wheel([{"type": "scroll", "x": round(x), "y": round(y), **turn}])
        if event.type.startswith("touch"):
            moves = [] if event.type == "touchEnd" else [move(x, y)]
            ends = {
                "touchStart": [{"type": "pointerDown", "button": 0}],
                "touchEnd": [{"type": "pointerUp", "button": 0}],
            }
            return touch([*moves, *ends.get(event.type, [])])
        button = {"button": MOUSE_BUTTONS[event.button]}
        down, up = {"type": "pointerDown", **button}, {"type": "pointerUp", **button}
        if event.type == "mouseDown":
            return mouse([move(x, y), *[down, up] * self._missing_clicks(event), down])
        return mouse([move(x, y), *([up] if event.type == "mouseUp" else [])])

    def _missing_clicks(self, event: InputEvent) -> int:
        """Return how many clicks of a double click Firefox has not seen: it counts by when they come."""
        now, place = time.monotonic(), (event.x, event.y)
        counted = self._clicks if place == self._clicked_place and now - self._clicked_at < CLICK_SECONDS else 0
        self._clicks, self._clicked_at, self._clicked_place = event.count, now, place
        return max(event.count - 1 - counted, 0)
