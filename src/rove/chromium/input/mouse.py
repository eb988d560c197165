"""The pointer."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any

from rove.browser.element import Button
from rove.chromium.frames.worlds import World
from rove.chromium.input.clipboard import Clipboard
from rove.chromium.input.page import Page
from rove.chromium.input.password_guard import PasswordGuard

Point = tuple[float, float]
Position = Callable[[], Awaitable[Point]]
BUTTON_BITS: dict[str, int] = {"left": 1, "right": 2, "middle": 4}
# What widgets that sort or slide need to see between the ends of a drag; fewer on a short leg of a long way.
STEPS = 12
FEWEST_STEPS = 4
STEP = 10
DRAG_PATIENCE = 1.0
DRAG_OVER_EVERY = 0.1


class Mouse:
    """Moves, presses and drags at points of the viewport."""

    def __init__(self, page: Page, password_guard: PasswordGuard, clipboard: Clipboard) -> None:
        self._page = page
        self._password_guard = password_guard
        self._clipboard = clipboard
        self._carried: asyncio.Future[dict[str, Any]] | None = None
        page.cdp.on("Input.dragIntercepted", self._on_drag)

    async def move(self, x: float, y: float) -> None:
        await self._send("mouseMoved", x, y)

    async def click(self, x: float, y: float, button: Button, count: int, modifiers: int, hold: float = 0) -> None:
        """Press and let go, `count` times; the last time after `hold` seconds."""
        if button == "middle":
            # On Linux it pastes, and would paste what is selected in another session.
            await self._clipboard.lend(await self._page.every_world(), None)
        watching = self._password_guard.watching(writes=False) if button == "middle" else contextlib.nullcontext()
        async with watching:
            await self._page.dialogs.interrupts(self._click(x, y, button, count, modifiers, hold))

    async def _click(self, x: float, y: float, button: Button, count: int, modifiers: int, hold: float) -> None:
        # Sent in one go and awaited together: the browser takes them in order.
        sent = [self._send("mouseMoved", x, y, modifiers=modifiers)]
        for pressed in range(1, count + 1):
            facts: dict[str, Any] = {"button": button, "clickCount": pressed, "modifiers": modifiers}
            sent.append(self._send("mousePressed", x, y, buttons=BUTTON_BITS[button], **facts))
            if not (hold and pressed == count):
                sent.append(self._send("mouseReleased", x, y, **facts))
        await asyncio.gather(*sent)
        if hold:
            async with self._releasing((x, y), button=button, clickCount=count, modifiers=modifiers):
                await asyncio.sleep(hold)

    @contextlib.asynccontextmanager
    async def _releasing(self, point: Point, **facts: Any) -> AsyncGenerator[None]:
        """Release the button in the end, also when the time is up: a page would take every move after for a drag."""
        try:
            yield
        except BaseException:
            self._release_soon(point, **facts)
            raise
        await self._send("mouseReleased", *point, **facts)

    def _release_soon(self, point: Point, **facts: Any) -> None:
        """Release the button in the background: the caller already waits for an error."""
        self._page.tasks.start(self._send("mouseReleased", *point, **facts))

    async def wheel(self, point: Point, dx: float, dy: float) -> None:
        """Turn the wheel over a point, as far as a page scrolls by so many pixels."""
        await self.move(*point)
        await self._page.dialogs.interrupts(self._send("mouseWheel", *point, deltaX=dx, deltaY=dy))

    async def drag(self, start: Point, world: World, stops: Sequence[Position], hold: float = 0) -> None:
        """Press, carry from stop to stop, let go at the last; as HTML5 drag events where the page wants those.

        A stop's position is asked on the way, since bringing it into view may take the start out of it.
        `hold`: seconds to stay, once pressed and again before letting go.
        """
        async with self._password_guard.watching(writes=False):
            await self._drag_inspected(start, world, stops, hold)

    async def _drag_inspected(self, start: Point, world: World, stops: Sequence[Position], hold: float) -> None:
        self._carried = asyncio.get_running_loop().create_future()
        await self._page.cdp.send("Input.setInterceptDrags", {"enabled": True})
        try:
            await self._send("mouseMoved", *start)
            await self._send("mousePressed", *start, button="left", buttons=1, clickCount=1)
            await asyncio.sleep(hold)
            await self._glide(start, (start[0] + 6, start[1] + 6), 3)
            data = await self._carried_data(world)
            if data is None:
                await self._pull(start, stops, hold)
            else:
                await self._carry(data, start, stops, hold)
        except BaseException:
            self._release_soon(start, button="left", clickCount=1)
            raise
        finally:
            self._carried = None
            await self._page.cdp.send("Input.setInterceptDrags", {"enabled": False})

    async def _pull(self, start: Point, stops: Sequence[Position], hold: float) -> None:
        for stop in stops:
            end = await stop()
            await self._glide(start, end, _steps(start, end))
            start = end
        await asyncio.sleep(hold)
        await self._send("mouseMoved", *start, button="left", buttons=1)
        await self._send("mouseReleased", *start, button="left", clickCount=1)

    async def _glide(self, start: Point, end: Point, steps: int) -> None:
        for x, y in _between(start, end, steps):
            await self._send("mouseMoved", x, y, button="left", buttons=1)

    async def _carried_data(self, world: World) -> dict[str, Any] | None:
        """What the page put on the drag, if the moves so far have begun one."""
        assert self._carried is not None
        if not self._carried.done() and not await world.call("() => rove.hasDragStarted()"):
            return None
        try:
            async with asyncio.timeout(DRAG_PATIENCE):
                return await self._carried
        except TimeoutError:
            return None

    async def _carry(self, data: dict[str, Any], start: Point, stops: Sequence[Position], hold: float) -> None:
        await self._drag("dragEnter", start, data)
        for stop in stops:
            end = await stop()
            for point in _between(start, end, _steps(start, end)):
                await self._drag("dragOver", point, data)
            start = end
        until = time.monotonic() + hold
        while time.monotonic() < until:
            # A browser tells the page again and again what is held above it.
            await asyncio.sleep(DRAG_OVER_EVERY)
            await self._drag("dragOver", start, data)
        await self._drag("drop", start, data)

    async def _drag(self, kind: str, point: Point, data: dict[str, Any]) -> None:
        facts = {"type": kind, "x": point[0], "y": point[1], "data": data}
        await self._page.cdp.send("Input.dispatchDragEvent", facts)

    def _on_drag(self, event: dict[str, Any]) -> None:
        if self._carried is not None and not self._carried.done():
            self._carried.set_result(event["data"])

    async def _send(self, kind: str, x: float, y: float, **facts: Any) -> None:
        await self._page.cdp.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **facts})


def _steps(start: Point, end: Point) -> int:
    return max(FEWEST_STEPS, min(STEPS, round(math.dist(start, end) / STEP)))


def _between(start: Point, end: Point, steps: int) -> list[Point]:
    parts = [step / steps for step in range(1, steps + 1)]
    return [(start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part) for part in parts]
