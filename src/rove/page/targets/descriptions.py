"""Describing elements so that they can be found again, and finding what a description may mean."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rove.browser.descriptions.description import Candidate, ElementDescription
from rove.errors import ElementGone
from rove.page.frames.world import World
from rove.page.input.aims import Aims
from rove.page.live_page import LivePage
from rove.page_text import PageText
from rove.target import Ref, parse_target

DESCRIBE = "ref => rove.recordedDescription(ref)"
CANDIDATES = "wanted => rove.recordedCandidates(wanted)"


class Descriptions:
    """Describes the elements of a tab, and finds what a description may mean."""

    def __init__(self, page: LivePage, aims: Aims[Any]) -> None:
        self._page = page
        self._aims = aims

    async def of(self, ref: str) -> tuple[ElementDescription, str]:
        """Return what the element of a ref can be found by later, and the origin that wrote it. Raises ElementGone."""
        target = parse_target(ref)
        assert isinstance(target, Ref), ref
        world = self._page.worlds.with_prefix(target.frame)
        answer = self._aims.description(ref) or await world.call(DESCRIBE, target.local)
        if answer is None:
            raise ElementGone(f"{ref} is not on the page any more.")
        found = ElementDescription.from_data(answer["description"])
        return replace(found, ref=ref, frames=await self._frames_around(world)), answer["origin"]

    async def candidates(self, wanted: ElementDescription) -> list[Candidate]:
        """Return the elements of all frames that the agent may read which a description may mean."""
        found: list[Candidate] = []
        spec = {name: getattr(wanted, name) for name in ("role", "name", "icon", "selector", "attributes")}
        for world in await self._page.every_world():
            answer = await world.call(CANDIDATES, spec)
            if world is not self._page.worlds.main and not self._page.may_read(answer["origin"]):
                continue
            frames = await self._frames_around(world)
            found += [_candidate(each, world.prefix, frames, answer["origin"]) for each in answer["candidates"]]
        return found

    async def _frames_around(self, world: World) -> tuple[str, ...]:
        """Return the selectors of the frames that a frame is in, from the outermost, itself included."""
        frames: list[str] = []
        while world.parent is not None:
            owner, world = await self._page.worlds.owner(world), world.parent
            answer = await world.call(DESCRIBE, owner)
            frames.insert(0, answer["description"]["selector"] if answer else "")
        return tuple(frames)


def _candidate(found: dict[str, Any], prefix: str, frames: tuple[str, ...], origin: str) -> Candidate:
    ref = prefix + found["ref"]
    described = replace(ElementDescription.from_data(found["description"]), ref=ref, frames=frames)
    return Candidate(ref, PageText(f"{found['line']} [{ref}]", origin), described, found["likeness"])
