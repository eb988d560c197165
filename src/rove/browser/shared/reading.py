"""Reading a page with its frames: snapshot rows, aria snapshots and HTML."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from rove.browser.failures import BrowserError
from rove.browser.shared.frames import MAX_FRAMES, World, Worlds
from rove.browser.shared.live_page import LivePage
from rove.content.page_source import PageSource
from rove.errors import ElementNotFound, InvalidArguments, ScriptFailed
from rove.page_text import SEVERAL, Own, PageText
from rove.records import dataclass
from rove.snapshot import Snapshot, of_origin, parse, remark, stitch
from rove.target import Ref, parse_target

ROWS = "options => rove.snapshot(options)"
# A closed shadow root may contain another one, which only the next snapshot finds.
MAX_CLOSED_DEPTH = 3
# Shown in place of a frame that is too busy to answer.
UNANSWERED = remark("(the frame did not answer)")
PAGE_SOURCE = "options => rove.pageSource(options)"
# The most characters of HTML of one frame, elements, and children of one element.
LIMITS = {"longest": 5_000_000, "maxNodes": 80_000, "maxChildren": 100_000}
# Stands for a frame; a page cannot write this element.
_FRAME = re.compile(r'<rove-frame ref="(e\d+)"></rove-frame>')
_BODY = re.compile(r"<body[^>]*>(.*)</body></html>$", re.DOTALL)
FRAME_UNANSWERED = "A frame of the page did not answer."
ARIA_SNAPSHOT = "options => rove.ariaSnapshot(options)"
LOCATOR = "(ref, isExact) => rove.locatorOf(ref, isExact)"
ARIA_UNANSWERED = "(the frame did not answer)"


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
    out_of_process = [world for world in known if world.channel is not worlds.main.channel]
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
    in_process = [world for world in known if world.channel is worlds.main.channel]
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
        data = await world.call(ROWS, options)
    if "gone" in data:
        raise world.numbers.missing_element(f"{world.prefix}{data['gone']}", world.numbered)
    world.snapshot_number = data.get("number", world.snapshot_number)
    return parse(data, world.prefix, scoped=options.get("root") is not None)


async def _take_snapshot(world: World, options: dict[str, Any]) -> dict[str, Any]:
    if not options.get("text"):  # text is the same whatever listens
        await world.prepare_listeners()
    data: dict[str, Any] = await world.call(ROWS, options)
    return data


async def read_page_source(worlds: Worlds[World], reading: ReadOptions) -> PageSource:
    """Return the source of a page; frames of its own origin are in their places, others beside it."""
    main = await _read(worlds.main)
    read = await _read_sources(worlds, reading) if main["frames"] else {}
    return _Joining(main["origin"], read, reading).source(main, "", is_unseen=False)


async def _read_sources(worlds: Worlds[World], reading: ReadOptions) -> dict[str, tuple[World, dict[str, Any]]]:
    """Return what was read of each frame that answered, by the ref of the element that holds it."""
    below = await worlds.refresh(reading.frame_timeout)
    read = await asyncio.gather(*(_read_source(worlds, world, reading) for world in below))
    return dict(each for each in read if each is not None)


async def _read_source(
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
            self._notes.append(FRAME_UNANSWERED)
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


@dataclass(frozen=True)
class AriaSnapshot:
    """The text, and the origins of the page and of the frames whose words it holds."""

    text: PageText
    origins: tuple[Own, ...]


class AriaReader:
    """Takes aria snapshots of one page."""

    def __init__(self, page: LivePage, withheld: Callable[[], str]) -> None:
        self._page = page
        self._withheld = withheld
        # What the caller has been told of the tab, and the file of its console messages; the engine keeps them here.
        self.told: object = None
        self.console_file: object = None
        self.told_download: object = None
        self._loaded = (-1, 0.0)

    async def take_snapshot(
        self, ref: str | None = None, depth: int | None = None, boxes: bool = False
    ) -> AriaSnapshot:
        """Return the page, or the element that a ref means, with the frames in it."""
        return await self._take(ref, {"depth": depth or 0, "boxes": boxes})

    async def take_outline(self, ref: str | None = None) -> AriaSnapshot:
        """Return the page, or the element that a ref means, as an outline: a line for each element, without refs."""
        return await self._take(ref, {"depth": 0, "isOutline": True})

    async def _take(self, ref: str | None, options: dict[str, Any]) -> AriaSnapshot:
        if ref is None:
            world = self._page.worlds.main
        else:
            target = parse_target(ref)
            assert isinstance(target, Ref), ref
            world, options["root"] = self._page.worlds.with_prefix(target.frame), target.local
        origins: list[str] = []
        lines = await self._read(world, options, origins)
        wrote = tuple(map(Own, dict.fromkeys(origins)))
        text = PageText("\n".join(lines), wrote[0] if len(wrote) == 1 else SEVERAL)
        return AriaSnapshot(text, wrote)

    async def _read(self, world: World, options: dict[str, Any], origins: list[str]) -> list[str]:
        prefix = self._page.frame_order.prefix(world.frame_id)
        data = await world.call(ARIA_SNAPSHOT, {**options, "prefix": prefix})
        if world is not self._page.worlds.main and not await self._may_read(data["origin"]):
            return [_text_line(self._withheld(), options)]
        origins.append(data["origin"])
        lines: list[str] = data["lines"]
        # From the end, so that the lines of a frame do not move those of the frames before it.
        for line, depth, owner in reversed(data["frames"]):
            inner = await self._read_frame(world, owner, _inside(options, depth), origins)
            if inner:
                lines[line] += "" if options.get("isOutline") else ":"
                lines[line + 1 : line + 1] = ["  " * (depth + 1) + each for each in inner]
        return lines

    async def _may_read(self, origin: str) -> bool:
        """Return whether the text of a frame may be shown: it is of the page's own origin, or the policy allows it."""
        return self._page.may_read(origin) or origin == await self._page.worlds.main.origin()

    async def _read_frame(
        self, parent: World, owner: str, options: dict[str, Any] | None, origins: list[str]
    ) -> list[str]:
        """Return the lines of the frame that an element holds; none where the depth ends or it is going away."""
        world = await self._frame_of(parent, owner) if options is not None else None
        if world is None or options is None:
            return []
        if world.is_unresponsive:
            return [_text_line(ARIA_UNANSWERED, options)]
        try:
            async with asyncio.timeout(self._page.frame_timeout):
                return await self._read(world, options, origins)
        except TimeoutError:
            return [_text_line(ARIA_UNANSWERED, options)]
        except (BrowserError, ScriptFailed):
            return []

    async def _frame_of(self, parent: World, owner: str) -> World | None:
        for world in await self._page.worlds.current():
            if world.parent is parent and await self._page.worlds.owner(world) == owner:
                return world
        return None

    async def loaded_at(self) -> float:
        """Return when the document began to load, in seconds since the epoch."""
        documents = self._page.load_state.documents
        if self._loaded[0] != documents:
            self._loaded = documents, await self._page.worlds.main.call("() => performance.timeOrigin") / 1000
        return self._loaded[1]

    async def ref_of(self, frame: int, number: int) -> str:
        """Return the ref of the element that an aria snapshot has numbered; raise if it is gone."""
        for world in await self._page.every_world():
            if self._page.frame_order.number(world.frame_id) == frame:
                found: str | None = await world.call("number => rove.refOfAriaNumber(number)", number)
                if found:
                    return world.prefix + found
        name = (f"f{frame}" if frame else "") + f"e{number}"
        raise ElementNotFound(f"Ref {name} not found in the current page snapshot.", hint="Take a new {aria_snapshot}.")

    async def refs_located(self, steps: list[dict[str, Any]], limit: int) -> list[str]:
        """Return the refs of the elements that a locator means."""
        for world in await self._page.every_world():
            answer = await world.call("(steps, limit) => rove.locate(steps, limit)", steps, limit)
            if answer.get("refs"):
                return [world.prefix + ref for ref in answer["refs"]]
        return []

    async def matching(self, texts: list[str], regex: str) -> list[int]:
        """Return the places of the texts that match a JavaScript pattern, which may be /pattern/flags.

        The page matches them: a pattern that takes for ever blocks nothing else.
        """
        answer = await self._page.worlds.main.call("(texts, regex) => rove.matching(texts, regex)", texts, regex)
        if "error" in answer:
            why: str = answer["error"]
            raise InvalidArguments(f"`regex`: {why}.")
        places: list[int] = answer["places"]
        return places

    async def locator_of(self, ref: str, is_exact: bool = False) -> str:
        """Return a Playwright locator for the element that a ref means, as JavaScript; empty if it is gone.

        `is_exact`: by whole texts only, as Playwright's locators fit parts of texts too.
        """
        target = parse_target(ref)
        assert isinstance(target, Ref), ref
        world = self._page.worlds.with_prefix(target.frame)
        chain: list[str] = [await world.call(LOCATOR, target.local, is_exact) or ""]
        while world.parent is not None:
            owner, world = await self._page.worlds.owner(world), world.parent
            chain.insert(0, await world.call(LOCATOR, owner, is_exact) or "")
        return ".contentFrame().".join(chain) if all(chain) else ""


def _text_line(text: str, options: dict[str, Any]) -> str:
    """Return a line that stands for a frame, in the form of the snapshot."""
    return f"text {json.dumps(text)}" if options.get("isOutline") else f"- text: {text}"


def _inside(options: dict[str, Any], depth: int) -> dict[str, Any] | None:
    """Return the options for a frame at a depth; None where it is too deep to be shown."""
    inner = {name: value for name, value in options.items() if name != "root"}
    if not inner["depth"]:
        return inner
    inner["depth"] -= depth + 1
    return inner if inner["depth"] > 0 else None
