"""Input to a page: mouse, wheel and keyboard, what they go through before they act, and what the page reports.

`acting/presses.js` and `acting/element_calls.js` report the result of a press, and the answer of an act.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from rove.browser.element import Button, DragStop, Point, PointerTarget, SecretSource
from rove.browser.page_data import Box
from rove.browser.page_state import PageEvents
from rove.browser.shared.aims import Aims, FilledField
from rove.browser.shared.clipboard import Clipboard
from rove.browser.shared.dialogs import Dialogs
from rove.browser.shared.frames import World, to_tab_point
from rove.browser.shared.keys import Key, key_named, split_combination
from rove.browser.shared.live_page import LivePage
from rove.browser.shared.page_observer import PageObserver
from rove.browser.shared.secrets import FocusedElement, NoSecrets, PasswordGuard, SecretFields
from rove.browser.shared.uploads import FileChooser, copy_files
from rove.page_text import Own
from rove.tasks import Interrupted, Interruption, Signal

# The function by which rove's script reports modes and presses. Only rove's isolated world has it.
REPORT_BINDING = "roveTell"
PRESS_PREFIX = "pressed "
DONE_PREFIX = "done "

# The longest that Escape waits for a dialog or a menu that is opening, and would ignore it.
MAX_LAYER_WAIT_MS = 1000
# Keys that copy, cut or paste while a modifier is held.
CLIPBOARD_KEYS = frozenset({"c", "v", "x", "insert", "delete"})

# Returns where to drag to, for a pointer that comes from a point.
Position = Callable[[Point], Awaitable[DragStop]]
Move = Callable[[Point], Awaitable[None]]
# The moves of a drag between two stops: sliders and sortable lists need several. A short distance takes fewer.
MAX_DRAG_STEPS = 12
MIN_DRAG_STEPS = 3
PIXELS_PER_STEP = 10
# The last pixels of a drag are slow, as a person's are: sortable lists look at the pointer only every 30 to 50 ms.
SLOW_PIXELS = 6.0
SLOW_STEPS = 4
SLOW_INTERVAL = 0.04
# How far past the middle of its target a drag ends, as a part of the target's size.
PAST_MIDDLE = 0.2
# A pointer that is this many pixels from a box may already be in its margin.
BOX_MARGIN = 4.0
# The most seconds that a move of a drag waits for items that make room with an animation, and from the start of the
# drag on.
MAX_ANIMATION = 0.6
MAX_ANIMATION_SECONDS = 4.0
# Seconds between two events of what is dragged and rests.
DRAG_OVER_INTERVAL = 0.1
# Pixels of the first moves of a drag, after which a page knows that it is one.
FIRST_PIXELS = 6


class PageModes:
    """The modes of one tab, as rove's script in the page reports them (`browser/scripts/page/reports.js`)."""

    def __init__(self, world: World, page_events: PageEvents) -> None:
        self._world = world
        self._events = page_events
        self._is_pointer_locked = False
        self._is_printing = False

    @contextlib.contextmanager
    def printing(self) -> Generator[None]:
        """Ignore print reports in this block: rove prints the page itself, and the page did not ask for it."""
        self._is_printing = True
        try:
            yield
        finally:
            self._is_printing = False

    def start_document(self) -> None:
        """Forget the pointer lock of the previous document."""
        self._is_pointer_locked = False

    async def release_pointer_lock(self) -> None:
        """Release the pointer lock: a page that holds it receives every press, even outside of it."""
        if self._is_pointer_locked:
            await self._world.call("() => rove.releasePointer()")

    async def exit(self) -> None:
        """Leave fullscreen and release the pointer lock, as a browser does on Escape."""
        if await self._world.call("() => rove.leaveModes()"):
            self._events.add("mode left", Own("The page no longer holds the screen or the pointer."))

    def on_report(self, report: str) -> None:
        match report:
            case "print" if self._is_printing:
                return  # rove prints the page
            case "print":
                self._events.add("print ignored", Own("The page asked to be printed."))
            case "pointer held" | "pointer free" as state:
                self._is_pointer_locked = state == "pointer held"
            case _:
                return  # a report of another kind


class PressResult(NamedTuple):
    """A press that the page received; `missed` says what it hit instead of the intended element, if it did."""

    missed: str | None


