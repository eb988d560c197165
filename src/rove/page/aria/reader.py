"""Reading aria snapshots of a page with its frames, and finding the elements that their refs and locators mean."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from rove.browser.aria.reader import AriaSnapshot
from rove.browser.failures import BrowserError
from rove.errors import ElementNotFound, InvalidArguments, ScriptFailed
from rove.page.frames.world import World
from rove.page.live_page import LivePage
from rove.page_text import SEVERAL, Own, PageText
from rove.target import Ref, parse_target

SNAPSHOT = "options => rove.ariaSnapshot(options)"
LOCATOR = "(ref, isExact) => rove.locatorOf(ref, isExact)"
UNANSWERED = "(the frame did not answer)"


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
        data = await world.call(SNAPSHOT, {**options, "prefix": prefix})
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
            return [_text_line(UNANSWERED, options)]
        try:
            async with asyncio.timeout(self._page.frame_timeout):
                return await self._read(world, options, origins)
        except TimeoutError:
            return [_text_line(UNANSWERED, options)]
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
