"""Into which frames hands reach that are given no element there: at a point, at the focus, or at a frame itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.chromium.frames.worlds import World
from rove.chromium.input.element import Element
from rove.chromium.input.password_guard import focus_in_closed_roots
from rove.errors import ElementNotFound, ElementNotReady

if TYPE_CHECKING:
    from rove.chromium.page.tab import Tab


async def at_point(tab: Tab, x: float, y: float) -> list[Element]:
    """What lies at a point of the viewport: in the page, and in each frame that the point is in."""
    found: list[Element] = []
    world: World | None = tab.worlds.main
    while world is not None:
        hit = await world.call("(x, y) => rove.hitAt(x, y)", x, y)
        if hit is None:
            break
        element = Element(tab, world, hit["ref"], hit["line"])
        found.append(element)
        world, x, y = await _inside(tab, element) if hit["isFrame"] else None, hit["x"], hit["y"]
    return found


async def within(tab: Tab, element: Element) -> list[World]:
    """The frame that an element is, and those in it; none if it is something else."""
    worlds = await tab.worlds.present()
    if len(worlds) == 1 or not await element.is_frame():
        return []
    frame = await _inside(tab, element)
    return [world for world in await tab.worlds.present() if any(each is frame for each in _line_of(world))]


async def with_focus(tab: Tab) -> Element | None:
    """What takes the keys, in whichever frame; the body of a document if nothing in it does."""
    for world in await tab.every_world():
        if found := await world.call("() => rove.focusTold()"):
            return Element(tab, world, found["ref"], found["line"])
    return None


async def focused(tab: Tab) -> Element:
    """What has the focus, in whichever frame."""
    for world in await tab.every_world():
        await focus_in_closed_roots(world, await world.call("() => rove.typingFocus()"))
        if found := await world.call("() => rove.focused()"):
            return Element(tab, world, found["ref"])
    raise ElementNotFound("Nothing on the page has the focus.", hint="Say where with `target`.")


async def _inside(tab: Tab, element: Element) -> World | None:
    """The world of the frame that an element holds; None where it holds no document."""
    for world in await tab.worlds.present():
        if world.parent is element.world and await tab.worlds.owner(world) == element.local_ref:
            if world.is_silent:  # whose it is nobody can say, so nothing is done to it
                raise ElementNotReady(f"{element.line} does not answer.", hint="Wait, then call again.")
            return world
    return None


def _line_of(world: World | None) -> list[World]:
    line: list[World] = []
    while world is not None:
        line.append(world)
        world = world.parent
    return line
