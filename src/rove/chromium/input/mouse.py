"""The mouse of a page, over the DevTools protocol."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any

from rove.browser.element import Point
from rove.page.frames.world import World
from rove.page.input import mouse
from rove.page.input.mouse import Position, points_between

if TYPE_CHECKING:
    from rove.browser.element import Button
    from rove.chromium.events.live_page import LivePage
    from rove.page.input.guards import InputGuards

BUTTON_BITS: dict[str, int] = {"left": 1, "right": 2, "middle": 4}
DRAG_TIMEOUT = 1.0
DRAG_OVER_INTERVAL = 0.1


class Mouse(mouse.Mouse):
    """Moves, presses and drags at points of the viewport.

    If the page starts an HTML drag, drag events are sent instead of moves.
    """

    def __init__(self, page: LivePage, guards: InputGuards) -> None:
        super().__init__(page, guards)
        self._cdp = page.cdp
        self._drag_data: asyncio.Future[dict[str, Any]] | None = None
        page.cdp.on("Input.dragIntercepted", self._on_drag_intercepted)

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
        await self._cdp.send("Input.setInterceptDrags", {"enabled": True})
        try:
            await self._send("mouseMoved", *start)
            await self._send("mousePressed", *start, button="left", buttons=1, clickCount=1)
            await asyncio.sleep(hold)
            for point in points_between(start, (start[0] + 6, start[1] + 6), 3):
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
            await self._cdp.send("Input.setInterceptDrags", {"enabled": False})

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
            await self._secret_fields.refuse_drag(world, data)
        except BaseException:
            # Else the page would take all that follows for a part of this drag.
            await self._dispatch_drag("dragEnter", start, data)
            await self._dispatch_drag("dragCancel", start, data)
            raise

    async def _drag_with_events(
        self, data: dict[str, Any], start: Point, world: World, stops: Sequence[Position], hold: float
    ) -> None:
        await self._dispatch_drag("dragEnter", start, data)
        end = await self.drag_over(start, stops, world, lambda point: self._dispatch_drag("dragOver", point, data))
        until = time.monotonic() + hold
        while time.monotonic() < until:
            # A browser repeats `dragover` while the pointer rests on an element.
            await asyncio.sleep(DRAG_OVER_INTERVAL)
            await self._dispatch_drag("dragOver", end, data)
        await self._dispatch_drag("drop", end, data)

    async def _dispatch_drag(self, kind: str, point: Point, data: dict[str, Any]) -> None:
        params = {"type": kind, "x": point[0], "y": point[1], "data": data}
        await self._cdp.send("Input.dispatchDragEvent", params)

    def _on_drag_intercepted(self, event: dict[str, Any]) -> None:
        if self._drag_data is not None and not self._drag_data.done():
            self._drag_data.set_result(event["data"])

    async def _send(self, kind: str, x: float, y: float, **params: Any) -> None:
        await self._cdp.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **params})
