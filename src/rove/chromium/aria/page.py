"""The interface that reading aria snapshots needs of a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from rove.browser.page_state import LoadState
from rove.chromium.aria.frame_order import FrameOrder
from rove.chromium.frames.worlds import World, Worlds


class Page(Protocol):
    """A page as its reader sees it. `LivePage` is the one implementation."""

    worlds: Worlds
    frame_order: FrameOrder
    # Whether text of a frame of this origin may be shown to the agent.
    may_read: Callable[[str], bool]

    @property
    def load_state(self) -> LoadState: ...
    @property
    def frame_timeout(self) -> float:
        """Seconds that one frame may take to answer."""
        ...

    async def every_world(self) -> list[World]:
        """Return the worlds of all frames that answer, the main one first."""
        ...