class PressTracker:
    """The result of the latest press in one tab."""

    def __init__(self) -> None:
        self._result: PressResult | None = None

    def reset(self) -> None:
        """Forget the last result, before another press."""
        self._result = None

    @property
    def result(self) -> PressResult | None:
        """The result of the latest press; None if none was reported, which does not mean that nothing was pressed."""
        return self._result

    def on_report(self, report: str) -> None:
        if report.startswith(PRESS_PREFIX):
            self._result = PressResult(json.loads(report.removeprefix(PRESS_PREFIX)))


class DoneReports:
    """The answers of acts that were done when a listener of the page opened a dialog, which blocks the page."""

    def __init__(self, dialogs: Dialogs) -> None:
        self._dialogs = dialogs
        self._answer: dict[str, Any] = {}
        self._has_come = Signal()

    async def answer_of(self, act: Awaitable[dict[str, Any]]) -> dict[str, Any]:
        """Return the answer of an act; if a dialog holds it back, the one that was reported before."""
        self._has_come.clear()
        try:
            with Interruption(self._dialogs.opened, self._has_come, when=self._is_blocked):
                return await act
        except Interrupted:
            return self._answer

    def _is_blocked(self) -> bool:
        return self._dialogs.open is not None and self._has_come.is_held

    def on_report(self, report: str) -> None:
        if report.startswith(DONE_PREFIX):
            self._answer = json.loads(report.removeprefix(DONE_PREFIX))
            self._has_come.hold()


class Keyboard(ABC):
    """Sends keys to the element that has the focus."""

    def __init__(self, devices: InputDevices) -> None:
        self._devices = devices
        self._page = devices.page

    # Primitives of an engine

    @abstractmethod
    async def send_press(self, held_keys: list[Key], last: Key, hold: float) -> None:
        """Press keys one after the other, and release them after `hold` seconds."""

    @abstractmethod
    async def send_text(self, text: str) -> None:
        """Type every character with a key."""

    @abstractmethod
    async def insert_text(self, text: str) -> None:
        """Write a text in place of what is selected, as an input method does."""

    # What follows from them

    async def press(self, combination: str, hold: float = 0, into: FocusedElement | None = None) -> None:
        """Press a key or a combination, and release it after `hold` seconds; `into` gets the focus first."""
        *held_keys, last = (key_named(part) for part in split_combination(combination))
        writes = last.text not in ("", "\r") and all(key.key == "Shift" for key in held_keys)
        async with contextlib.AsyncExitStack() as stack:
            if held_keys or writes:
                # A single key that writes no text cannot change a password field; a combination may paste into it.
                await stack.enter_async_context(self._devices.password_guard.guarding(writes, into))
            elif into is not None:
                await into.focus()
            await self._devices.secret_fields.protect()
            if last.key == "Escape":
                await self._page.worlds.main.call("ms => rove.untilLayersRest(ms)", MAX_LAYER_WAIT_MS)
            if held_keys and last.key.lower() in CLIPBOARD_KEYS:
                await stack.enter_async_context(self._devices.clipboard.offering(await self._page.every_world()))
            await self._page.dialogs.run_until_dialog(self.send_press(held_keys, last, hold))
        if last.key == "Escape" and self._page.dialogs.open is None:
            await self._devices.page_modes.exit()

    async def type(self, text: str, into: FocusedElement | None = None) -> None:
        """Type every character with a key; `into` gets the focus first."""
        async with self._devices.password_guard.guarding(into=into):
            await self._devices.secret_fields.protect()
            await self._page.dialogs.run_until_dialog(self.send_text(text))

    async def replace(self, text: str) -> None:
        """Replace the selected text."""
        if text:
            async with self._devices.password_guard.guarding():
                await self._page.dialogs.run_until_dialog(self.insert_text(text))
        else:
            await self.press("Delete")


