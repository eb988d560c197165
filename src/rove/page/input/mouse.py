"""The mouse: moves, clicks, wheel and drags."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rove.browser.element import DragStop, Point
from rove.browser.page_data import Box
from rove.page.frames.world import World
from rove.page.input.guards import InputGuards

if TYPE_CHECKING:
    from rove.browser.element import Button, PointerTarget
    from rove.page.live_page import LivePage

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


class Mouse(ABC):
    """Moves, presses and drags at points of the viewport."""

    def __init__(self, page: LivePage, guards: InputGuards) -> None:
        self._page = page
        self._secret_fields = guards.secret_fields
        self._password_guard = guards.password
        self._clipboard = guards.clipboard

    # Primitives of an engine

    @abstractmethod
    async def send_move(self, x: float, y: float) -> None: ...

    @abstractmethod
    async def send_click(self, point: Point, button: Button, count: int, modifiers: int, hold: float) -> None:
        """Move to a point, press and release `count` times; the last release comes after `hold` seconds."""

    @abstractmethod
    async def send_wheel(self, point: Point, dx: float, dy: float) -> None: ...

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
        await self._secret_fields.protect()
        if button == "middle":
            # On Linux a middle click pastes, and would paste what is selected in another session.
            await self._clipboard.offer(await self._page.every_world(), None)
        guard = self._password_guard.guarding(writes=False) if button == "middle" else contextlib.nullcontext()
        async with guard:
            await self._page.dialogs.run_until_dialog(self.send_click((x, y), button, count, modifiers, hold))

    async def wheel(self, point: Point, dx: float, dy: float) -> None:
        """Turn the wheel over a point by so many pixels."""
        await self._secret_fields.protect()
        await self.move(*point)
        await self._page.dialogs.run_until_dialog(self.send_wheel(point, dx, dy))

    async def drag(self, start: Point, world: World, stops: Sequence[Position], hold: float = 0) -> None:
        """Press at the start, move from stop to stop and release at the last one.

        The position of a stop is determined
        when the drag gets there, since scrolling it into view may move the start out of view.
        `hold`: seconds to wait after the press, and again before the release.
        """
        await self._secret_fields.protect()
        async with self._password_guard.guarding(writes=False):
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
