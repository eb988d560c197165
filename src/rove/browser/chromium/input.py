"""Input to a page over the DevTools protocol: the agent's mouse and keyboard, and what a person does."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
from collections.abc import AsyncGenerator, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from rove.browser.chromium.connection import CdpSession
from rove.browser.chromium.frames import DocumentScript
from rove.browser.chromium.live_page import LivePage
from rove.browser.element import Button, Point
from rove.browser.input_event import InputEvent
from rove.browser.shared import input as shared_input
from rove.browser.shared import person_input
from rove.browser.shared.clipboard import COPIED_BINDING
from rove.browser.shared.frames import WORLD, World
from rove.browser.shared.input import REPORT_BINDING, Position, first_points
from rove.browser.shared.keys import KEYS, MODIFIER_BITS, Key, foreign_key
from rove.browser.shared.person_input import modifier_bits, written_text

if TYPE_CHECKING:
    pass

# Characters that are sent before the first is acknowledged: enough to hide the latency, few enough for a slow page.
MAX_CONCURRENT_KEYS = 50
# Control characters but line breaks, such as tabs: no key writes them, so that each is inserted by itself.
_CONTROL = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]")
_RUNS = re.compile(rf"{_CONTROL.pattern}|(?:(?!{_CONTROL.pattern})[\s\S]){{1,{MAX_CONCURRENT_KEYS}}}")
# On macOS the system handles editing shortcuts, and it does not see keys that are sent over CDP.
MAC_COMMANDS = {"a": "selectAll", "c": "copy", "v": "paste", "x": "cut", "z": "undo"}
BUTTON_BITS: dict[str, int] = {"left": 1, "right": 2, "middle": 4}
DRAG_TIMEOUT = 1.0
MOUSE_EVENTS = {"mouseMove": "mouseMoved", "mouseDown": "mousePressed", "mouseUp": "mouseReleased"}
# By `KeyboardEvent.code`, which does not depend on the person's layout.
_KEYS_BY_CODE = {key.code: key for key in KEYS.values()}


class Keyboard(shared_input.Keyboard):
    """Sends keys to the element that has the focus."""

    _page: LivePage

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
            await self._page.cdp.send("Input.insertText", {"text": character})
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
        await self._page.cdp.send("Input.dispatchKeyEvent", params)

    async def insert_text(self, text: str) -> None:
        """Write a text in place of what is selected."""
        await self._page.cdp.send("Input.insertText", {"text": text})


class Mouse(shared_input.Mouse):
    """Moves, presses and drags at points of the viewport.

    If the page starts an HTML drag, drag events are sent instead of moves.
    """

    _page: LivePage

    def __init__(self, devices: InputDevices) -> None:
        super().__init__(devices)
        self._drag_data: asyncio.Future[dict[str, Any]] | None = None
        self._page.cdp.on("Input.dragIntercepted", self._on_drag_intercepted)

    async def send_move(self, x: float, y: float) -> None:
        await self._send("mouseMoved", x, y)

    async def send_wheel(self, point: Point, dx: float, dy: float) -> None:
        await self._send("mouseWheel", *point, deltaX=dx, deltaY=dy)

    async def send_click(self, point: Point, button: Button, count: int, modifiers: int, hold: float) -> None:
        # All events are sent at once and awaited together: the browser handles them in order.
        events = [self._send("mouseMoved", *point, modifiers=modifiers)]
        for pressed in range(1, count + 1):
            params: dict[str, Any] = {"button": button, "clickCount": pressed, "modifiers": modifiers}
            events.append(self._send("mousePressed", *point, buttons=BUTTON_BITS[button], **params))
            if not (hold and pressed == count):
                events.append(self._send("mouseReleased", *point, **params))
        await asyncio.gather(*events)
        if hold:
            async with self._releasing(point, button=button, clickCount=count, modifiers=modifiers):
                await asyncio.sleep(hold)

    @contextlib.asynccontextmanager
    async def _releasing(self, point: Point, **params: Any) -> AsyncGenerator[None]:
        """Release the button after this block, even on a timeout: the page would take later moves for a drag."""
        try:
            yield
        except BaseException:
            self._release_soon(point, **params)
            raise
        await self._send("mouseReleased", *point, **params)

    def _release_soon(self, point: Point, **params: Any) -> None:
        """Release the button in the background, since an error is being raised to the caller."""
        self._page.tasks.start(self._send("mouseReleased", *point, **params))

    async def send_drag(self, start: Point, world: World, stops: Sequence[Position], hold: float) -> None:
        self._drag_data = asyncio.get_running_loop().create_future()
        await self._page.cdp.send("Input.setInterceptDrags", {"enabled": True})
        try:
            await self._send("mouseMoved", *start)
            await self._send("mousePressed", *start, button="left", buttons=1, clickCount=1)
            await asyncio.sleep(hold)
            for point in first_points(start):
                await self._move_pressed(point)
            data = await self._intercepted_data(world)
            if data is not None:
                await self._refuse_secret(start, world, data)
            if data is None:
                await self._drag_with_pointer(start, world, stops, hold)
            else:
                await self._drag_with_events(data, start, world, stops, hold)
        except BaseException:
            self._release_soon(start, button="left", clickCount=1)
            raise
        finally:
            self._drag_data = None
            await self._page.cdp.send("Input.setInterceptDrags", {"enabled": False})

    async def _drag_with_pointer(self, start: Point, world: World, stops: Sequence[Position], hold: float) -> None:
        end = await self.drag_over(start, stops, world, self._move_pressed)
        await asyncio.sleep(hold)
        await self._move_pressed(end)
        await self._send("mouseReleased", *end, button="left", clickCount=1)

    async def _move_pressed(self, point: Point) -> None:
        await self._send("mouseMoved", *point, button="left", buttons=1)

    async def _intercepted_data(self, world: World) -> dict[str, Any] | None:
        """Return the data of the HTML drag that the moves so far have started; None if they started none."""
        assert self._drag_data is not None
        if not self._drag_data.done() and not await world.call("() => rove.hasDragStarted()"):
            return None
        try:
            async with asyncio.timeout(DRAG_TIMEOUT):
                return await self._drag_data
        except TimeoutError:
            return None

    async def _refuse_secret(self, start: Point, world: World, data: dict[str, Any]) -> None:
        try:
            await self._devices.secret_fields.refuse_drag(world, data)
        except BaseException:
            # Else the page would take all that follows for a part of this drag.
            await self._dispatch_drag("dragEnter", start, data)
            await self._dispatch_drag("dragCancel", start, data)
            raise

    async def _drag_with_events(
        self, data: dict[str, Any], start: Point, world: World, stops: Sequence[Position], hold: float
    ) -> None:
        await self._dispatch_drag("dragEnter", start, data)

        async def drag_to(point: Point) -> None:
            await self._dispatch_drag("dragOver", point, data)

        end = await self.drag_over(start, stops, world, drag_to)
        await self.rest(hold, drag_to, end)
        await self._dispatch_drag("drop", end, data)

    async def _dispatch_drag(self, kind: str, point: Point, data: dict[str, Any]) -> None:
        params = {"type": kind, "x": point[0], "y": point[1], "data": data}
        await self._page.cdp.send("Input.dispatchDragEvent", params)

    def _on_drag_intercepted(self, event: dict[str, Any]) -> None:
        if self._drag_data is not None and not self._drag_data.done():
            self._drag_data.set_result(event["data"])

    async def _send(self, kind: str, x: float, y: float, **params: Any) -> None:
        await self._page.cdp.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **params})


class InputDevices(shared_input.InputDevices):
    """The input devices of one tab, which elements use to act on the page."""

    mouse_type, keyboard_type = Mouse, Keyboard
    page: LivePage

    def listen(self, cdp: CdpSession) -> list[Coroutine[Any, Any, object]]:
        """Set up a CDP session of the page, or of a frame in another process.

        The caller awaits what is returned in one gather with the command that lets the page run. A gather of its own
        here would start these one step later, and the page would run without them.
        """
        cdp.on("Runtime.bindingCalled", lambda event: self._on_binding_called(cdp, event))
        cdp.on("Page.fileChooserOpened", self._on_file_chooser)
        cdp.on("Page.frameNavigated", lambda event: self.note_document(event["frame"]["id"]))
        return [
            cdp.send("Runtime.addBinding", {"name": COPIED_BINDING, "executionContextName": WORLD}),
            cdp.send("Runtime.addBinding", {"name": REPORT_BINDING, "executionContextName": WORLD}),
            self._watch_typing(cdp),
        ]

    async def _watch_typing(self, cdp: CdpSession) -> None:
        """If rove is typing, watch the documents that will load in this CDP session."""
        script = self.password_guard.script
        assert isinstance(script, DocumentScript)
        await script.add_to(cdp)

    def _on_binding_called(self, cdp: CdpSession, event: dict[str, Any]) -> None:
        if event["name"] == COPIED_BINDING:
            self.clipboard.note_copied(event["payload"], self.page.origins.of_context(cdp, event))
        elif event["name"] == REPORT_BINDING:
            self.on_report(event["payload"])

    def _on_file_chooser(self, event: dict[str, Any]) -> None:
        self.file_chooser.note_opened(event["frameId"], event.get("backendNodeId"))


class PersonInput(person_input.PersonInput):
    """The mouse, keyboard, touch screen and clipboard of the person who drives one tab."""

    _page: LivePage

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
            return self._page.cdp.send("Input.dispatchMouseEvent", self._mouse_event(event))
        if event.type in ("keyDown", "keyUp"):
            return self._page.cdp.send("Input.dispatchKeyEvent", _key_event(event))
        if event.type == "text":
            return self._page.cdp.send("Input.insertText", {"text": event.text})
        points = [] if event.type == "touchEnd" else [{"x": event.x, "y": event.y}]
        touch = {"type": event.type, "touchPoints": points, "modifiers": modifier_bits(event)}
        return self._page.cdp.send("Input.dispatchTouchEvent", touch)

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
