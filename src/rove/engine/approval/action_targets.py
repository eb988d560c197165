"""What an action is about to touch: the origins of its pages and frames, and its elements, as they are now."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from rove.action import AnyAction
from rove.browser.consequences import Consequence
from rove.browser.failures import BrowserError
from rove.engine.approval.permission import Shown
from rove.errors import RoveError
from rove.guard.hosts.urls import WEB_SCHEMES, scheme_of
from rove.guard.policy.approval import ShownElement
from rove.guard.policy.policy import Place
from rove.target import Point, Ref, parse_target, targets_in

if TYPE_CHECKING:
    from rove.browser.context import TabInfo
    from rove.browser.page_data import Box
    from rove.browser.shared.element import Element
    from rove.browser.shared.frames import World
    from rove.browser.shared.tab import Tab

MAX_LISTED = 5
# Seconds to find where an element is, for the record.
BOX_SECONDS = 0.5


def place_of(session: str, tab: TabInfo | None) -> Place:
    """Return the place that the policy decides on: the page of a tab, or the session alone."""
    return Place.of_page(session, tab.id, tab.url) if tab else Place(session)


async def find_places(action: AnyAction, session: str, tab: Tab, wait: bool = True) -> tuple[Place, ...]:
    """Return the page, and each frame of another origin that contains an element which the action touches.

    `wait`: whether to wait for an element that does not exist yet.
    """
    page = place_of(session, tab)
    if action.destination is not None:
        return (page,)
    if scheme_of(page.url or "") not in WEB_SCHEMES:
        page = Place(session, tab.id, await tab.main_frame.origin() or tab.url)
    # A frame of another origin is a place of its own; so is a sandboxed one, whose origin is opaque.
    origins = [origin for frame in await _find_frames(action, tab, wait) for origin in await frame.origins()]
    return (page, *(Place(session, tab.id, origin) for origin in dict.fromkeys(origins)))


async def _find_elements(action: AnyAction, tab: Tab, wait: bool = True) -> tuple[ShownElement, ...]:
    """Return the elements that the action touches, as a snapshot shows them."""
    elements = [await _find_element(argument, target, tab, wait) for argument, target in targets_in(action).items()]
    if action.uses_focus and (focused := await tab.element_with_focus()):
        elements.append(ShownElement("focus", "", f"{focused.line} [{focused.ref}]"))
    return tuple(elements)


async def find_box(action: AnyAction, tab: Tab) -> Box | None:
    """Return where the element is that the action targets; None if there is none, or it is not found at once."""
    target = next(iter(targets_in(action).values()), None)
    if target is None:
        return None
    with contextlib.suppress(RoveError, BrowserError, TimeoutError):  # the action itself says what is wrong
        async with asyncio.timeout(BOX_SECONDS):
            (element, *_) = await tab.resolve_ahead(target, wait=False)
            return await tab.box_of(element.ref)
    return None


async def find_dialog(tab: TabInfo | None) -> Shown:
    """Return the dialog that is open in the tab, if there is one."""
    dialog = tab.open_dialog if tab is not None else None
    return Shown((ShownElement("dialog", "", dialog.told),) if dialog else ())


async def find_shown(action: AnyAction, tab: Tab, wait: bool = True) -> Shown:
    """Return what a person is shown of an action: its elements, and what it would send or open."""
    elements = await _find_elements(action, tab, wait)
    return Shown(elements, await _find_consequences(action, tab, wait))


async def _find_consequences(action: AnyAction, tab: Tab, wait: bool) -> tuple[Consequence, ...]:
    found = list(await tab.consequences.of_files(action.files)) if action.files else []
    if (cause := action.activates) is None:
        return tuple(found)
    for argument, element in await _activated(action, tab, wait):
        if consequence := await tab.consequences.of_element(element, argument, cause):
            found.append(consequence)
    return tuple(found)


async def _activated(action: AnyAction, tab: Tab, wait: bool) -> list[tuple[str, Element]]:
    """Return the elements that an action activates, with the names of its arguments for them."""
    found: list[tuple[str, Element]] = []
    for argument, text in targets_in(action).items():
        if isinstance(target := parse_target(text), Point):
            elements = (await tab.elements_at(target.x, target.y))[-1:]
        else:
            elements = (await tab.resolve_ahead(text, wait=wait))[:1]
        found += [(argument, element) for element in elements]
    if action.uses_focus and (focused := await tab.element_with_focus()):
        found.append(("focus", focused))
    return found


async def _find_frames(action: AnyAction, tab: Tab, wait: bool) -> list[World]:
    """Return the frames that the action touches, each once, without the page itself."""
    frames: dict[str, World] = {}
    for target in targets_in(action).values():
        frames.update({frame.frame_id: frame for frame in await _find_target_frames(target, tab, wait)})
    if action.uses_focus and await tab.has_frames() and (focused := await tab.element_with_focus()):
        frames[focused.frame.frame_id] = focused.frame
    frames.pop(tab.main_frame.frame_id, None)
    return list(frames.values())


async def _find_target_frames(text: str, tab: Tab, wait: bool) -> list[World]:
    target = parse_target(text)
    if isinstance(target, Ref) and target.frame:
        tab.require_frame(target.frame)
    if not await tab.has_frames():  # most pages have none, and the browser need not be asked for elements then
        return []
    if isinstance(target, Point):
        return [element.frame for element in await tab.elements_at(target.x, target.y)]
    elements = await tab.resolve_ahead(text, wait=wait)
    return [frame for element in elements for frame in (element.frame, *await element.frames_within())]


async def _find_element(argument: str, text: str, tab: Tab, wait: bool) -> ShownElement:
    if isinstance(target := parse_target(text), Point):
        # Without a ref, so that the action still clicks the point, on a canvas or a map; but if another element is
        # there by then, the line differs and the person is asked again.
        under = (await tab.elements_at(target.x, target.y))[-1:]
        return ShownElement(
            argument, "", f"the point {text}" + "".join(f", on {element.line} [{element.ref}]" for element in under)
        )
    elements = await tab.resolve_ahead(text, wait=wait)
    lines = [await element.describe() for element in elements[:MAX_LISTED]]
    if len(elements) == 1:
        return ShownElement(argument, elements[0].ref, lines[0], await elements[0].identity())
    more = f" and {len(elements) - MAX_LISTED} more" if len(elements) > MAX_LISTED else ""
    return ShownElement(argument, "", f"{len(elements)} elements: {', '.join(lines)}{more}")
