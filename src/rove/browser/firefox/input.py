"""Input to a page over WebDriver BiDi: the agent's mouse and keyboard, and what a person does."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TYPE_CHECKING, Any

from rove.browser.element import Button, Point
from rove.browser.failures import BrowserError
from rove.browser.firefox.frames import World
from rove.browser.firefox.live_page import LivePage
from rove.browser.shared import input as shared_input
from rove.browser.shared import person_input
from rove.browser.shared.clipboard import COPIED_BINDING
from rove.browser.shared.frames import World as SharedWorld
from rove.browser.shared.frames import world_inside
from rove.browser.shared.input import REPORT_BINDING, Position, first_points
from rove.browser.shared.keys import KEYS, MODIFIER_BITS, Key, foreign_key
from rove.browser.shared.person_input import ALT_GR_BITS, modifier_bits, written_text
from rove.errors import ScriptFailed, Unsupported
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.browser.input_event import InputEvent
    from rove.browser.page_data import TypedField

Action = dict[str, Any]
MOUSE_BUTTONS = {"left": 0, "middle": 1, "right": 2}
# Keys that write no text are private characters in WebDriver.
_CODE_POINTS = {
    "Backspace": 0xE003, "Tab": 0xE004, "Enter": 0xE007, "Shift": 0xE008, "Control": 0xE009, "Alt": 0xE00A,
    "Pause": 0xE00B, "Escape": 0xE00C, "PageUp": 0xE00E, "PageDown": 0xE00F, "End": 0xE010, "Home": 0xE011,
    "ArrowLeft": 0xE012, "ArrowUp": 0xE013, "ArrowRight": 0xE014, "ArrowDown": 0xE015, "Insert": 0xE016,
    "Delete": 0xE017, "Meta": 0xE03D, **{f"F{number}": 0xE030 + number for number in range(1, 13)},
}  # fmt: skip

# Seconds that a page waits until the keys of another page are handled.
TURN_SECONDS = 2.0

# Characters that one command types: enough to hide the latency, few enough for a slow page.
MAX_TYPED = 200
# Control characters but line breaks, such as tabs: no key writes them, so that each is inserted by itself.
_CONTROL = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]")
_RUNS = re.compile(rf"{_CONTROL.pattern}|(?:(?!{_CONTROL.pattern})[\s\S]){{1,{MAX_TYPED}}}")
Report = Callable[[str, str], None]

# Seconds within which Firefox counts presses of the mouse as one double click.
CLICK_SECONDS = 0.4


def key_value(key: Key) -> str | None:
    """Return a key as WebDriver names it; None for one that it does not have, such as CapsLock."""
    if (point := _CODE_POINTS.get(key.key)) is not None:
        return chr(point)
    return key.text or (key.key if len(key.key) == 1 else None)


def mouse(actions: list[Action]) -> Action:
    """Return what the mouse does."""
    return {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}


def touch(actions: list[Action]) -> Action:
    """Return what one finger does."""
    return {"type": "pointer", "id": "touch", "parameters": {"pointerType": "touch"}, "actions": actions}


def keyboard(actions: list[Action]) -> Action:
    """Return what the keyboard does."""
    return {"type": "key", "id": "keyboard", "actions": actions}


def wheel(actions: list[Action]) -> Action:
    """Return what the wheel does."""
    return {"type": "wheel", "id": "wheel", "actions": actions}


def move(x: float, y: float) -> Action:
    """Return a move of the pointer to a point of the viewport."""
    return {"type": "pointerMove", "x": x, "y": y, "duration": 0}


def pause(seconds: float = 0.0) -> Action:
    """Return a pause, by which a source waits for another."""
    return {"type": "pause", "duration": round(seconds * 1000)}


def while_keys_are_held(held: list[str], actions: list[Action]) -> list[Action]:
    """Return what the keyboard does, between the presses and the releases of other keys."""
    downs: list[Action] = [{"type": "keyDown", "value": key} for key in held]
    ups: list[Action] = [{"type": "keyUp", "value": key} for key in reversed(held)]
    return [*downs, *actions, *ups]


@dataclass(frozen=True)
class FramePlace:
    """A point of a frame, and how points of the tab are converted to points of the frame."""

    frame: str
    scale: Point = (1.0, 1.0)
    shift: Point = (0.0, 0.0)

    def convert(self, point: Point) -> Point:
        """Return a point of the tab as a point of the frame."""
        return point[0] * self.scale[0] + self.shift[0], point[1] * self.scale[1] + self.shift[1]


async def frame_at(page: LivePage, point: Point) -> FramePlace:
    """Return the innermost frame at a point of the tab."""
    worlds = page.worlds
    if len(await worlds.current()) == 1:
        return FramePlace(worlds.main.frame_id)
    world: World = worlds.main
    inner = point
    place = FramePlace(world.frame_id)
    while (hit := await world.call("(x, y) => rove.hitAt(x, y)", *inner)) and hit["isFrame"]:
        inside = await world_inside(worlds, world, hit["ref"], page.url.around(hit["line"]))
        if not isinstance(inside, World):
            break
        world, inner = inside, (hit["x"], hit["y"])
        place = FramePlace(world.frame_id, (1.0, 1.0), (inner[0] - point[0], inner[1] - point[1]))
    return place


@contextlib.asynccontextmanager
async def keyboard_turn(page: LivePage) -> AsyncGenerator[None]:
    """Keep the window of a page active within this block: the text of keys is written into no other window.

    Pages of all sessions take turns. One that does not answer to its keys holds up the others for a moment only.
    """
    lock = page.channel.connection.keyboard_lock
    has_turn = await _acquire(lock)
    try:
        await page.take_focus()
        yield
    finally:
        if has_turn:
            lock.release()


async def _acquire(lock: asyncio.Lock) -> bool:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(TURN_SECONDS):
            return await lock.acquire()
    return False


async def focused_frame(page: LivePage) -> str:
    """Return the frame that has the focus, in a page whose window is the active one."""
    worlds = await page.worlds.current()
    if len(worlds) == 1:
        return page.target_id
    for world in reversed(worlds):
        try:
            if not world.is_unresponsive and await world.call("() => rove.focusHere() !== null"):
                return world.frame_id
        except (BrowserError, ScriptFailed):
            continue  # the frame is being replaced
    return page.target_id


class Keyboard(shared_input.Keyboard):
    """Sends keys to the element that has the focus."""

    _page: LivePage

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
        async with keyboard_turn(self._page):
            for world in await self._page.every_world():
                if await world.call("text => rove.insertAtFocus(text)", text, as_user=True):
                    return

    async def _perform(self, actions: list[Action]) -> None:
        async with keyboard_turn(self._page):
            params = {"context": await focused_frame(self._page), "actions": [keyboard(actions)]}
            await self._page.channel.send("input.performActions", params)


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


class Mouse(shared_input.Mouse):
    """Moves, presses and drags at points of the viewport."""

    _page: LivePage

    async def send_move(self, x: float, y: float) -> None:
        place = await frame_at(self._page, (x, y))
        await self._perform(place, mouse([move(*place.convert((x, y)))]))

    async def send_wheel(self, point: Point, dx: float, dy: float) -> None:
        place = await frame_at(self._page, point)
        x, y = place.convert(point)
        turn = {"x": round(x), "y": round(y), "deltaX": round(dx), "deltaY": round(dy)}
        await self._perform(place, wheel([{"type": "scroll", **turn}]))

    async def send_click(self, point: Point, button: Button, count: int, modifiers: int, hold: float) -> None:
        place = await frame_at(self._page, point)
        number = {"button": MOUSE_BUTTONS[button]}
        down: Action = {"type": "pointerDown", **number}
        up: Action = {"type": "pointerUp", **number}
        pressed = [move(*place.convert(point)), *([down, up] * (count - 1)), down]
        held = [key for bit, key in MODIFIER_KEYS.items() if modifiers & bit]
        try:
            if not hold:
                await self._perform(place, *_with_keys(held, [*pressed, up]))
                return
            # Firefox ends no command early, so that a long one would still hold the button after a timeout.
            await self._perform(place, *_with_keys(held, pressed, releases=False))
            await asyncio.sleep(hold)
            await self._perform(place, *_with_keys(held, [up], presses=False))
        except BaseException:
            self._page.tasks.start(self._release(place))
            raise

    async def send_drag(self, start: Point, world: SharedWorld, stops: Sequence[Position], hold: float) -> None:
        place = await frame_at(self._page, start)
        # Firefox starts an HTML drag and then sends no events of it, so rove's script carries it out.
        await world.call("() => rove.takeDrags()")
        try:
            await self._move(place, start)
            await self._perform(place, mouse([{"type": "pointerDown", "button": 0}]))
            await asyncio.sleep(hold)
            for point in first_points(start):
                await self._move(place, point)
            texts: list[str] | None = await (await world.document()).call("() => rove.takenDrag()")
            if texts is None:
                await self._drag_with_pointer(place, start, world, stops, hold)
            else:
                await self._devices.secret_fields.refuse_drag(world, {"items": [{"data": text} for text in texts]})
                await self._drag_with_events(place, start, world, stops, hold)
        except BaseException:
            self._page.tasks.start(self._abandon(place, world))
            raise
        await self._page.unless_replaced(world.call("() => rove.endRelease()"))

    async def _drag_with_pointer(
        self, place: FramePlace, start: Point, world: SharedWorld, stops: Sequence[Position], hold: float
    ) -> None:
        end = await self.drag_over(start, stops, world, lambda point: self._move(place, point))
        await asyncio.sleep(hold)
        await self._move(place, end)
        await self._perform(place, mouse([{"type": "pointerUp", "button": 0}]))

    async def _drag_with_events(
        self, place: FramePlace, start: Point, world: SharedWorld, stops: Sequence[Position], hold: float
    ) -> None:
        async def drag_to(point: Point) -> None:
            await world.call("(x, y) => rove.dragTo(x, y)", *place.convert(point), as_user=True)

        end = await self.drag_over(start, stops, world, drag_to)
        await self.rest(hold, drag_to, end)
        await world.call("(x, y) => rove.endDrag(x, y, true)", *place.convert(end), as_user=True)
        await self._perform(place, mouse([{"type": "pointerUp", "button": 0}]))

    async def _abandon(self, place: FramePlace, world: SharedWorld) -> None:
        """End a drag that failed halfway: the page would take all that follows for a part of it."""
        with contextlib.suppress(BrowserError, ScriptFailed):
            await world.call("() => rove.endDrag(0, 0, false)")
        await self._release(place)
        with contextlib.suppress(BrowserError, ScriptFailed):
            await world.call("() => rove.endRelease()")

    async def _move(self, place: FramePlace, point: Point) -> None:
        await self._perform(place, mouse([move(*place.convert(point))]))

    async def _release(self, place: FramePlace) -> None:
        await self._page.channel.send("input.releaseActions", {"context": place.frame})

    async def _perform(self, place: FramePlace, *sources: Action) -> None:
        await self._page.channel.send("input.performActions", {"context": place.frame, "actions": list(sources)})


def _with_keys(held: list[str], pressed: list[Action], presses: bool = True, releases: bool = True) -> list[Action]:
    """Return what the mouse does while keys are held; each source waits while the other acts."""
    if not held:
        return [mouse(pressed)]
    downs: list[Action] = [{"type": "keyDown", "value": key} for key in held] if presses else []
    ups: list[Action] = [{"type": "keyUp", "value": key} for key in reversed(held)] if releases else []
    keys = [*downs, *(pause() for _ in pressed), *ups]
    return [keyboard(keys), mouse([*(pause() for _ in downs), *pressed, *(pause() for _ in ups)])]


class InputDevices(shared_input.InputDevices):
    """The input devices of one tab, which elements use to act on the page."""

    mouse_type, keyboard_type = Mouse, Keyboard
    page: LivePage

    def listen(self, on_report: Report) -> None:
        """Hear what rove's script reports; `on_report` gets all of it too, with the realm that it runs in."""
        channel = self.page.channel
        channel.on("script.message", lambda event: self._on_message(event, on_report))
        channel.on("input.fileDialogOpened", self._on_file_dialog)
        channel.on("browsingContext.navigationCommitted", lambda event: self.note_document(event["context"]))

    def _on_message(self, event: dict[str, Any], on_report: Report) -> None:
        text = str(event["data"].get("value") or "")
        if event["channel"] == COPIED_BINDING:
            self.clipboard.note_copied(text, self.page.origins.of(event["source"].get("context")))
        elif event["channel"] == REPORT_BINDING:
            self.on_report(text)
            on_report(text, event["source"]["realm"])

    def _on_file_dialog(self, event: dict[str, Any]) -> None:
        element = event.get("element") or {}
        self.file_chooser.note_opened(event["context"], element.get("sharedId"))


class PersonInput(person_input.PersonInput):
    """The mouse, keyboard, touch screen and clipboard of the person who drives one tab."""

    _page: LivePage

    def __init__(self, devices: InputDevices, on_typed: Callable[[TypedField], object]) -> None:
        super().__init__(devices, on_typed)
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
        async with keyboard_turn(self._page):
            params = {"context": await focused_frame(self._page), "actions": [keyboard(pressed)]}
            await self._page.channel.send("input.performActions", params)

    def _missing(self, event: InputEvent) -> list[str]:
        """Return the modifiers that the person holds, and whose own events have not come."""
        held = {each.key for each in self._keys.values()}
        return [value_of(KEYS[name]) for name in event.modifiers if name not in held]

    async def _point(self, event: InputEvent) -> None:
        place = self._pressed or await frame_at(self._page, (event.x, event.y))
        if event.type in ("mouseDown", "touchStart"):
            self._pressed = place
        elif event.type in ("mouseUp", "touchEnd"):
            self._pressed = None
        source = self._source(event, *place.convert((event.x, event.y)))
        await self._page.channel.send("input.performActions", {"context": place.frame, "actions": [source]})

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
