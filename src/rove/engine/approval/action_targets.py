"""What an action is about to touch: whose pages, and which elements, as they are at this moment."""

from __future__ import annotations

from rove.action import AnyAction
from rove.chromium.context import TabInfo
from rove.chromium.frames.worlds import World
from rove.chromium.input.hit_test import at_point, with_focus, within
from rove.chromium.page.tab import Tab
from rove.guard.hosts.urls import WEB_SCHEMES, scheme_of
from rove.guard.policy.approval import ShownElement
from rove.guard.policy.policy import Place
from rove.target import Point, Ref, parse_target, targets_in

LISTED = 5


async def places_of(action: AnyAction, session: str, tab: Tab) -> tuple[Place, ...]:
    """The page, and the frames of others that hold what the action is aimed at."""
    page = Place(session, tab.id, tab.url)
    if action.destination is not None:
        return (page,)
    if scheme_of(tab.url) not in WEB_SCHEMES:
        page = Place(session, tab.id, await tab.worlds.main.origin() or tab.url)
    # A frame that belongs to nobody is a place of its own, and so is one whose origin differs from the page's.
    origins = [origin for frame in await _frames_touched(action, tab) for origin in await frame.origins()]
    return (page, *(Place(session, tab.id, origin) for origin in dict.fromkeys(origins)))


async def elements_of(action: AnyAction, tab: Tab) -> tuple[ShownElement, ...]:
    """The elements that an action is aimed at, in the words that the page has for them."""
    shown = [await _shown(argument, target, tab) for argument, target in targets_in(action).items()]
    if action.uses_focus and (focused := await with_focus(tab)):
        shown.append(ShownElement("focus", "", f"{focused.line} [{focused.ref}]"))
    return tuple(shown)


async def dialog_of(tab: TabInfo | None) -> tuple[ShownElement, ...]:
    """The dialog that is open there, if one is."""
    dialog = tab.dialogs.open if isinstance(tab, Tab) else None
    return (ShownElement("dialog", "", str(dialog)),) if dialog else ()


async def _frames_touched(action: AnyAction, tab: Tab) -> list[World]:
    """The frames, each once, in which something is done; most pages have none, and then nobody is asked."""
    frames: dict[str, World] = {}
    for target in targets_in(action).values():
        frames.update({world.frame_id: world for world in await _frames_of(target, tab)})
    if action.uses_focus and len(await tab.worlds.present()) > 1 and (focused := await with_focus(tab)):
        frames[focused.world.frame_id] = focused.world
    frames.pop(tab.worlds.main.frame_id, None)
    return list(frames.values())


async def _frames_of(target: str, tab: Tab) -> list[World]:
    aim = parse_target(target)
    if isinstance(aim, Ref) and aim.frame:
        tab.worlds.with_prefix(aim.frame)  # or say that it is gone
    if len(await tab.worlds.present()) == 1:
        return []
    if isinstance(aim, Point):
        return [element.world for element in await at_point(tab, aim.x, aim.y)]
    elements = await tab.resolve_all(target)
    return [world for element in elements for world in (element.world, *await within(tab, element))]


async def _shown(argument: str, target: str, tab: Tab) -> ShownElement:
    if isinstance(point := parse_target(target), Point):
        # Not held to that element, which a canvas or a map would be all of; but what lies there must not change.
        under = (await at_point(tab, point.x, point.y))[-1:]
        return ShownElement(
            argument, "", f"the point {target}" + "".join(f", on {each.line} [{each.ref}]" for each in under)
        )
    elements = await tab.resolve_all(target)
    lines = [await element.describe() for element in elements[:LISTED]]
    if len(elements) == 1:
        return ShownElement(argument, elements[0].ref, lines[0])
    more = f" and {len(elements) - LISTED} more" if len(elements) > LISTED else ""
    return ShownElement(argument, "", f"{len(elements)} elements: {', '.join(lines)}{more}")
