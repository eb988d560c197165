"""The mouse of a page, as WebDriver's actions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rove.browser.element import Point
from rove.page.frames.world import World
from rove.page.input import mouse
from rove.page.input.mouse import Position, points_between
from rove.webkit.input.actions import (
    BUTTONS,
    PAUSE,
    Tick,
    key_down,
    key_up,
    modifier_values,
    move_to,
    perform,
    turn_wheel,
)

if TYPE_CHECKING:
    from rove.browser.element import Button
    from rove.page.input.guards import InputGuards
    from rove.webkit.events.live_page import LivePage

# Pixels of the first moves of a drag, after which a page knows that it is one.
FIRST_PIXELS = 6


class Mouse(mouse.Mouse):
    """Moves, presses and drags at points of the viewport. What WebKit makes a drag of HTML is up to WebKit."""

    def __init__(self, page: LivePage, guards: InputGuards) -> None:
        super().__init__(page, guards)
        self._window = page

    async def send_move(self, x: float, y: float) -> None:
        await perform(self._window, [move_to((x, y))])

    async def send_wheel(self, point: Point, dx: float, dy: float) -> None:
        await turn_wheel(self._window, point, dx, dy)

    async def send_click(self, point: Point, button: Button, count: int, modifiers: int, hold: float) -> None:
        down, up = _press(button), _release(button)
        held = modifier_values(modifiers)
        pressed: list[Tick] = [*([PAUSE] * len(held)), move_to(point), *([down, up] * (count - 1)), down]
        pause: Tick = {"type": "pause", "duration": round(hold * 1000)}
        ticks = [*pressed, *([pause] if hold else []), up]
        middle = [PAUSE] * (len(ticks) - len(held))
        keys = [*map(key_down, held), *middle, *map(key_up, reversed(held))] if held else None
        await perform(self._window, ticks, keys)

    async def send_drag(self, start: Point, world: World, stops: Sequence[Position], hold: float) -> None:
        await perform(self._window, [move_to(start), _press("left")])
        try:
            await asyncio.sleep(hold)
            for point in points_between(start, (start[0] + FIRST_PIXELS, start[1] + FIRST_PIXELS), 3):
                await self.send_move(*point)
            await self.drag_over(start, stops, world, lambda point: self.send_move(*point))
            await asyncio.sleep(hold)
        except BaseException:
            # The page would take later moves for a part of the drag.
            self._page.tasks.start(perform(self._window, [_release("left")]))
            raise
        await perform(self._window, [_release("left")])


def _press(button: Button) -> Tick:
    return {"type": "pointerDown", "button": BUTTONS[button]}


def _release(button: Button) -> Tick:
    return {"type": "pointerUp", "button": BUTTONS[button]}
