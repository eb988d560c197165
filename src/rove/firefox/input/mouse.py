"""The mouse of a page, over WebDriver BiDi."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rove.browser.element import Point
from rove.firefox.input.actions import MOUSE_BUTTONS, Action, keyboard, mouse, move, pause, wheel
from rove.firefox.input.frame_places import FramePlace, frame_at
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
        self._live_page = page
        self._channel = page.channel

    async def send_move(self, x: float, y: float) -> None:
        place = await frame_at(self._live_page, (x, y))
        await self._perform(place, mouse([move(*place.convert((x, y)))]))

    async def send_wheel(self, point: Point, dx: float, dy: float) -> None:
        place = await frame_at(self._live_page, point)
        x, y = place.convert(point)
        turn = {"x": round(x), "y": round(y), "deltaX": round(dx), "deltaY": round(dy)}
        await self._perform(place, wheel([{"type": "scroll", **turn}]))

    async def send_click(self, point: Point, button: Button, count: int, modifiers: int, hold: float) -> None:
        place = await frame_at(self._live_page, point)
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

    async def send_drag(self, start: Point, world: World, stops: Sequence[Position], hold: float) -> None:
        place = await frame_at(self._live_page, start)

        async def move_to(point: Point) -> None:
            await self._perform(place, mouse([move(*place.convert(point))]))

        try:
            await move_to(start)
            await self._perform(place, mouse([{"type": "pointerDown", "button": 0}]))
            await asyncio.sleep(hold)
            for point in points_between(start, (start[0] + 6, start[1] + 6), 3):
                await move_to(point)
            if await world.call("() => rove.hasDragStarted()"):
                await self._secret_fields.refuse_drag(world, {})
            end = await self.drag_over(start, stops, world, move_to)
            await asyncio.sleep(hold)
            await move_to(end)
            await self._perform(place, mouse([{"type": "pointerUp", "button": 0}]))
        except BaseException:
            self._page.tasks.start(self._release(place))
            raise

    async def _release(self, place: FramePlace) -> None:
        await self._channel.send("input.releaseActions", {"context": place.frame})

    async def _perform(self, place: FramePlace, *sources: Action) -> None:
        await self._channel.send("input.performActions", {"context": place.frame, "actions": list(sources)})


def _with_keys(held: list[str], pressed: list[Action], presses: bool = True, releases: bool = True) -> list[Action]:
    """Return what the mouse does while keys are held; each source waits while the other acts."""
    if not held:
        return [mouse(pressed)]
    downs: list[Action] = [{"type": "keyDown", "value": key} for key in held] if presses else []
    ups: list[Action] = [{"type": "keyUp", "value": key} for key in reversed(held)] if releases else []
    keys = [*downs, *(pause() for _ in pressed), *ups]
    return [keyboard(keys), mouse([*(pause() for _ in downs), *pressed, *(pause() for _ in ups)])]
