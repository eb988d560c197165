"""Resolving a target (a ref, a CSS selector, a role and a name, or a point) to elements of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rove.chromium.frames.worlds import World
from rove.chromium.input.devices import InputDevices
from rove.chromium.input.element import Element, ViewportPoint
from rove.errors import AmbiguousTarget, ElementNotFound, InvalidArguments
from rove.target import Point, Ref, RoleAndName, Selector, parse_target

MAX_LISTED = 8
MAX_MATCHES = 1000
HIDDEN_FRAME_NOTE = " (invisible: frame)"


async def resolve(devices: InputDevices, target: str) -> Element:
    """Return the one element that a target means; raise if there is none or more than one."""
    matches = await resolve_all(devices, target)
    if len(matches) > 1:
        listed = "; ".join(f"{match.line} [{match.ref}]" for match in matches[:MAX_LISTED])
        more = f" and {len(matches) - MAX_LISTED} more" if len(matches) > MAX_LISTED else ""
        raise AmbiguousTarget(f"{target} matches {len(matches)} elements: {listed}{more}.")
    return matches[0]


async def resolve_pointer_target(devices: InputDevices, target: str) -> Element | ViewportPoint:
    """Return the element, or the point of the viewport, that a target means."""
    point = parse_target(target)
    return ViewportPoint(devices, point.x, point.y) if isinstance(point, Point) else await resolve(devices, target)


async def resolve_all(devices: InputDevices, target: str) -> list[Element]:
    """Return every element that a target means; raise if there is none."""
    parsed = parse_target(target)
    if isinstance(parsed, Ref):
        # The first call on the element says whether it still exists.
        return [Element(devices, devices.page.worlds.with_prefix(parsed.frame), parsed.local)]
    if isinstance(parsed, Point):
        raise InvalidArguments(f"`{target}` is a point; this needs an element.")
    matches: list[Element] = []
    for world in await devices.page.every_world():
        matches += await _matches(devices, world, parsed)
    if not matches and isinstance(parsed, Selector):
        raise ElementNotFound(f"Selector '{parsed}' not found")
    if not matches:
        raise ElementNotFound(f"There is no {parsed} on the page.")
    return matches


async def find(devices: InputDevices, spec: dict[str, str], limit: int) -> tuple[int, list[dict[str, Any]]]:
    """Search every frame; return how many matches there are, and the first of them."""
    total, matches = 0, list[dict[str, Any]]()
    # For each frame that was searched: the frames in it that are rendered, and whether a person can see them.
    shown: dict[str, dict[str, bool] | None] = {}
    hidden: set[str] = set()
    for world in await devices.page.every_world():
        is_visible = await _is_visible(devices, world, shown)
        if is_visible is None:
            continue
        if not is_visible or (world.parent and world.parent.frame_id in hidden):
            hidden.add(world.frame_id)
        answer = await world.call("spec => rove.find(spec)", {**spec, "limit": limit})
        if "error" in answer:
            raise InvalidArguments(f"`regex`: {answer['error']}.")
        origin = "" if world is devices.page.worlds.main else answer["origin"]
        if origin and not devices.page.may_read(origin):
            continue
        shown[world.frame_id] = answer.get("frames")
        total += answer["total"]
        note = HIDDEN_FRAME_NOTE if world.frame_id in hidden else ""
        matches += [{**_match(match, world.prefix, note), "origin": origin} for match in answer["matches"]]
    return total, matches[:limit]


async def _is_visible(
    devices: InputDevices, world: World, shown: Mapping[str, Mapping[str, bool] | None]
) -> bool | None:
    """Return whether a person can see the frame; None if it, or a frame around it, is not searched."""
    if world.parent is None:
        return True
    if world.parent.frame_id not in shown:
        return None
    frames = shown[world.parent.frame_id]
    # A document that is too large to be walked does not report its frames.
    return True if frames is None else frames.get(await devices.page.worlds.owner(world))


async def _matches(devices: InputDevices, world: World, parsed: Selector | RoleAndName) -> list[Element]:
    spec = {"css": parsed.css} if isinstance(parsed, Selector) else {"role": parsed.role, "name": parsed.name}
    answer = await world.call("spec => rove.query(spec)", {**spec, "limit": MAX_MATCHES})
    if "error" in answer:
        raise InvalidArguments(f"`{parsed}` is neither a ref, a role and a name, nor a valid CSS selector.")
    return [Element(devices, world, match["ref"], match["line"]) for match in answer["matches"]]


def _match(match: dict[str, Any], prefix: str, note: str) -> dict[str, Any]:
    return {
        "line": _with_ref(match, prefix, note),
        "ref": prefix + match["ref"] if match["ref"] else None,
        "before": tuple(_with_ref(near, prefix, note) for near in match["context"] if near["before"]),
        "after": tuple(_with_ref(near, prefix, note) for near in match["context"] if not near["before"]),
        "is_in_view": match["inView"],
    }


def _with_ref(row: dict[str, Any], prefix: str, note: str) -> str:
    line = f"{row['line']}{note}"
    return f"{line} [{prefix}{row['ref']}]" if row["ref"] else line
