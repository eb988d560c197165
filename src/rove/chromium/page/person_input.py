"""Sends the input of a person who drives a tab to its page, as the person gives it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from rove.browser.input_event import InputEvent
from rove.browser.page_data import TypedField
from rove.chromium.events.live_page import LivePage
from rove.chromium.input.devices import InputDevices
from rove.chromium.input.mouse import BUTTON_BITS
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import ScriptFailed
from rove.page.frames.world import World
from rove.page.input.keys import KEYS, MODIFIER_BITS, Key
from rove.page.input.page_modes import REPORT_BINDING

R = TypeVar("R")
# Seconds to wait until the page has handled an event. A busy page handles it later, in its turn.
HANDLING_SECONDS = 1.0
TYPED_PREFIX = "typed "
MOUSE_EVENTS = {"mouseMove": "mouseMoved", "mouseDown": "mousePressed", "mouseUp": "mouseReleased"}
COMMAND_BITS = MODIFIER_BITS["Control"] | MODIFIER_BITS["Meta"] | MODIFIER_BITS["Alt"]
# AltGr is told as both of these, and writes text.
ALT_GR_BITS = MODIFIER_BITS["Control"] | MODIFIER_BITS["Alt"]
# By `KeyboardEvent.code`, which does not depend on the person's layout.
_KEYS_BY_CODE = {key.code: key for key in KEYS.values()}
# Keys that a browser reports while a character is being composed; the text follows.
_COMPOSING = frozenset({"Dead", "Process", "Unidentified", "Compose"})


class PersonInput:
    """The mouse, keyboard, touch screen and clipboard of the person who drives one tab.

    `on_typed` is called with the value of a field each time that the person has typed into it.
    """

    def __init__(self, page: LivePage, devices: InputDevices, on_typed: Callable[[TypedField], object]) -> None:
        self._page = page
        self._devices = devices
        self._on_typed = on_typed
        # Watches documents that load while the person drives.
        self._script = page.document_script("rove.watchPerson(true)")
        self._has_typed = False
        # What the person holds down, which is released when they hand back.
        self._buttons: dict[str, InputEvent] = {}
        self._keys: dict[str, InputEvent] = {}
        self._order = asyncio.Lock()

    async def send(self, event: InputEvent) -> None:
        """Send one event, after those before it."""
        async with self._order:
            await self._watch_typing()
            self._page.allow_navigation()
            if event.type == "dialog":
                await self._page.dialogs.answer(event.accept, event.text or None)
            elif event.type == "paste":
                await self._paste(event.text)
            else:
                await self._handled(self._command(event))

    async def covered(self, capture: Coroutine[Any, Any, R]) -> R:
        """Return a picture that may be kept, with dots in place of secrets and of what the person has typed."""
        await self._devices.secret_fields.protect()
        if not self._has_typed:
            return await capture
        await self._tell_worlds("coverTyped", True)
        try:
            return await capture
        finally:
            await self._tell_worlds("coverTyped", False)

    async def release(self) -> None:
        """Release the buttons and keys that the person still holds."""
        for event in [*self._buttons.values(), *self._keys.values()]:
            await self.send(replace(event, type="mouseUp" if event.type == "mouseDown" else "keyUp", modifiers=()))
        if self._script.is_on:
            await self._end_watching()

    def listen(self, cdp: CdpSession) -> None:
        """Hear what is typed in the page, or in a frame in another process."""
        cdp.on("Runtime.bindingCalled", self._on_binding_called)

    def _on_binding_called(self, event: dict[str, Any]) -> None:
        if event["name"] == REPORT_BINDING and event["payload"].startswith(TYPED_PREFIX):
            self._has_typed = True
            number, value, is_password = json.loads(event["payload"].removeprefix(TYPED_PREFIX))
            document = f"{self._page.target_id} {self._page.load_state.documents} {event['executionContextId']}"
            self._on_typed(TypedField(document, number, value, is_password))

    async def _watch_typing(self) -> None:
        """Withhold what the person types from now on, in every frame and in documents that load meanwhile."""
        if self._script.is_on:
            return
        self._script.is_on = True
        try:
            await self._script.begin(await self._page.every_world())
            await self._tell_worlds("watchPerson", True)
        except BaseException:
            self._script.is_on = False  # nothing is typed into a page that cannot be watched
            raise

    async def watch_new_documents(self, cdp: CdpSession) -> None:
        """If a person drives, watch the documents that will load in this CDP session."""
        await self._script.add_to(cdp)

    async def _end_watching(self) -> None:
        await asyncio.gather(self._script.end(), self._tell_worlds("watchPerson", False))

    async def _tell_worlds(self, function: str, is_on: bool) -> None:
        worlds = await self._page.every_world()
        await asyncio.gather(*(_tell_world(world, function, is_on) for world in worlds))

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


async def _tell_world(world: World, function: str, is_on: bool) -> None:
    with contextlib.suppress(TimeoutError, CdpError, ScriptFailed):  # a frame that is busy or going away
        async with asyncio.timeout(HANDLING_SECONDS):
            await world.call(f"isOn => rove.{function}(isOn)", is_on)


def _bits(event: InputEvent) -> int:
    return sum(MODIFIER_BITS[modifier] for modifier in set(event.modifiers))


def _text(event: InputEvent, bits: int) -> str:
    """Return the text that a key writes; none if it is a command, or a part of a character that is composed."""
    if event.key == "Enter":
        return "\r"
    is_command = bits & COMMAND_BITS and bits & ALT_GR_BITS != ALT_GR_BITS
    return "" if is_command or len(event.key) != 1 or event.key in _COMPOSING else event.key
