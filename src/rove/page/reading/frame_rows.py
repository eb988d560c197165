"""Reading the snapshot rows of all frames of a tab, as one snapshot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from rove.browser.failures import BrowserError
from rove.errors import ScriptFailed
from rove.page.frames.world import World
from rove.page.frames.worlds import MAX_FRAMES, Worlds
from rove.snapshot import Snapshot, of_origin, parse, remark, stitch
from rove.validation.record import dataclass

SNAPSHOT = "options => rove.snapshot(options)"
# A closed shadow root may contain another one, which only the next snapshot finds.
MAX_CLOSED_DEPTH = 3
# Shown in place of a frame that is too busy to answer.
UNANSWERED = remark("(the frame did not answer)")


@dataclass(frozen=True)
class ReadOptions:
    """Seconds that a frame may take, which origins may be read, the text for others, and the options for frames."""

    frame_timeout: float
    may_read: Callable[[str], bool]
    withheld: str
    frame_options: Mapping[str, Any] = field(default_factory=dict[str, Any])


async def read_page(
    worlds: Worlds[World], options: dict[str, Any], reading: ReadOptions, main_data: dict[str, Any] | None = None
) -> Snapshot:
    """Return the snapshot of a page with its frames; `main_data` is the main frame's, if it has just been taken."""
    # Frames that are known already and run in other processes are read at the same time as the main frame.
    known = worlds.known_subframes if worlds.has_visible_frames else []
    out_of_process = [world for world in known if world.process is not worlds.main.process]
    ahead = asyncio.ensure_future(_read_frames(worlds, out_of_process, reading))
    try:
        main = await _read_rows(worlds.main, options, main_data)
        worlds.has_visible_frames = bool(main.frames)
        if not main.frames:
            return main
        frames = await _read_all_frames(worlds, known, ahead, reading)
    finally:
        ahead.cancel()
    return stitch(main, _with_note(main, _hide_unreadable(frames, main.origin, reading)))


async def _read_all_frames(
    worlds: Worlds[World], known: list[World], ahead: asyncio.Future[dict[str, Snapshot]], reading: ReadOptions
) -> dict[str, Snapshot]:
    """Return the snapshots of all frames; use those read ahead unless frames may have changed since."""
    if not known or worlds.known_subframes != known:
        return await _read_frames(worlds, await worlds.refresh(reading.frame_timeout), reading)
    in_process = [world for world in known if world.process is worlds.main.process]
    return {**await _read_frames(worlds, in_process, reading), **await ahead}


async def read_element(worlds: Worlds[World], world: World, options: dict[str, Any], reading: ReadOptions) -> Snapshot:
    """Return the snapshot of one element of one frame; the first row is the element itself."""
    part = await _read_rows(world, options)
    if part.frames:
        part = stitch(part, await _read_subframes(worlds, world, part.origin, reading))
    return (
        part if world is worlds.main or await _has_tab_origin(worlds, part, reading) else of_origin(part, part.origin)
    )


async def _has_tab_origin(worlds: Worlds[World], part: Snapshot, reading: ReadOptions) -> bool:
    """Return whether a frame has the same origin as the tab; False if the tab's main frame does not answer."""
    try:
        async with asyncio.timeout(reading.frame_timeout):
            return part.origin == await worlds.main.origin()
    except (TimeoutError, BrowserError, ScriptFailed):
        return False


async def _read_subframes(worlds: Worlds[World], top: World, origin: str, reading: ReadOptions) -> dict[str, Snapshot]:
    """Return the snapshots of all frames but the main one and `top`, by the ref of the element that holds each."""
    subframes = [world for world in await worlds.refresh(reading.frame_timeout) if world is not top]
    return _hide_unreadable(await _read_frames(worlds, subframes, reading), origin, reading)


async def _read_frames(worlds: Worlds[World], frames: list[World], reading: ReadOptions) -> dict[str, Snapshot]:
    snapshots = await asyncio.gather(*(_read_frame(worlds, world, reading) for world in frames))
    return dict(snapshot for snapshot in snapshots if snapshot is not None)


def _hide_unreadable(frames: dict[str, Snapshot], allowed: str, reading: ReadOptions) -> dict[str, Snapshot]:
    """Replace the frames of origins that may not be read; the origin `allowed` is the page's own."""
    withheld = remark(reading.withheld)
    return {ref: rows if is_readable(rows.origin, allowed, reading) else withheld for ref, rows in frames.items()}


def is_readable(origin: str, allowed: str, reading: ReadOptions) -> bool:
    return origin in ("", allowed) or reading.may_read(origin)


def _with_note(main: Snapshot, frames: dict[str, Snapshot]) -> dict[str, Snapshot]:
    """Add a note, in place of the first frame that was left out, on how many were."""
    left_out = [ref for ref in main.frames if ref not in frames]
    if len(frames) < MAX_FRAMES - 1 or not left_out:
        return frames
    return {**frames, left_out[0]: remark(f"… not looked into, as are {len(left_out) - 1} frames more")}


async def _read_frame(worlds: Worlds[World], world: World, reading: ReadOptions) -> tuple[str, Snapshot] | None:
    """Return a frame's snapshot and its element's ref; None if it is going away, so that the others are still read."""
    assert world.parent is not None
    try:
        owner, rows = await asyncio.gather(
            owner_within(worlds, world, reading.frame_timeout), _read_rows_within(world, reading)
        )
    except (TimeoutError, BrowserError, ScriptFailed):
        return None
    return world.parent.prefix + owner, rows


async def owner_within(worlds: Worlds[World], world: World, timeout: float) -> str:
    async with asyncio.timeout(timeout):
        return await worlds.owner(world)


async def _read_rows_within(world: World, reading: ReadOptions) -> Snapshot:
    if world.is_unresponsive:
        return UNANSWERED
    try:
        async with asyncio.timeout(reading.frame_timeout):
            return await _read_rows(world, dict(reading.frame_options))
    except TimeoutError:
        return UNANSWERED


async def _read_rows(world: World, options: dict[str, Any], taken: dict[str, Any] | None = None) -> Snapshot:
    """Return the snapshot of one frame; `taken` is its data, if it has just been taken."""
    data = taken or await _take_snapshot(world, options)
    for _ in range(MAX_CLOSED_DEPTH):
        if not data.get("closedHosts") or not await world.open_closed_roots():
            break
        data = await world.call(SNAPSHOT, options)
    if "gone" in data:
        raise world.numbers.missing_element(f"{world.prefix}{data['gone']}", world.numbered)
    world.snapshot_number = data.get("number", world.snapshot_number)
    return parse(data, world.prefix, scoped=options.get("root") is not None)


async def _take_snapshot(world: World, options: dict[str, Any]) -> dict[str, Any]:
    if not options.get("text"):  # text is the same whatever listens
        await world.prepare_listeners()
    data: dict[str, Any] = await world.call(SNAPSHOT, options)
    return data
