"""Looking at a tab: every frame's rows, in one snapshot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from rove.chromium.frames.event_listeners import refresh_listeners
from rove.chromium.frames.worlds import MOST_FRAMES, World, Worlds
from rove.chromium.protocol.connection import CdpError
from rove.errors import ElementGone, ScriptFailed
from rove.record import dataclass
from rove.snapshot import Snapshot, of_origin, parse, remark, stitch

# Hosts of closed shadow roots are asked for over CDP, some milliseconds each.
MOST_CLOSED_HOSTS = 50
# What is in a closed root may hold another one, which only the next look meets.
CLOSED_WITHIN_CLOSED = 3
# What stands in for a frame that is too busy to be asked.
UNANSWERED = remark("(the frame did not answer)")


@dataclass(frozen=True)
class ReadOptions:
    """How long a frame may take, whose words may be told, what to show instead, and whether to ask for links."""

    patience: float
    may_read: Callable[[str], bool]
    withheld: str
    links: bool = False


async def read_page(
    worlds: Worlds, options: dict[str, Any], reading: ReadOptions, glance: dict[str, Any] | None = None
) -> Snapshot:
    """The page as it is now, or was at a glance just before, with the frames where they stand in it."""
    # Frames that are known already, and live in another process, are asked together with the page, not after it.
    known = worlds.known_below if worlds.are_shown else []
    elsewhere = [world for world in known if world.cdp is not worlds.main.cdp]
    ahead = asyncio.ensure_future(_looks(worlds, elsewhere, reading))
    try:
        main = await _rows(worlds.main, options, glance)
        worlds.are_shown = bool(main.frames)
        if not main.frames:
            return main
        found = await _found(worlds, known, ahead, reading)
    finally:
        ahead.cancel()
    return stitch(main, _with_note(main, _told(found, main.origin, reading)))


async def _found(
    worlds: Worlds, known: list[World], ahead: asyncio.Future[dict[str, Snapshot]], reading: ReadOptions
) -> dict[str, Snapshot]:
    """What all frames show, of which some were asked ahead; all are asked anew if there may be others by now."""
    if not known or worlds.known_below != known:
        return await _looks(worlds, await worlds.refresh(reading.patience), reading)
    here = [world for world in known if world.cdp is worlds.main.cdp]
    return {**await _looks(worlds, here, reading), **await ahead}


async def read_element(worlds: Worlds, world: World, options: dict[str, Any], reading: ReadOptions) -> Snapshot:
    """One element of one frame, the first row being the element itself."""
    part = await _rows(world, options)
    if part.frames:
        part = stitch(part, await _children(worlds, world, part.origin, reading))
    return part if world is worlds.main or await _is_the_tabs(worlds, part, reading) else of_origin(part, part.origin)


async def _is_the_tabs(worlds: Worlds, part: Snapshot, reading: ReadOptions) -> bool:
    """Whether a frame's words are of the tab's own origin; where the page does not say, they are not."""
    try:
        async with asyncio.timeout(reading.patience):
            return part.origin == await worlds.main.origin()
    except (TimeoutError, CdpError, ScriptFailed):
        return False


async def _children(worlds: Worlds, top: World, known: str, reading: ReadOptions) -> dict[str, Snapshot]:
    """The rows of every frame below one, by the ref of the element that holds it."""
    below = [world for world in await worlds.refresh(reading.patience) if world is not top]
    return _told(await _looks(worlds, below, reading), known, reading)


async def _looks(worlds: Worlds, below: list[World], reading: ReadOptions) -> dict[str, Snapshot]:
    looks = await asyncio.gather(*(_child(worlds, world, reading) for world in below))
    return dict(read_page for read_page in looks if read_page is not None)


def _told(found: dict[str, Snapshot], known: str, reading: ReadOptions) -> dict[str, Snapshot]:
    """Whoever may read the page may read more of the same."""
    unread = remark(reading.withheld)
    return {ref: rows if _may_tell(rows.origin, known, reading) else unread for ref, rows in found.items()}


def _may_tell(origin: str, known: str, reading: ReadOptions) -> bool:
    return origin in ("", known) or reading.may_read(origin)


def _with_note(main: Snapshot, children: dict[str, Snapshot]) -> dict[str, Snapshot]:
    """Say, in the first frame that was left out, how many were."""
    left_out = [frame for frame in main.frames if frame not in children]
    if len(children) < MOST_FRAMES - 1 or not left_out:
        return children
    return {**children, left_out[0]: remark(f"… not looked into, as are {len(left_out) - 1} frames more")}


async def _child(worlds: Worlds, world: World, reading: ReadOptions) -> tuple[str, Snapshot] | None:
    """One frame's rows; a frame that does not answer, or is going away, must not cost us the others."""
    assert world.parent is not None
    try:
        owner, rows = await asyncio.gather(_owner(worlds, world, reading.patience), _rows_in_time(world, reading))
    except (TimeoutError, CdpError, ScriptFailed):
        return None
    return world.parent.prefix + owner, rows


