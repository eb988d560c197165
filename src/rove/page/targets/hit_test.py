"""Finding elements without a target: at a point of the viewport, and with the focus."""

from __future__ import annotations

from rove.errors import ElementNotFound
from rove.page.frames.nesting import world_inside
from rove.page.frames.world import World
from rove.page.input.devices import InputDevices
from rove.page.input.element import Element
from rove.page.input.password_guard import focus_in_closed_roots


async def elements_at(devices: InputDevices, x: float, y: float) -> list[Element]:
    """Return the elements at a point of the viewport: in the page, and in each frame that the point is in."""
    worlds = devices.page.worlds
    found: list[Element] = []
    world: World | None = worlds.main
    while world is not None:
        hit = await world.call("(x, y) => rove.hitAt(x, y)", x, y)
        if hit is None:
            break
        found.append(Element(devices, world, hit["ref"], hit["line"]))
        world = await world_inside(worlds, world, hit["ref"], hit["line"]) if hit["isFrame"] else None
        x, y = hit["x"], hit["y"]
    return found


async def element_with_focus(devices: InputDevices) -> Element | None:
    """Return the element that receives keys, in any frame; the body of the document if no element has the focus."""
    await devices.page.take_focus()
    for world in await devices.page.every_world():
        if found := await world.call("() => rove.describeFocus()"):
            return Element(devices, world, found["ref"], found["line"])
    return None


async def focused_element(devices: InputDevices) -> Element:
    """Return the element that has the focus, in any frame or closed shadow root; raise if there is none."""
    await devices.page.take_focus()
    for world in await devices.page.every_world():
        await focus_in_closed_roots(world, await world.call("() => rove.typingFocus()"))
        if found := await world.call("() => rove.focusedRef()"):
            return Element(devices, world, found["ref"])
    raise ElementNotFound("Nothing on the page has the focus.", hint="Say where with `target`.")