class Mouse(ABC):
    """Moves, presses and drags at points of the viewport."""

    def __init__(self, devices: InputDevices) -> None:
        self._devices = devices
        self._page = devices.page

    # Primitives of an engine

    @abstractmethod
    async def send_move(self, x: float, y: float) -> None:
        """Move to a point of the viewport."""

    @abstractmethod
    async def send_click(self, point: Point, button: Button, count: int, modifiers: int, hold: float) -> None:
        """Move to a point, press and release `count` times; the last release comes after `hold` seconds."""

    @abstractmethod
    async def send_wheel(self, point: Point, dx: float, dy: float) -> None:
        """Turn the wheel over a point by so many pixels."""

    @abstractmethod
    async def send_drag(self, start: Point, world: World, stops: Sequence[Position], hold: float) -> None:
        """Press at the start, move from stop to stop and release at the last one."""

    # What follows from them

    async def move(self, x: float, y: float) -> None:
        """Move the pointer to a point, in two moves, as some tooltips close only at the second one outside of them."""
        # One after the other: the browser makes one event of moves that it receives within a frame.
        await self.send_move(max(x - 1, 0), y)
        await self.send_move(x, y)

    async def click(self, x: float, y: float, button: Button, count: int, modifiers: int, hold: float = 0) -> None:
        """Press and release `count` times; the last release comes after `hold` seconds."""
        await self._devices.secret_fields.protect()
        if button == "middle":
            # On Linux a middle click pastes, and would paste what is selected in another session.
            await self._devices.clipboard.offer(await self._page.every_world(), None)
        guard = self._devices.password_guard.guarding(writes=False) if button == "middle" else contextlib.nullcontext()
        async with guard:
            await self._page.dialogs.run_until_dialog(self.send_click((x, y), button, count, modifiers, hold))

    async def wheel(self, point: Point, dx: float, dy: float) -> None:
        """Turn the wheel over a point by so many pixels."""
        await self._devices.secret_fields.protect()
        await self.move(*point)
        await self._page.dialogs.run_until_dialog(self.send_wheel(point, dx, dy))

    async def drag(self, start: Point, world: World, stops: Sequence[Position], hold: float = 0) -> None:
        """Press at the start, move from stop to stop and release at the last one.

        The position of a stop is determined
        when the drag gets there, since scrolling it into view may move the start out of view.
        `hold`: seconds to wait after the press, and again before the release.
        """
        await self._devices.secret_fields.protect()
        async with self._devices.password_guard.guarding(writes=False):
            await self.send_drag(start, world, stops, hold)

    async def drag_over(self, start: Point, stops: Sequence[Position], world: World, move_now: Move) -> Point:
        """Move from stop to stop, slowly at the last one; return where the pointer is then."""
        animations = _Animations(world)

        async def move(point: Point) -> None:
            await animations.end()
            await move_now(point)

        end = slow_from = start
        for stop in stops:
            # The place is determined again on the way, since a page may make room for what is dragged; but not once the
            # pointer is there, since a sortable list then moves the target out of its way.
            on_the_way = _point_outside(start, await stop(start))
            await self._move_along(start, on_the_way, move)
            await animations.end()
            end = (await stop(start)).point
            slow_from = _point_before(start, end) if stop is stops[-1] else end
            await self._move_along(on_the_way, slow_from, move)
            start = end
        for point in points_between(slow_from, end, SLOW_STEPS):
            await asyncio.sleep(SLOW_INTERVAL)
            await move(point)
        await asyncio.sleep(SLOW_INTERVAL)
        return end

    async def rest(self, seconds: float, drag_over: Move, end: Point) -> None:
        """Hold what is dragged over a point: a browser repeats `dragover` while the pointer rests on an element."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            await asyncio.sleep(DRAG_OVER_INTERVAL)
            await drag_over(end)

    async def _move_along(self, start: Point, end: Point, move: Move) -> None:
        if start == end:
            return
        for point in points_between(start, end, _step_count(start, end)):
            await move(point)


class _Animations:
    """Waits for the animations by which a page makes room for what is dragged, for a limited time in one drag.

    A list takes an item to be where it goes, while the browser still finds it, and the pointer, elsewhere.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._until = time.monotonic() + MAX_ANIMATION_SECONDS

    async def end(self) -> None:
        if (left := self._until - time.monotonic()) > 0:
            await self._world.call("ms => rove.untilAnimationsEnd(ms)", min(left, MAX_ANIMATION) * 1000)


def _point_outside(start: Point, stop: DragStop) -> Point:
    """Return a point on the way to a stop at which the pointer has not reached its box yet."""
    parts = [part / 10 for part in range(6, 0, -1)]
    points = (_point_between(start, stop.point, part) for part in parts)
    return next((point for point in points if not _is_in(point, stop.box)), start)


def _is_in(point: Point, box: Box) -> bool:
    x, y = point[0] - box["x"], point[1] - box["y"]
    return -BOX_MARGIN <= x <= box["width"] + BOX_MARGIN and -BOX_MARGIN <= y <= box["height"] + BOX_MARGIN


def _point_before(start: Point, end: Point) -> Point:
    """Return the point from which on the pointer is slow, on the way to the end."""
    distance = math.dist(start, end)
    return _point_between(start, end, max(distance - SLOW_PIXELS, 0) / distance if distance else 1)


