"""The keyboard of a page, over WebDriver BiDi."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from rove.errors import Unsupported
from rove.firefox.input.actions import Action, key_value, keyboard
from rove.firefox.input.frame_places import focused_frame, keyboard_turn
from rove.page.input import keyboard as shared
from rove.page.input.keys import KEYS, MODIFIER_BITS, Key, foreign_key

if TYPE_CHECKING:
    from rove.firefox.events.live_page import LivePage
    from rove.page.input.guards import InputGuards

# Characters that one command types: enough to hide the latency, few enough for a slow page.
MAX_TYPED = 200
# Control characters but line breaks, such as tabs: no key writes them, so that each is inserted by itself.
_CONTROL = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]")
_RUNS = re.compile(rf"{_CONTROL.pattern}|(?:(?!{_CONTROL.pattern})[\s\S]){{1,{MAX_TYPED}}}")


class Keyboard(shared.Keyboard):
    """Sends keys to the element that has the focus."""

    def __init__(self, page: LivePage, guards: InputGuards) -> None:
        super().__init__(page, guards)
        self._live_page = page
        self._channel = page.channel

    async def send_press(self, held_keys: list[Key], last: Key, hold: float) -> None:
        # A capital letter or a sign that needs Shift is written with it, unless other keys are held: in Control+A the
        # letter names the key.
        needed = [KEYS["Shift"]] if last.shift and not held_keys else held_keys
        # A letter that is pressed with other keys is the key itself, which is a capital only with Shift.
        pressed = last if not held_keys else _lower_unless_shifted(last, held_keys)
        values = [value_of(key) for key in (*needed, pressed)]
        downs: list[Action] = [{"type": "keyDown", "value": value} for value in values]
        ups: list[Action] = [{"type": "keyUp", "value": value} for value in reversed(values)]
        if not hold:
            await self._perform([*downs, *ups])
            return
        try:
            await self._perform(downs)
            await asyncio.sleep(hold)
        finally:
            await self._perform(ups)

    async def send_text(self, text: str) -> None:
        for run in _RUNS.findall(text):
            if _CONTROL.match(run):
                await self.insert_text(run)
            else:
                await self._perform([action for character in run for action in _typed(character)])

    async def insert_text(self, text: str) -> None:
        """Write a text in place of what is selected, in the frame that has the focus."""
        async with keyboard_turn(self._live_page):
            for world in await self._page.every_world():
                if await world.call("text => rove.insertAtFocus(text)", text, as_user=True):
                    return

    async def _perform(self, actions: list[Action]) -> None:
        async with keyboard_turn(self._live_page):
            params = {"context": await focused_frame(self._live_page), "actions": [keyboard(actions)]}
            await self._channel.send("input.performActions", params)


def _typed(character: str) -> list[Action]:
    key = KEYS.get(character) or foreign_key(character)
    value = value_of(key)
    typed: list[Action] = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
    if not key.shift:
        return typed
    shift = value_of(KEYS["Shift"])
    return [{"type": "keyDown", "value": shift}, *typed, {"type": "keyUp", "value": shift}]


def _lower_unless_shifted(key: Key, held: list[Key]) -> Key:
    if any(each.key == "Shift" for each in held):
        return KEYS.get(key.text.upper(), key) if key.text.isalpha() else key
    return KEYS.get(key.text.lower(), key) if key.text.isalpha() else key


def value_of(key: Key) -> str:
    """Return a key as WebDriver names it; raise `Unsupported` for one that it does not have."""
    value = key_value(key)
    if value is None:
        raise Unsupported(f"Firefox has no command for the key {key.key}.", hint="Press another key.")
    return value


MODIFIER_KEYS = {bit: value_of(KEYS[name]) for name, bit in MODIFIER_BITS.items()}
