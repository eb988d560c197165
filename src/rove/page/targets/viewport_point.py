"""Points of the viewport: clicking, scrolling and dragging there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rove.browser.element import DragStop, Point
from rove.errors import InvalidArguments
from rove.page.input.keys import MODIFIER_BITS
from rove.page.input.mouse import drag_positions
from rove.page.input.wheel import scroll_by_wheel
from rove.page_text import Own

if TYPE_CHECKING:
    from rove.browser.element import Button, Modifier, PointerTarget
    from rove.page.input.devices import InputDevices

# The pixels that most browsers scroll for one notch of a mouse wheel.
WHEEL_NOTCH = 120


class ViewportPoint:
    """A point of the viewport, for content without elements: a canvas, a map, a game."""

    def __init__(self, devices: InputDevices, x: float, y: float) -> None:
        self._devices = devices
        self._worlds = devices.page.worlds
        self._point = (x, y)
        self.line = Own(f"the point {x:g},{y:g}")
        self.ref = str(self.line)

    async def click(
        self, button: Button = "left", count: int = 1, modifiers: tuple[Modifier, ...] = (), hold: float = 0
    ) -> None:
        width, height = map(int, await self._worlds.main.call("() => [innerWidth, innerHeight]"))
        if not (self._point[0] < width and self._point[1] < height):
            raise InvalidArguments(f"`target`: {self.line} lies outside the viewport of {width} x {height}.")
        bits = sum(MODIFIER_BITS[modifier] for modifier in modifiers)
        await self._worlds.main.call("(x, y) => rove.watchLookAt(x, y)", *self._point)
        await self._devices.mouse.click(*self._point, button, count, bits, hold)

    async def hover(self) -> None:
        await self._devices.mouse.move(*self._point)

    async def scroll_into_view(self) -> dict[str, int]:
        raise InvalidArguments(f"`target`: {self.line} is in view already.", hint="Say which way with `direction`.")

    async def scroll(self, direction: str, amount: int | None) -> dict[str, int]:
        """Turn the wheel at the point, whether that scrolls or zooms."""
        sign = -1 if direction in ("up", "left") else 1
        by = (0, sign) if direction in ("up", "down") else (sign, 0)
        notch = amount or WHEEL_NOTCH
        x, y = self._point
        wheel = {"x": x, "y": y, "dx": by[0] * notch, "dy": by[1] * notch}
        return await scroll_by_wheel(self._devices, self._worlds.main, {"wheel": wheel})

    async def drag(self, stops: Sequence[PointerTarget], hold: float = 0) -> None:
        await self._devices.mouse.drag(self._point, self._worlds.main, drag_positions(stops, is_in_list=False), hold)

    async def drag_stop(self, start: Point | None) -> DragStop:
        return DragStop(self._point, {"x": self._point[0], "y": self._point[1], "width": 0, "height": 0})