def _step_count(start: Point, end: Point) -> int:
    return max(MIN_DRAG_STEPS, min(MAX_DRAG_STEPS, round(math.dist(start, end) / PIXELS_PER_STEP)))


def _point_between(start: Point, end: Point, part: float) -> Point:
    return start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part


def points_between(start: Point, end: Point, steps: int) -> list[Point]:
    """Return points on the way, the end last."""
    return [_point_between(start, end, step / steps) for step in range(1, steps + 1)]


def first_points(start: Point) -> list[Point]:
    """Return the first points of a drag, after which a page knows that it is one."""
    return points_between(start, (start[0] + FIRST_PIXELS, start[1] + FIRST_PIXELS), 3)


def drag_positions(stops: Sequence[PointerTarget], is_in_list: bool) -> list[Position]:
    """Return where to drag to: past the middle of each stop for an item of a list, at the middle for others."""
    return [partial(_drag_stop, stop, is_in_list) for stop in stops]


async def _drag_stop(stop: PointerTarget, is_in_list: bool, start: Point) -> DragStop:
    return await stop.drag_stop(start if is_in_list else None)


def past_middle(start: float | None, edge: float, size: float) -> float:
    """Return the middle of an extent; past it, in the direction of travel, if the start lies outside the extent.

    A sortable list puts an item before or after another, by the half that the pointer is in.
    """
    if start is None:
        return edge + size / 2
    if edge <= start <= edge + size:
        return edge + size / 2 - min(1, size / 4)  # at the very middle some lists do not know where to insert
    part = 0.5 + PAST_MIDDLE if start < edge else 0.5 - PAST_MIDDLE
    return edge + size * part


class InputDevices:
    """The input devices of one tab, which elements use to act on the page."""

    # Those of the engine.
    mouse_type: ClassVar[type[Mouse]]
    keyboard_type: ClassVar[type[Keyboard]]

    def __init__(self, page: LivePage, observer: PageObserver, clipboard: Clipboard, scratch: Path) -> None:
        self.page = page
        self.events = events = page.events
        # Called with the world of each frame that an action acts in.
        self.note_touched = observer.note_touched
        self.aria = observer.aria
        # The folder for copies of uploaded files, which the page may read until it is closed.
        self.scratch = scratch
        # The SHA-256 of files that a person was shown, by path, while an action that they approved runs.
        self.approved_files: dict[str, str] = {}
        self.clipboard = clipboard
        self.secrets: SecretSource = NoSecrets()
        self.page_modes = PageModes(page.worlds.main, events)
        self.aims: Aims[Any] = Aims()
        # The fields that the running action has filled in, and the value of each.
        self.filled: list[tuple[FilledField, str]] = []
        self.press_tracker = PressTracker()
        self.done_reports = DoneReports(page.dialogs)
        self.file_chooser = FileChooser(events)
        self.password_guard = PasswordGuard(page, self._offer)
        self.secret_fields = SecretFields(page.every_world, events, lambda: clipboard.secrets)
        self.mouse = self.mouse_type(self)
        self.keyboard = self.keyboard_type(self)

    def on_report(self, report: str) -> None:
        """Handle what rove's script in a frame reports."""
        for part in (self.press_tracker, self.done_reports, self.secret_fields, self.page_modes):
            part.on_report(report)

    def note_document(self, frame: str) -> None:
        """Note that a frame shows another document."""
        self.file_chooser.note_document(frame)

    async def copy_files(self, paths: tuple[str, ...]) -> list[Path]:
        """Copy files of the workspace to where only the page reads them; returns the copies."""
        return await copy_files(self.page.settings, paths, self.scratch, self.approved_files)

    @property
    def known_secrets(self) -> SecretSource:
        """The secrets of the session, also before an action has typed one."""
        return self.clipboard.secrets

    def _offer(self, origin: str) -> str:
        return self.secrets.offer(origin)


async def scroll_by_wheel(devices: InputDevices, world: World, answer: dict[str, Any]) -> dict[str, int]:
    """Return the scroll position, after turning the wheel if the page left that to the caller."""
    if wheel := answer.get("wheel"):
        point = await to_tab_point(devices.page.worlds, world, wheel["x"], wheel["y"])
        await devices.mouse.wheel(point, wheel["dx"], wheel["dy"])
        answer = await world.call("() => rove.afterWheel()")
    return scroll_position(answer)


def scroll_position(answer: dict[str, Any]) -> dict[str, int]:
    """Return how far a page or an element is scrolled, from the answer of its script."""
    return {name: answer[name] for name in ("x", "y", "below")}
