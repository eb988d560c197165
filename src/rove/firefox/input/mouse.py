"""The mouse of a page, over WebDriver BiDi."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rove.browser.element import Point
from rove.browser.failures import BrowserError
from rove.errors import ScriptFailed
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

DRAG_OVER_INTERVAL = 0.1


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
        # Firefox starts an HTML drag and then sends no events of it, so rove's script carries it out.
        await world.call("() => rove.takeDrags()")
        try:
            await self._move(place, start)
            await self._perform(place, mouse([{"type": "pointerDown", "button": 0}]))
            await asyncio.sleep(hold)
            for point in points_between(start, (start[0] + 6, start[1] + 6), 3):
                await self._move(place, point)
            texts: list[str] | None = await (await world.document()).call("() => rove.takenDrag()")
            if texts is None:
                await self._drag_with_pointer(place, start, world, stops, hold)
            else:
                await self._secret_fields.refuse_drag(world, {"items": [{"data": text} for text in texts]})
                await self._drag_with_events(place, start, world, stops, hold)
        except BaseException:
            self._page.tasks.start(self._abandon(place, world))
            raise
        await self._page.unless_replaced(world.call("() => rove.endRelease()"))

    async def _drag_with_pointer(
        self, place: FramePlace, start: Point, world: World, stops: Sequence[Position], hold: float
    ) -> None:
        end = await self.drag_over(start, stops, world, lambda point: self._move(place, point))
        await asyncio.sleep(hold)
        await self._move(place, end)
        await self._perform(place, mouse([{"type": "pointerUp", "button": 0}]))

    async def _drag_with_events(
        self, place: FramePlace, start: Point, world: World, stops: Sequence[Position], hold: float
    ) -> None:
        async def drag_to(point: Point) -> None:
            await world.call("(x, y) => rove.dragTo(x, y)", *place.convert(point), as_user=True)

        end = await self.drag_over(start, stops, world, drag_to)
        until = time.monotonic() + hold
        while time.monotonic() < until:
            # A browser repeats `dragover` while the pointer rests on an element.
            await asyncio.sleep(DRAG_OVER_INTERVAL)
            await drag_to(end)
        await world.call("(x, y) => rove.endDrag(x, y, true)", *place.convert(end), as_user=True)
        await self._perform(place, mouse([{"type": "pointerUp", "button": 0}]))

    async def _abandon(self, place: FramePlace, world: World) -> None:
        """End a drag that failed halfway: the page would take all that follows for a part of it."""
        with contextlib.suppress(BrowserError, ScriptFailed):
            await world.call("() => rove.endDrag(0, 0, false)")
        await self._release(place)
        with contextlib.suppress(BrowserError, ScriptFailed):
            await world.call("() => rove.endRelease()")

    async def _move(self, place: FramePlace, point: Point) -> None:
        await self._perform(place, mouse([move(*place.convert(point))]))

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