async def _owner(worlds: Worlds, world: World, patience: float) -> str:
    async with asyncio.timeout(patience):
        return await worlds.owner(world)


async def _rows_in_time(world: World, reading: ReadOptions) -> Snapshot:
    if world.is_silent:
        return UNANSWERED
    try:
        async with asyncio.timeout(reading.patience):
            return await _rows(world, {"links": True} if reading.links else {})
    except TimeoutError:
        return UNANSWERED


async def _rows(world: World, options: dict[str, Any], glance: dict[str, Any] | None = None) -> Snapshot:
    data = glance or await _walked(world, options)
    for _ in range(CLOSED_WITHIN_CLOSED):
        if not data.get("closedHosts") or not await _adopt_closed(world):
            break
        data = await world.call("options => rove.snapshot(options)", options)
    if "gone" in data:
        raise ElementGone(f"{world.prefix}{data['gone']} is no longer on the page.")
    snapshot = parse(data, world.prefix, scoped=options.get("root") is not None)
    world.next_ref = snapshot.next_ref
    return snapshot


async def _walked(world: World, options: dict[str, Any]) -> dict[str, Any]:
    """What our world sees, once it knows who listens; mostly it does already, so that both are asked at once."""
    has_newcomers, data = await asyncio.gather(
        refresh_listeners(world), world.call("options => rove.snapshot(options)", options)
    )
    seen: dict[str, Any] = data
    return await world.call("options => rove.snapshot(options)", options) if has_newcomers else seen


async def _adopt_closed(world: World) -> bool:
    """Let the world see into closed shadow roots, which scripts cannot but the protocol can."""
    hosts = await world.handle("() => rove.closedHostCandidates()")
    if hosts is None:
        return False
    listed = await world.cdp.send("Runtime.getProperties", {"objectId": hosts, "ownProperties": True})
    adopted = False
    for item in listed["result"][:MOST_CLOSED_HOSTS]:
        identity = item.get("value", {}).get("objectId")
        if identity and item["name"].isdigit():
            adopted |= await open_closed_root(world, identity)
    return adopted


async def open_closed_root(world: World, host: str) -> bool:
    """Let the world see into what one element hides, if it hides anything."""
    described = await world.cdp.send("DOM.describeNode", {"objectId": host, "depth": 1, "pierce": True})
    closed = [root for root in described["node"].get("shadowRoots", []) if root["shadowRootType"] == "closed"]
    for root in closed:
        held = await world.cdp.send(
            "DOM.resolveNode",
            {"backendNodeId": root["backendNodeId"], "executionContextId": await world.context()},
        )
        await world.cdp.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": "function (root) { rove.adoptShadow(this, root) }",
                "objectId": host,
                "arguments": [{"objectId": held["object"]["objectId"]}],
            },
        )
    return bool(closed)
