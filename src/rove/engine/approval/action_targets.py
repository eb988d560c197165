"""What an action is about to touch: whose pages, and which elements, as they are at this moment."""

from __future__ import annotations

from rove.action import AnyAction
from rove.browser.element import Frame
from rove.browser.tab import Tab, TabInfo
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
        page = Place(session, tab.id, await tab.main_frame.origin() or tab.url)
    # A frame that belongs to nobody is a place of its own, and so is one whose origin differs from the page's.
    origins = [origin for frame in await _frames_touched(action, tab) for origin in await frame.origins()]
    return (page, *(Place(session, tab.id, origin) for origin in dict.fromkeys(origins)))


async def elements_of(action: AnyAction, tab: Tab) -> tuple[ShownElement, ...]:
    """The elements that an action is aimed at, in the words that the page has for them."""
    shown = [await _shown(argument, target, tab) for argument, target in targets_in(action).items()]
    if action.uses_focus and (focused := await tab.element_with_focus()):
        shown.append(ShownElement("focus", "", f"{focused.line} [{focused.ref}]"))
    return tuple(shown)


async def dialog_of(tab: TabInfo | None) -> tuple[ShownElement, ...]:
    """The dialog that is open there, if one is."""
    dialog = tab.open_dialog if tab is not None else None
    return (ShownElement("dialog", "", str(dialog)),) if dialog else ()


async def _frames_touched(action: AnyAction, tab: Tab) -> list[Frame]:
    """The frames, each once, in which something is done; most pages have none, and then nobody is asked."""
    frames: dict[str, Frame] = {}
    for target in targets_in(action).values():
        frames.update({frame.frame_id: frame for frame in await _frames_of(target, tab)})
    if action.uses_focus and await tab.has_frames() and (focused := await tab.element_with_focus()):
        frames[focused.frame.frame_id] = focused.frame
    frames.pop(tab.main_frame.frame_id, None)
    return list(frames.values())


async def _frames_of(target: str, tab: Tab) -> list[Frame]:
    aim = parse_target(target)
    if isinstance(aim, Ref) and aim.frame:
        tab.require_frame(aim.frame)
    if not await tab.has_frames():
        return []
    if isinstance(aim, Point):
        return [element.frame for element in await tab.elements_at(aim.x, aim.y)]
    elements = await tab.resolve_all(target)
    return [frame for element in elements for frame in (element.frame, *await element.frames_within())]


async def _shown(argument: str, target: str, tab: Tab) -> ShownElement:
    if isinstance(point := parse_target(target), Point):
        # Not held to that element, which a canvas or a map would be all of; but what lies there must not change.
        under = (await tab.elements_at(point.x, point.y))[-1:]
        return ShownElement(
            argument, "", f"the point {target}" + "".join(f", on {each.line} [{each.ref}]" for each in under)
        )
    elements = await tab.resolve_all(target)
    lines = [await element.describe() for element in elements[:LISTED]]
    if len(elements) == 1:
        return ShownElement(argument, elements[0].ref, lines[0])
    more = f" and {len(elements) - LISTED} more" if len(elements) > LISTED else ""
    return ShownElement(argument, "", f"{len(elements)} elements: {', '.join(lines)}{more}")
