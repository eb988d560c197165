"""The keyboard of a page, as WebDriver's actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.errors import Unsupported
from rove.page.input import keyboard
from rove.page.input.keys import KEYS, MODIFIER_BITS, Key, foreign_key
from rove.page.targets.hit_test import element_with_focus
from rove.webkit.input.actions import Tick, key_down, key_up, key_value, modifier_values, perform

if TYPE_CHECKING:
    from rove.page.input.devices import InputDevices
    from rove.page.input.guards import InputGuards
    from rove.webkit.events.live_page import LivePage

# Characters that are typed with one command.
MAX_RUN = 50
_SHIFT = modifier_values(MODIFIER_BITS["Shift"])[0]
INSERT = "text => document.execCommand('insertText', false, text)"


class Keyboard(keyboard.Keyboard):
    """Sends keys to the element that has the focus."""

    def __init__(self, page: LivePage, guards: InputGuards, devices: InputDevices) -> None:
        super().__init__(page, guards)
        self._window = page
        self._devices = devices

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
        await perform(self._window, keys=[*down, *pause, key_up(value), *map(key_up, reversed(held))])

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
        await perform(self._window, keys=ticks)

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
