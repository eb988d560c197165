"""Sends the input of a person who drives a tab to its page, over the DevTools protocol."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from rove.browser.input_event import InputEvent
from rove.browser.page_data import TypedField
from rove.chromium.events.live_page import LivePage
from rove.chromium.frames.document_script import DocumentScript
from rove.chromium.input.devices import InputDevices
from rove.chromium.input.mouse import BUTTON_BITS
from rove.chromium.protocol.connection import CdpSession
from rove.page import person_input
from rove.page.input.keys import KEYS, Key
from rove.page.input.page_modes import REPORT_BINDING
from rove.page.person_input import modifier_bits, written_text

MOUSE_EVENTS = {"mouseMove": "mouseMoved", "mouseDown": "mousePressed", "mouseUp": "mouseReleased"}
# By `KeyboardEvent.code`, which does not depend on the person's layout.
_KEYS_BY_CODE = {key.code: key for key in KEYS.values()}


class PersonInput(person_input.PersonInput):
    """The mouse, keyboard, touch screen and clipboard of the person who drives one tab."""

    def __init__(self, page: LivePage, devices: InputDevices, on_typed: Callable[[TypedField], object]) -> None:
        super().__init__(page, devices, on_typed)
        self._cdp = page.cdp

    def listen(self, cdp: CdpSession) -> None:
        """Hear what is typed in the page, or in a frame in another process."""
        cdp.on("Runtime.bindingCalled", self._on_binding_called)

    def _on_binding_called(self, event: dict[str, Any]) -> None:
        if event["name"] == REPORT_BINDING:
            self.on_report(event["payload"], str(event["executionContextId"]))

    async def watch_new_documents(self, cdp: CdpSession) -> None:
        """If a person drives, watch the documents that will load in this CDP session."""
        assert isinstance(self._script, DocumentScript)
        await self._script.add_to(cdp)

    def dispatch(self, event: InputEvent) -> Coroutine[Any, Any, object]:
        if event.type in MOUSE_EVENTS or event.type == "wheel":
            return self._cdp.send("Input.dispatchMouseEvent", self._mouse_event(event))
        if event.type in ("keyDown", "keyUp"):
            return self._cdp.send("Input.dispatchKeyEvent", _key_event(event))
        if event.type == "text":
            return self._cdp.send("Input.insertText", {"text": event.text})
        points = [] if event.type == "touchEnd" else [{"x": event.x, "y": event.y}]
        touch = {"type": event.type, "touchPoints": points, "modifiers": modifier_bits(event)}
        return self._cdp.send("Input.dispatchTouchEvent", touch)

    def _mouse_event(self, event: InputEvent) -> dict[str, Any]:
        point: dict[str, Any] = {"x": event.x, "y": event.y, "modifiers": modifier_bits(event)}
        if event.type == "wheel":
            return {"type": "mouseWheel", **point, "deltaX": event.deltaX, "deltaY": event.deltaY}
        held = {"buttons": sum(BUTTON_BITS[button] for button in self._buttons)}
        if event.type == "mouseMove":
            return {"type": "mouseMoved", **point, **held, "button": next(iter(self._buttons), "none")}
        pressed = {"button": event.button, "clickCount": event.count}
        return {"type": MOUSE_EVENTS[event.type], **point, **held, **pressed}


def _key_event(event: InputEvent) -> dict[str, Any]:
    known = _KEYS_BY_CODE.get(event.code) or KEYS.get(event.key) or Key(event.key, event.code, 0)
    params: dict[str, Any] = {
        "key": event.key,
        "code": event.code,
        "windowsVirtualKeyCode": known.number,
        "location": known.location,
        "modifiers": modifier_bits(event),
    }
    if event.type == "keyUp":
        return {"type": "keyUp", **params}
    text = written_text(event)
    return {"type": "keyDown", **params, "text": text} if text else {"type": "rawKeyDown", **params}
