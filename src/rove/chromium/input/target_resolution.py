"""Resolving a target (a ref, a CSS selector, a role and a name, or a point) to elements of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rove.chromium.frames.worlds import World
from rove.chromium.input.devices import InputDevices
from rove.chromium.input.element import Element, ViewportPoint
from rove.errors import AmbiguousTarget, ElementNotFound, InvalidArguments
from rove.target import Point, Ref, RoleAndName, Selector, parse_target

LISTED = 8
MOST_MATCHES = 1000
UNSEEN_FRAME = " (invisible: frame)"


async def resolve(devices: InputDevices, target: str) -> Element:
    """The one element that a target means."""
    matches = await resolve_all(devices, target)
    if len(matches) > 1:
        listed = "; ".join(f"{match.line} [{match.ref}]" for match in matches[:LISTED])
        more = f" and {len(matches) - LISTED} more" if len(matches) > LISTED else ""
        raise AmbiguousTarget(f"{target} matches {len(matches)} elements: {listed}{more}.")
    return matches[0]


async def aim(devices: InputDevices, target: str) -> Element | ViewportPoint:
    """The element or the point that the pointer is to go to."""
    point = parse_target(target)
    return ViewportPoint(devices, point.x, point.y) if isinstance(point, Point) else await resolve(devices, target)


async def resolve_all(devices: InputDevices, target: str) -> list[Element]:
    """Every element that a target means; at least one."""
    aim = parse_target(target)
    if isinstance(aim, Ref):
        # Whether it is still there, and what it is, comes with whatever is asked of it next.
        return [Element(devices, devices.page.worlds.with_prefix(aim.frame), aim.local)]
    if isinstance(aim, Point):
        raise InvalidArguments(f"`{target}` is a point; this needs an element.")
    found: list[Element] = []
    for world in await devices.page.every_world():
        found += await _matches(devices, world, aim)
    if not found and isinstance(aim, Selector):
        raise ElementNotFound(f"Selector '{aim}' not found")
    if not found:
        raise ElementNotFound(f"There is no {aim} on the page.")
    return found


async def find(devices: InputDevices, spec: dict[str, str], limit: int) -> tuple[int, list[dict[str, Any]]]:
    """Search every frame; returns how many matches there are, and the first of them."""
    total, found = 0, list[dict[str, Any]]()
    # Of each frame that was searched, which frames in it are shown, and whether they can be seen.
    shown: dict[str, dict[str, bool] | None] = {}
    unseen: set[str] = set()
    for world in await devices.page.every_world():
        is_seen = await _is_seen(devices, world, shown)
        if is_seen is None:
            continue
        if not is_seen or (world.parent and world.parent.frame_id in unseen):
            unseen.add(world.frame_id)
        answer = await world.call("spec => rove.find(spec)", {**spec, "limit": limit})
        if "error" in answer:
            raise InvalidArguments(f"`regex`: {answer['error']}.")
        origin = "" if world is devices.page.worlds.main else answer["origin"]
        if origin and not devices.page.may_read(origin):
            continue
        shown[world.frame_id] = answer.get("frames")
        total += answer["total"]
        mark = UNSEEN_FRAME if world.frame_id in unseen else ""
        found += [{**_match(match, world.prefix, mark), "origin": origin} for match in answer["matches"]]
    return total, found[:limit]


async def _is_seen(devices: InputDevices, world: World, shown: Mapping[str, Mapping[str, bool] | None]) -> bool | None:
    """Whether a person sees the frame; None if it is left out, or in one that is."""
    if world.parent is None:
        return True
    if world.parent.frame_id not in shown:
        return None
    frames = shown[world.parent.frame_id]
    # A document too large to be walked does not say.
    return True if frames is None else frames.get(await devices.page.worlds.owner(world))


async def _matches(devices: InputDevices, world: World, aim: Selector | RoleAndName) -> list[Element]:
    spec = {"css": aim.css} if isinstance(aim, Selector) else {"role": aim.role, "name": aim.name}
    answer = await world.call("spec => rove.query(spec)", {**spec, "limit": MOST_MATCHES})
    if "error" in answer:
        raise InvalidArguments(f"`{aim}` is neither a ref, a role and a name, nor a valid CSS selector.")
    return [Element(devices, world, match["ref"], match["line"]) for match in answer["matches"]]


def _match(match: dict[str, Any], prefix: str, mark: str) -> dict[str, Any]:
    return {
        "line": _with_ref(match, prefix, mark),
        "ref": prefix + match["ref"] if match["ref"] else None,
        "before": tuple(_with_ref(near, prefix, mark) for near in match["context"] if near["before"]),
        "after": tuple(_with_ref(near, prefix, mark) for near in match["context"] if not near["before"]),
        "is_in_view": match["inView"],
    }


def _with_ref(row: dict[str, Any], prefix: str, mark: str) -> str:
    line = f"{row['line']}{mark}"
    return f"{line} [{prefix}{row['ref']}]" if row["ref"] else line
