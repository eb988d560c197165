"""Where a point of a frame lies in the tab, and what lies over it there."""

from __future__ import annotations

from rove.chromium.frames.worlds import World, Worlds
from rove.errors import ElementGone, ElementNotReady

FRAME_ORIGIN = "(ref, x, y) => rove.frameOrigin(ref, x, y)"


async def origin_of(worlds: Worlds, world: World, point: tuple[float, float]) -> tuple[float, float, float, float]:
    """Where a frame's top left corner lies in the tab's viewport, and how wide and high a pixel of it is there.

    `point`: what of the frame is brought into view.
    """
    x, y, across, down = 0.0, 0.0, 1.0, 1.0
    while world.parent is not None:
        corner = await _corner(worlds, world, x + point[0] * across, y + point[1] * down)
        x, y = corner["x"] + x * corner["across"], corner["y"] + y * corner["down"]
        across, down, world = across * corner["across"], down * corner["down"], world.parent
    return x, y, across, down


async def place(worlds: Worlds, world: World, x: float, y: float) -> tuple[float, float]:
    """A point of a frame as a point of the tab, made sure that nothing outside covers it."""
    while world.parent is not None:
        owner, parent = await worlds.owner(world), world.parent
        corner = await _corner(worlds, world, x, y)
        x, y = corner["x"] + x * corner["across"], corner["y"] + y * corner["down"]
        cover = await parent.call("(ref, x, y) => rove.hitsFrame(ref, x, y)", owner, x, y)
        if cover is not None:
            raise ElementNotReady(f"The frame {world.prefix} is covered by {cover} at that point.")
        world = parent
    return x, y


async def _corner(worlds: Worlds, world: World, x: float, y: float) -> dict[str, float]:
    """Where a frame begins in the one round it, once a point of it has been brought into view."""
    assert world.parent is not None
    corner: dict[str, float] = await world.parent.call(FRAME_ORIGIN, await worlds.owner(world), x, y)
    if "gone" in corner:
        raise ElementGone(f"The frame {world.prefix} is no longer on the page.")
    return corner
