"""What an action is about to touch: whose pages, and which elements, as they are at this moment."""

from __future__ import annotations

from rove.action import AnyAction
from rove.chromium.context import Listed
from rove.chromium.tab import Tab
from rove.chromium.worlds import World
from rove.guard.approval import Shown
from rove.guard.policy import Place
from rove.guard.urls import WEB_SCHEMES, scheme_of
from rove.target import Point, Ref, parse_target, targets_in

LISTED = 5


async def places_of(action: AnyAction, session: str, tab: Tab) -> tuple[Place, ...]:
    """The page, and the frames of others that hold what the action is aimed at."""
    page = Place(session, tab.id, tab.url)
    if action.destination is not None:
        return (page,)
    if scheme_of(tab.url) not in WEB_SCHEMES:
        page = Place(session, tab.id, await tab.worlds.main.origin() or tab.url)
    frames: dict[str, World] = {}
    for target in targets_in(action).values():
        frames.update({world.frame_id: world for world in await _frames_of(target, tab)})
    # A frame that belongs to nobody is a place of its own, and so is one whose origin differs from the page's.
    origins = [await frame.origin() for frame in frames.values()]
    return (page, *(Place(session, tab.id, origin) for origin in dict.fromkeys(origins)))


async def elements_of(action: AnyAction, tab: Tab) -> tuple[Shown, ...]:
    """The elements that an action is aimed at, in the words that the page has for them."""
    return tuple([await _shown(argument, target, tab) for argument, target in targets_in(action).items()])


async def dialog_of(tab: Listed | None) -> tuple[Shown, ...]:
    """The dialog that is open there, if one is."""
    dialog = tab.dialogs.open if isinstance(tab, Tab) else None
    return (Shown("dialog", "", str(dialog)),) if dialog else ()


async def _frames_of(target: str, tab: Tab) -> list[World]:
    aim = parse_target(target)
    if isinstance(aim, Point):
        return []
    if isinstance(aim, Ref):
        return [tab.worlds.with_prefix(aim.frame)] if aim.frame else []
    if len(await tab.every_world()) == 1:
        return []
    return [element.world for element in await tab.resolve_all(target) if element.world is not tab.worlds.main]


async def _shown(argument: str, target: str, tab: Tab) -> Shown:
    if isinstance(parse_target(target), Point):
        return Shown(argument, "", f"the point {target}")
    elements = await tab.resolve_all(target)
    lines = [await element.describe() for element in elements[:LISTED]]
    if len(elements) == 1:
        return Shown(argument, elements[0].ref, lines[0])
    more = f" and {len(elements) - LISTED} more" if len(elements) > LISTED else ""
    return Shown(argument, "", f"{len(elements)} elements: {', '.join(lines)}{more}")
