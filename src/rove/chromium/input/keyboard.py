"""The keyboard of a page, over the DevTools protocol."""

from __future__ import annotations

import asyncio
import re
import sys
from typing import TYPE_CHECKING, Any

from rove.page.input import keyboard
from rove.page.input.keys import KEYS, MODIFIER_BITS, Key, foreign_key

if TYPE_CHECKING:
    from rove.chromium.events.live_page import LivePage
    from rove.page.input.guards import InputGuards

# Characters that are sent before the first is acknowledged: enough to hide the latency, few enough for a slow page.
MAX_CONCURRENT_KEYS = 50
# Control characters but line breaks, such as tabs: no key writes them, so that each is inserted by itself.
_CONTROL = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]")
_RUNS = re.compile(rf"{_CONTROL.pattern}|(?:(?!{_CONTROL.pattern})[\s\S]){{1,{MAX_CONCURRENT_KEYS}}}")
# On macOS the system handles editing shortcuts, and it does not see keys that are sent over CDP.
MAC_COMMANDS = {"a": "selectAll", "c": "copy", "v": "paste", "x": "cut", "z": "undo"}


class Keyboard(keyboard.Keyboard):
    """Sends keys to the element that has the focus."""

    def __init__(self, page: LivePage, guards: InputGuards) -> None:
        super().__init__(page, guards)
        self._cdp = page.cdp

    async def send_press(self, held_keys: list[Key], last: Key, hold: float) -> None:
        # In Control+A the letter names the key, so its case does not imply Shift.
        bits = 0 if held_keys else last.shift
        for key in held_keys:
            bits |= MODIFIER_BITS.get(key.key, 0)
            await self._send("down", key, bits)
        if hold:
            await self._send("down", last, bits)
            await asyncio.sleep(hold)
            await self._send("up", last, bits)
        else:
            # Both are sent at once and awaited together: the browser handles them in order.
            await asyncio.gather(self._send("down", last, bits), self._send("up", last, bits))
        for key in reversed(held_keys):
            bits &= ~MODIFIER_BITS.get(key.key, 0)
            await self._send("up", key, bits)

    async def send_text(self, text: str) -> None:
        for run in _RUNS.findall(text):
            # All keys are sent at once and awaited together: the browser handles them in order.
            await asyncio.gather(*map(self._type_character, run))

    async def _type_character(self, character: str) -> None:
        if _CONTROL.match(character):
            await self._cdp.send("Input.insertText", {"text": character})
            return
        key = KEYS.get(character) or foreign_key(character)
        await asyncio.gather(self._send("down", key, key.shift), self._send("up", key, key.shift))

    async def _send(self, direction: str, key: Key, modifiers: int) -> None:
        # With Control, Alt or Meta held, a key is a command and writes nothing.
        text = key.text if not modifiers & ~MODIFIER_BITS["Shift"] else ""
        if modifiers & MODIFIER_BITS["Shift"] and len(text) == 1:
            text = text.upper()
        params: dict[str, Any] = {
            "type": "keyUp" if direction == "up" else "keyDown" if text else "rawKeyDown",
            "key": text if len(text) == 1 and text.isalpha() else key.key,
            "code": key.code,
            "windowsVirtualKeyCode": key.number,
            "location": key.location,
            "modifiers": modifiers,
        }
        if direction == "down" and text:
            params |= {"text": text, "unmodifiedText": text}
        if direction == "down" and sys.platform == "darwin" and modifiers & MODIFIER_BITS["Meta"]:
            params["commands"] = [MAC_COMMANDS[key.key]] if key.key in MAC_COMMANDS else []
        await self._cdp.send("Input.dispatchKeyEvent", params)

    async def insert_text(self, text: str) -> None:
        """Write a text in place of what is selected."""
        await self._cdp.send("Input.insertText", {"text": text})
