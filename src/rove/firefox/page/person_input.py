"""Sends the input of a person who drives a tab to its page, over WebDriver BiDi."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from rove.firefox.input.actions import MOUSE_BUTTONS, Action, key_value, keyboard, mouse, move, touch, wheel
from rove.page import person_input
from rove.page.input.keys import KEYS, Key
from rove.page.person_input import written_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from rove.browser.input_event import InputEvent
    from rove.browser.page_data import TypedField
    from rove.firefox.events.live_page import LivePage
    from rove.firefox.input.devices import InputDevices


class PersonInput(person_input.PersonInput):
    """The mouse, keyboard, touch screen and clipboard of the person who drives one tab."""

    def __init__(self, page: LivePage, devices: InputDevices, on_typed: Callable[[TypedField], object]) -> None:
        super().__init__(page, devices, on_typed)
        self._channel = page.channel

    def dispatch(self, event: InputEvent) -> Coroutine[Any, Any, object]:
        if event.type == "text":
            return self._devices.keyboard.insert_text(event.text)
        return self._channel.send("input.performActions", {"actions": [_source(event)]})


def _source(event: InputEvent) -> Action:
    if event.type in ("keyDown", "keyUp"):
        known = KEYS.get(event.key) or Key(event.key, event.code, 0, written_text(event))
        return keyboard([{"type": event.type, "value": key_value(known) or event.key[:1]}])
    if event.type == "wheel":
        place = {"x": round(event.x), "y": round(event.y)}
        return wheel([{"type": "scroll", **place, "deltaX": round(event.deltaX), "deltaY": round(event.deltaY)}])
    if event.type.startswith("touch"):
        ends = {"touchStart": [{"type": "pointerDown", "button": 0}], "touchEnd": [{"type": "pointerUp", "button": 0}]}
        moves = [] if event.type == "touchEnd" else [move(event.x, event.y)]
        return touch([*moves, *ends.get(event.type, [])])
    button = {"button": MOUSE_BUTTONS[event.button]}
    presses = {"mouseDown": [{"type": "pointerDown", **button}], "mouseUp": [{"type": "pointerUp", **button}]}
    return mouse([move(event.x, event.y), *presses.get(event.type, [])])
