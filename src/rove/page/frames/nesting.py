"""Finding the frames inside an element or another frame."""

from __future__ import annotations

from rove.errors import ElementNotReady
from rove.page.frames.world import World
from rove.page.frames.worlds import Worlds
from rove.page_text import PageText


async def world_inside(worlds: Worlds[World], parent: World, owner_ref: str, line: PageText) -> World | None:
    """Return the world of the frame that an element holds; None where the element holds no document."""
    for world in await worlds.current():
        if world.parent is parent and await worlds.owner(world) == owner_ref:
            if world.is_unresponsive:
                # The frame cannot tell its origin, so the policy cannot decide on it.
                raise ElementNotReady(line, " does not answer.", hint="Wait, then call again.")
            return world
    return None


async def worlds_within(worlds: Worlds[World], frame: World) -> list[World]:
    """Return a frame and all frames inside it."""
    return [world for world in await worlds.current() if frame in _ancestors(world)]


def _ancestors(world: World | None) -> list[World]:
    """Return a world and those around it, the innermost first."""
    ancestors: list[World] = []
    while world is not None:
        ancestors.append(world)
        world = world.parent
    return ancestors
