"""The interface that reading aria snapshots needs of a page."""

from __future__ import annotations

from typing import Protocol

from rove.browser.page_state import LoadState
from rove.chromium.aria.frame_order import FrameOrder
from rove.chromium.frames.worlds import World, Worlds


class Page(Protocol):
    """A page as its reader sees it. `LivePage` is the one implementation."""

    worlds: Worlds
    frame_order: FrameOrder

    @property
    def load_state(self) -> LoadState: ...
    @property
    def frame_timeout(self) -> float:
        """Seconds that one frame may take to answer."""
        ...

    def may_read(self, address: str, /) -> bool:
        """Return whether the agent may read words of an origin, or of a page at an address."""
        ...

    async def every_world(self) -> list[World]:
        """Return the worlds of all frames that answer, the main one first."""
        ...
