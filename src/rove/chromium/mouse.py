"""The pointer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal

from rove.chromium.worlds import World

if TYPE_CHECKING:
    from rove.chromium.tab import Tab

Button = Literal["left", "right", "middle"]
Point = tuple[float, float]
BUTTON_BITS: dict[str, int] = {"left": 1, "right": 2, "middle": 4}
# What widgets that sort or slide need to see between the ends of a drag.
STEPS = 12
DRAG_PATIENCE = 1.0


class Mouse:
    """Moves, presses and drags at points of the viewport."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._carried: asyncio.Future[dict[str, Any]] | None = None
        tab.session.on("Input.dragIntercepted", self._on_drag)

    async def move(self, x: float, y: float) -> None:
        await self._send("mouseMoved", x, y)

    async def click(self, x: float, y: float, button: Button, count: int, modifiers: int) -> None:
        if button == "middle":
            # On Linux it pastes, and would paste what is selected in another session.
            await self._tab.clipboard.lend(await self._tab.every_world(), None)
        watching = self._tab.inspection.watching(writes=False) if button == "middle" else contextlib.nullcontext()
        async with watching:
            await self._tab.dialogs.interrupts(self._click(x, y, button, count, modifiers))

    async def _click(self, x: float, y: float, button: Button, count: int, modifiers: int) -> None:
        # Sent in one go and awaited together: the browser takes them in order.
        sent = [self._send("mouseMoved", x, y, modifiers=modifiers)]
        for pressed in range(1, count + 1):
            facts: dict[str, Any] = {"button": button, "clickCount": pressed, "modifiers": modifiers}
            sent.append(self._send("mousePressed", x, y, buttons=BUTTON_BITS[button], **facts))
            sent.append(self._send("mouseReleased", x, y, **facts))
        await asyncio.gather(*sent)

    async def drag(self, start: Point, world: World, position: Callable[[], Awaitable[Point]]) -> None:
        """Press, carry in steps, let go; as HTML5 drag events where the page wants those.

        `position` is asked on the way, since bringing the target into view may take the start out of it.
        """
        async with self._tab.inspection.watching(writes=False):
            await self._drag_inspected(start, world, position)

    async def _drag_inspected(self, start: Point, world: World, position: Callable[[], Awaitable[Point]]) -> None:
        self._carried = asyncio.get_running_loop().create_future()
        await self._tab.session.send("Input.setInterceptDrags", {"enabled": True})
        try:
            await self._send("mouseMoved", *start)
            await self._send("mousePressed", *start, button="left", buttons=1, clickCount=1)
            await self._glide(start, (start[0] + 6, start[1] + 6), 3)
            data = await self._carried_data(world)
            end = await position()
            if data is None:
                await self._glide(start, end, STEPS)
                await self._send("mouseMoved", *end, button="left", buttons=1)
                await self._send("mouseReleased", *end, button="left", clickCount=1)
            else:
                await self._carry(data, start, end)
        finally:
            self._carried = None
            await self._tab.session.send("Input.setInterceptDrags", {"enabled": False})

    async def _glide(self, start: Point, end: Point, steps: int) -> None:
        for x, y in _between(start, end, steps):
            await self._send("mouseMoved", x, y, button="left", buttons=1)

    async def _carried_data(self, world: World) -> dict[str, Any] | None:
        """What the page put on the drag, if the moves so far have begun one."""
        assert self._carried is not None
        if not self._carried.done() and not await world.call("() => rove.hasDragBegun()"):
            return None
        try:
            async with asyncio.timeout(DRAG_PATIENCE):
                return await self._carried
        except TimeoutError:
            return None

    async def _carry(self, data: dict[str, Any], start: Point, end: Point) -> None:
        await self._drag("dragEnter", start, data)
        for point in _between(start, end, STEPS):
            await self._drag("dragOver", point, data)
        await self._drag("drop", end, data)

    async def _drag(self, kind: str, point: Point, data: dict[str, Any]) -> None:
        facts = {"type": kind, "x": point[0], "y": point[1], "data": data}
        await self._tab.session.send("Input.dispatchDragEvent", facts)

    def _on_drag(self, event: dict[str, Any]) -> None:
        if self._carried is not None and not self._carried.done():
            self._carried.set_result(event["data"])

    async def _send(self, kind: str, x: float, y: float, **facts: Any) -> None:
        await self._tab.session.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **facts})


def _between(start: Point, end: Point, steps: int) -> list[Point]:
    parts = [step / steps for step in range(1, steps + 1)]
    return [(start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part) for part in parts]
