"""Sends the input of a person who drives a tab to its page, as the person gives it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

from rove.browser.input_event import InputEvent
from rove.chromium.input.devices import InputDevices
from rove.chromium.input.keyboard import KEYS, MODIFIER_BITS, Key
from rove.chromium.input.mouse import BUTTON_BITS
from rove.chromium.page.live_page import LivePage
from rove.chromium.protocol.connection import CdpError

# Seconds to wait until the page has handled an event. A busy page handles it later, in its turn.
HANDLING_SECONDS = 1.0
MOUSE_EVENTS = {"mouseMove": "mouseMoved", "mouseDown": "mousePressed", "mouseUp": "mouseReleased"}
COMMAND_BITS = MODIFIER_BITS["Control"] | MODIFIER_BITS["Meta"] | MODIFIER_BITS["Alt"]
# AltGr is told as both of these, and writes text.
ALT_GR_BITS = MODIFIER_BITS["Control"] | MODIFIER_BITS["Alt"]
# By `KeyboardEvent.code`, which does not depend on the person's layout.
_KEYS_BY_CODE = {key.code: key for key in KEYS.values()}
# Keys that a browser reports while a character is being composed; the text follows.
_COMPOSING = frozenset({"Dead", "Process", "Unidentified", "Compose"})


class PersonInput:
    """The mouse, keyboard, touch screen and clipboard of the person who drives one tab."""

    def __init__(self, page: LivePage, devices: InputDevices) -> None:
        self._page = page
        self._devices = devices
        # What the person holds down, which is released when they hand back.
        self._buttons: dict[str, InputEvent] = {}
        self._keys: dict[str, InputEvent] = {}
        self._order = asyncio.Lock()

    async def send(self, event: InputEvent) -> None:
        """Send one event, after those before it."""
        async with self._order:
            self._page.allow_navigation()
            if event.type == "dialog":
                await self._page.dialogs.answer(event.accept, event.text or None)
            elif event.type == "paste":
                await self._paste(event.text)
            else:
                await self._handled(self._command(event))

    async def release(self) -> None:
        """Release the buttons and keys that the person still holds."""
        for event in [*self._buttons.values(), *self._keys.values()]:
            await self.send(replace(event, type="mouseUp" if event.type == "mouseDown" else "keyUp", modifiers=()))

    def _command(self, event: InputEvent) -> Awaitable[Any]:
        if event.type in MOUSE_EVENTS or event.type == "wheel":
            return self._page.cdp.send("Input.dispatchMouseEvent", self._mouse_event(event))
        if event.type in ("keyDown", "keyUp"):
            return self._page.cdp.send("Input.dispatchKeyEvent", self._key_event(event))
        if event.type == "text":
            return self._page.cdp.send("Input.insertText", {"text": event.text})
        points = [] if event.type == "touchEnd" else [{"x": event.x, "y": event.y}]
        touch = {"type": event.type, "touchPoints": points, "modifiers": _bits(event)}
        return self._page.cdp.send("Input.dispatchTouchEvent", touch)

    def _mouse_event(self, event: InputEvent) -> dict[str, Any]:
        point: dict[str, Any] = {"x": event.x, "y": event.y, "modifiers": _bits(event)}
        if event.type == "wheel":
            return {"type": "mouseWheel", **point, "deltaX": event.deltaX, "deltaY": event.deltaY}
        if event.type == "mouseDown":
            self._buttons[event.button] = event
        elif event.type == "mouseUp":
            self._buttons.pop(event.button, None)
        held = {"buttons": sum(BUTTON_BITS[button] for button in self._buttons)}
        if event.type == "mouseMove":
            return {"type": "mouseMoved", **point, **held, "button": next(iter(self._buttons), "none")}
        pressed = {"button": event.button, "clickCount": event.count}
        return {"type": MOUSE_EVENTS[event.type], **point, **held, **pressed}

    def _key_event(self, event: InputEvent) -> dict[str, Any]:
        bits, name = _bits(event), event.code or event.key
        known = _KEYS_BY_CODE.get(event.code) or KEYS.get(event.key) or Key(event.key, event.code, 0)
        params: dict[str, Any] = {
            "key": event.key,
            "code": event.code,
            "windowsVirtualKeyCode": known.number,
            "location": known.location,
            "modifiers": bits,
        }
        if event.type == "keyUp":
            self._keys.pop(name, None)
            return {"type": "keyUp", **params}
        self._keys[name] = event
        text = _text(event, bits)
        return {"type": "keyDown", **params, "text": text} if text else {"type": "rawKeyDown", **params}

    async def _paste(self, text: str) -> None:
        """Paste a text of the person's own. It does not stay in the session's clipboard, which the agent can read."""
        worlds = await self._page.every_world()
        await self._devices.clipboard.offer(worlds, text)
        try:
            for kind in ("keyDown", "keyUp"):
                await self._handled(self._command(InputEvent(kind, key="v", code="KeyV", modifiers=("Control",))))
        finally:
            await self._devices.clipboard.offer(worlds, None)

    async def _handled(self, command: Awaitable[Any]) -> None:
        with contextlib.suppress(TimeoutError, CdpError):  # the page is busy, or was closed by this very event
            async with asyncio.timeout(HANDLING_SECONDS):
                await self._page.dialogs.run_until_dialog(command)


def _bits(event: InputEvent) -> int:
    return sum(MODIFIER_BITS[modifier] for modifier in set(event.modifiers))


def _text(event: InputEvent, bits: int) -> str:
    """Return the text that a key writes; none if it is a command, or a part of a character that is composed."""
    if event.key == "Enter":
        return "\r"
    is_command = bits & COMMAND_BITS and bits & ALT_GR_BITS != ALT_GR_BITS
    return "" if is_command or len(event.key) != 1 or event.key in _COMPOSING else event.key
