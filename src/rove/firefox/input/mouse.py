"""The mouse of a page, over WebDriver BiDi."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rove.browser.element import Point
from rove.firefox.input.actions import MOUSE_BUTTONS, Action, keyboard, mouse, move, pause, wheel
from rove.firefox.input.keyboard import MODIFIER_KEYS
from rove.page.frames.world import World
from rove.page.input import mouse as shared
from rove.page.input.mouse import Position, points_between

if TYPE_CHECKING:
    from rove.browser.element import Button
    from rove.firefox.events.live_page import LivePage
    from rove.page.input.guards import InputGuards


class Mouse(shared.Mouse):
    """Moves, presses and drags at points of the viewport."""

    def __init__(self, page: LivePage, guards: InputGuards) -> None:
        super().__init__(page, guards)
        self._channel = page.channel

    async def send_move(self, x: float, y: float) -> None:
        await self._perform(mouse([move(x, y)]))

    async def send_wheel(self, point: Point, dx: float, dy: float) -> None:
        place = {"x": round(point[0]), "y": round(point[1]), "deltaX": round(dx), "deltaY": round(dy)}
        await self._perform(wheel([{"type": "scroll", **place}]))

    async def send_click(self, point: Point, button: Button, count: int, modifiers: int, hold: float) -> None:
        number = {"button": MOUSE_BUTTONS[button]}
        down: Action = {"type": "pointerDown", **number}
        up: Action = {"type": "pointerUp", **number}
        pressed = [move(*point), *([down, up] * (count - 1)), down, *([pause(hold)] if hold else []), up]
        held = [key for bit, key in MODIFIER_KEYS.items() if modifiers & bit]
        if not held:
            await self._releasing_on_failure(mouse(pressed))
            return
        # Each source does one thing at a time: the mouse waits until the keys are down, the keys until it has clicked.
        waits = [pause() for _ in held]
        keys: list[Action] = [{"type": "keyDown", "value": key} for key in held]
        keys += [pause() for _ in pressed]
        keys += [{"type": "keyUp", "value": key} for key in reversed(held)]
        await self._releasing_on_failure(keyboard(keys), mouse([*waits, *pressed, *waits]))

    async def send_drag(self, start: Point, world: World, stops: Sequence[Position], hold: float) -> None:
        try:
            await self._perform(mouse([move(*start), {"type": "pointerDown", "button": 0}]))
            await asyncio.sleep(hold)
            for point in points_between(start, (start[0] + 6, start[1] + 6), 3):
                await self.send_move(*point)
            if await world.call("() => rove.hasDragStarted()"):
                await self._secret_fields.refuse_drag(world, {})
            end = await self.drag_over(start, stops, world, self._move_to)
            await asyncio.sleep(hold)
            await self._move_to(end)
            await self._perform(mouse([{"type": "pointerUp", "button": 0}]))
        except BaseException:
            self._page.tasks.start(self._release())
            raise

    async def _move_to(self, point: Point) -> None:
        await self.send_move(*point)

    async def _releasing_on_failure(self, *sources: Action) -> None:
        """Act; release what is pressed even on a timeout: the page would take later moves for a drag."""
        try:
            await self._perform(*sources)
        except BaseException:
            self._page.tasks.start(self._release())
            raise

    async def _release(self) -> None:
        await self._channel.send("input.releaseActions")

    async def _perform(self, *sources: Action) -> None:
        await self._channel.send("input.performActions", {"actions": list(sources)})
