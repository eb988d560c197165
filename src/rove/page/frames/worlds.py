"""The worlds of one tab's frames, and the prefixes of their refs, which are never reused."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Iterator
from typing import Any, Generic, TypeVar

from rove.browser.failures import BrowserError
from rove.errors import ScriptFailed
from rove.page.frames.world import World

W_co = TypeVar("W_co", bound=World, covariant=True)
# Further frames of a page are left out.
MAX_FRAMES = 60
# Seconds that a frame may take to answer.
FRAME_TIMEOUT = 2.0


class Worlds(ABC, Generic[W_co]):
    """The worlds of one tab; its engine reports frames as they come and go."""

    def __init__(self, main: W_co) -> None:
        self._main = main
        self._by_frame: dict[str, W_co] = {main.frame_id: main}
        # Whether the main document has had frames, how often its frames changed, and that number at the last refresh.
        self._has_frames = False
        self._changes = 0
        self._refreshed_at_change = 0
        # Whether any frame was visible in the last snapshot of the page.
        self.has_visible_frames = False

    @property
    def main(self) -> W_co:
        return self._main

    # Primitives of an engine

    @abstractmethod
    async def refresh(self, timeout: float = FRAME_TIMEOUT) -> list[W_co]:
        """Ask the browser which frames there are; return all worlds but the main one, parents first."""

    @property
    def may_hang_apart(self) -> bool:
        """Whether a frame may hang while the page answers, as one in a process of its own does."""
        return self._has_frames

    @abstractmethod
    def has_frame(self, frame: str) -> bool:
        """Return whether the tab has a frame, which may be left out of its worlds."""

    # What follows from them

    def note_frame(self) -> None:
        """Note that there is a new frame, so that the next use of the frames refreshes them."""
        self._has_frames = True
        self._changes += 1

    def with_prefix(self, prefix: str) -> W_co:
        """Return the world whose refs have a prefix; raise what became of it if there is none."""
        for world in self._by_frame.values():
            if world.prefix == prefix:
                return world
        raise self.main.numbers.missing_frame(prefix, self.main.numbered)

    def set_tab(self, tab: str) -> None:
        """Note the id of the tab, by which an error can say where a ref belongs."""
        self.main.numbered.tab = tab

    def end(self, reason: str) -> None:
        """Note why no ref of this page can be used any more."""
        self.main.numbers.end_document(self.main.numbered, reason)

    def reset(self) -> None:
        """Drop all contexts: the main document has been replaced."""
        self._has_frames = False
        self._changes += 1
        for world in self._by_frame.values():
            world.reset()

    def __iter__(self) -> Iterator[W_co]:
        return iter(self._by_frame.values())

    async def owner(self, world: World) -> str:
        """Return the ref, in the parent's world, of the element that holds a frame."""
        if world.owner is None:
            world.owner = await world.find_owner()
        return world.owner

    async def current(self, timeout: float = FRAME_TIMEOUT) -> list[W_co]:
        """Return the worlds of all frames; ask the browser only if it has reported that frames changed."""
        if not self._has_frames:
            return [self.main]
        if not self._is_up_to_date:
            await self.refresh(timeout)
        return list(self._by_frame.values())

    @property
    def known_subframes(self) -> list[W_co]:
        """All worlds but the main one; empty if frames may have changed since the last refresh."""
        return [world for world in self._by_frame.values() if world is not self.main] if self._is_up_to_date else []

    @property
    def _is_up_to_date(self) -> bool:
        return self._refreshed_at_change == self._changes and not any(world.is_unresponsive for world in self)


async def bounded(world: World, work: Coroutine[Any, Any, Any], is_required: bool) -> Any:
    """Return the result; None if the frame is gone or took too long. The main frame has no time limit of its own."""
    try:
        async with asyncio.timeout(FRAME_TIMEOUT if world.parent else None):
            return await work
    except TimeoutError:
        world.is_unresponsive = True
    except (BrowserError, ScriptFailed):
        if is_required:
            raise
    return None
