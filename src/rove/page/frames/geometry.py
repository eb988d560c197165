"""Converting points of a frame to points of the tab, and checking what covers them."""

from __future__ import annotations

from typing import Any

from rove.browser.page_data import Box
from rove.errors import ElementGone, ElementNotReady, InvalidArguments
from rove.page.frames.world import World
from rove.page.frames.worlds import Worlds
from rove.page_text import NOWHERE, PageText
from rove.target import Ref, parse_target

FRAME_ORIGIN = "(ref, x, y) => rove.frameOrigin(ref, x, y)"


async def frame_transform(
    worlds: Worlds[World], world: World, point: tuple[float, float]
) -> tuple[float, float, float, float]:
    """Return the position of a frame's top left corner in the tab's viewport, and its horizontal and vertical scale.

    `point`: the point of the frame that is scrolled into view first.
    """
    x, y, scale_x, scale_y = 0.0, 0.0, 1.0, 1.0
    while world.parent is not None:
        corner = await _corner(worlds, world, x + point[0] * scale_x, y + point[1] * scale_y)
        x, y = corner["x"] + x * corner["across"], corner["y"] + y * corner["down"]
        scale_x, scale_y, world = scale_x * corner["across"], scale_y * corner["down"], world.parent
    return x, y, scale_x, scale_y


async def to_tab_point(worlds: Worlds[World], world: World, x: float, y: float) -> tuple[float, float]:
    """Convert a point of a frame to a point of the tab; raise ElementNotReady if another element covers it there."""
    while world.parent is not None:
        owner, parent = await worlds.owner(world), world.parent
        corner = await _corner(worlds, world, x, y)
        x, y = corner["x"] + x * corner["across"], corner["y"] + y * corner["down"]
        cover = await parent.call("(ref, x, y) => rove.hitsFrame(ref, x, y)", owner, x, y)
        if cover is not None:
            said = PageText(cover, await parent.origin() or NOWHERE)
            raise ElementNotReady(f"The frame {world.prefix} is covered at that point by ", said, ".")
        world = parent
    return x, y


async def box_of(worlds: Worlds[World], ref: str) -> Box:
    """Return where the element of a ref is in the viewport now, without scrolling."""
    target = parse_target(ref)
    if not isinstance(target, Ref):
        raise InvalidArguments(f"`ref`: {ref!r} is not a ref.")
    return await box_in_tab(worlds, worlds.with_prefix(target.frame), target.local)


async def box_in_tab(worlds: Worlds[World], world: World, ref: str) -> Box:
    """Return where the element of a ref is in the tab's viewport now, without scrolling. Raises ElementGone."""
    box = await _read_box(world, "boxNow", ref)
    while world.parent is not None:
        frame = await _read_box(world.parent, "frameBoxNow", await worlds.owner(world))
        box = {
            "x": frame["x"] + box["x"] * frame["across"],
            "y": frame["y"] + box["y"] * frame["down"],
            "width": box["width"] * frame["across"],
            "height": box["height"] * frame["down"],
        }
        world = world.parent
    return box


async def _read_box(world: World, question: str, ref: str) -> Box:
    box: dict[str, Any] = await world.call(f"ref => rove.{question}(ref)", ref)
    if "gone" in box:
        raise ElementGone(f"{world.prefix}{ref} is no longer on the page.")
    return {side: number for side, number in box.items() if isinstance(number, int | float)}


async def _corner(worlds: Worlds[World], world: World, x: float, y: float) -> dict[str, float]:
    """Scroll a point of a frame into view; return the frame's corner and scale in its parent."""
    assert world.parent is not None
    corner: dict[str, float] = await world.parent.call(FRAME_ORIGIN, await worlds.owner(world), x, y)
    if "gone" in corner:
        raise ElementGone(f"The frame {world.prefix} is no longer on the page.")
    return corner
