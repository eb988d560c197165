"""The interface that input devices need of a page."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

from rove.browser.page_state import Dialogs, Downloads
from rove.browser.time_budget import TimeBudget
from rove.chromium.frames.frame_origins import FrameOrigins
from rove.chromium.frames.worlds import World, Worlds
from rove.chromium.protocol.connection import CdpSession
from rove.page_text import PageText
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks

R = TypeVar("R")


class Page(Protocol):
    """A page as input sees it. `LivePage` is the one implementation."""

    cdp: CdpSession
    worlds: Worlds
    time: TimeBudget
    settings: Settings
    tasks: BackgroundTasks
    origins: FrameOrigins

    @property
    def url(self) -> PageText: ...
    @property
    def dialogs(self) -> Dialogs: ...
    @property
    def downloads(self) -> Downloads: ...
    @property
    def is_loading(self) -> bool:
        """Whether the document is being parsed, or something that it has asked for lately has not arrived."""
        ...

    @property
    def awaited_server(self) -> PageText | None: ...
    def may_read(self, address: str, /) -> bool:
        """Return whether the agent may read words of an origin, or of a page at an address."""
        ...

    async def every_world(self) -> list[World]:
        """Return the worlds of all frames that answer, the main one first."""
        ...

    async def unless_replaced(self, work: Coroutine[Any, Any, R], /) -> R | None:
        """Return the result of the work; None if another document is being loaded and its server has not answered."""
        ...
