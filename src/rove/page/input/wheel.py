"""Scrolling with the mouse wheel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rove.page.frames.geometry import to_tab_point
from rove.page.frames.world import World

if TYPE_CHECKING:
    from rove.page.input.devices import InputDevices


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
