"""Scripts in the frames of a page: what an audit needs of any engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class FrameWorld(Protocol):
    """The world of one frame in which rove's script runs, out of reach of the page's own scripts."""

    @property
    def frame_id(self) -> str: ...
    @property
    def prefix(self) -> str:
        """What the refs of the frame begin with; nothing for the main frame."""
        ...

    @property
    def parent(self) -> FrameWorld | None: ...
    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function expression with plain arguments and return a plain value."""
        ...


class FrameWorlds(Protocol):
    """The worlds of a page's frames."""

    @property
    def main(self) -> FrameWorld: ...
    def with_prefix(self, prefix: str, /) -> FrameWorld:
        """Return the world whose refs have a prefix; raise what became of it if there is none."""
        ...

    async def owner(self, world: Any, /) -> str:
        """Return the ref, in the parent's world, of the element that holds a frame."""
        ...


class ScriptedPage(Protocol):
    """A page whose frames run rove's scripts."""

    @property
    def worlds(self) -> FrameWorlds: ...
    @property
    def frame_timeout(self) -> float:
        """Seconds that one frame may take to answer."""
        ...

    def may_read(self, address: str, /) -> bool:
        """Return whether the agent may read words of an origin, or of a page at an address."""
        ...

    def origin_of(self, frame: str, /) -> str:
        """Return the origin whose words a frame shows."""
        ...

    async def every_world(self) -> Sequence[FrameWorld]:
        """Return the worlds of all frames that answer, the main one first."""
        ...
