"""Reading a tab as HTML that holds what a person sees, with the frames of the page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rove.browser.failures import BrowserError
from rove.errors import ScriptFailed
from rove.page.frames.world import World
from rove.page.frames.worlds import Worlds
from rove.page.reading.frame_rows import (
    MAX_CLOSED_DEPTH,
    ReadOptions,
    is_readable,
    owner_within,
)
from rove.reading.page_source import PageSource

PAGE_SOURCE = "options => rove.pageSource(options)"
# The most characters of HTML of one frame, elements, and children of one element.
LIMITS = {"longest": 5_000_000, "maxNodes": 80_000, "maxChildren": 100_000}
# Stands for a frame; a page cannot write this element.
_FRAME = re.compile(r'<rove-frame ref="(e\d+)"></rove-frame>')
_BODY = re.compile(r"<body[^>]*>(.*)</body></html>$", re.DOTALL)
UNANSWERED = "A frame of the page did not answer."


async def read_page_source(worlds: Worlds[World], reading: ReadOptions) -> PageSource:
    """Return the source of a page; frames of its own origin are in their places, others beside it."""
    main = await _read(worlds.main)
    read = await _read_frames(worlds, reading) if main["frames"] else {}
    return _Joining(main["origin"], read, reading).source(main, "", is_unseen=False)


async def _read_frames(worlds: Worlds[World], reading: ReadOptions) -> dict[str, tuple[World, dict[str, Any]]]:
    """Return what was read of each frame that answered, by the ref of the element that holds it."""
    below = await worlds.refresh(reading.frame_timeout)
    read = await asyncio.gather(*(_read_frame(worlds, world, reading) for world in below))
    return dict(each for each in read if each is not None)


async def _read_frame(
    worlds: Worlds[World], world: World, reading: ReadOptions
) -> tuple[str, tuple[World, dict[str, Any]]] | None:
    assert world.parent is not None
    try:
        async with asyncio.timeout(reading.frame_timeout):
            owner, read = await asyncio.gather(owner_within(worlds, world, reading.frame_timeout), _read(world))
    except (TimeoutError, BrowserError, ScriptFailed):
        return None
    return world.parent.prefix + owner, (world, read)


async def _read(world: World) -> dict[str, Any]:
    read: dict[str, Any] = await world.call(PAGE_SOURCE, LIMITS)
    for _ in range(MAX_CLOSED_DEPTH):
        if not read["closedHosts"] or not await world.open_closed_roots():
            break
        read = await world.call(PAGE_SOURCE, LIMITS)
    return read


class _Joining:
    """Puts the sources of frames into the source of the page that holds them."""

    def __init__(self, origin: str, frames: Mapping[str, tuple[World, dict[str, Any]]], reading: ReadOptions) -> None:
        self._origin = origin
        self._frames = dict(frames)
        self._reading = reading
        self._foreign: list[PageSource] = []
        self._notes: list[str] = []
        self._unseen: list[str] = []
        self._stripped = 0

    def source(self, read: dict[str, Any], prefix: str, *, is_unseen: bool) -> PageSource:
        """Return the source of a document with its frames."""
        html = self._with_frames(read, prefix, is_unseen=is_unseen)
        if self._stripped:
            self._notes.append(f"{self._stripped:,} invisible characters were removed from the text.")
        return PageSource(
            html,
            read["url"],
            is_rendered=True,
            is_cut=read["isCut"],
            unseen=tuple(self._unseen),
            frames=tuple(self._foreign),
            notes=tuple(dict.fromkeys(self._notes)),
        )

    def _with_frames(self, read: dict[str, Any], prefix: str, *, is_unseen: bool) -> str:
        self._unseen += (_of_unseen_frame(line) if is_unseen else line for line in read["unseen"])
        self._stripped += read["stripped"]
        unseen_frames = {ref for ref, is_hidden in read["frames"] if is_hidden or is_unseen}
        return _FRAME.sub(lambda found: self._frame(prefix + found[1], found[1] in unseen_frames), read["html"])

    def _frame(self, ref: str, is_unseen: bool) -> str:
        """Return what stands in the place of a frame in the HTML around it."""
        # Taken out, so that no frame is shown twice.
        world, read = self._frames.pop(ref, (None, None))
        if world is None or read is None:
            self._notes.append(UNANSWERED)
            return ""
        if not is_readable(read["origin"], self._origin, self._reading):
            self._notes.append(self._reading.withheld)
            return ""
        if read["origin"] == self._origin:
            body = _BODY.search(self._with_frames(read, world.prefix, is_unseen=is_unseen))
            return f"<section>{body[1]}</section>" if body and not is_unseen else ""
        self._add_foreign(world, read, is_unseen)
        return ""

    def _add_foreign(self, world: World, read: dict[str, Any], is_unseen: bool) -> None:
        """Keep a frame of another origin, and the frames in it, beside the page."""
        inner = _Joining(read["origin"], self._frames, self._reading).source(read, world.prefix, is_unseen=is_unseen)
        source = replace(inner, origin=read["origin"], frames=())
        if is_unseen:
            source = replace(source, html="")
        self._foreign += [source, *inner.frames]
        self._notes += inner.notes


def _of_unseen_frame(line: str) -> str:
    return f"{line} (invisible: frame)"
