"""What a person sees of a session as it happens: frames of one tab, at the pace of the viewer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from rove.records import dataclass
from rove.tasks import Interrupted, Signal, race

if TYPE_CHECKING:
    from rove.browser.page_data import ScreencastFrame
    from rove.browser.shared.capture import FrameReader
    from rove.browser.shared.tab import Tab

# Frames that a viewer may have received and not acknowledged. With one, its network would be idle half of the time.
MAX_UNACKNOWLEDGED = 2


@dataclass(frozen=True)
class LiveFrame:
    """A picture of a tab. `width` and `height` are those of the viewport in CSS pixels, in which input is told."""

    id: int
    tab: str
    url: str
    width: float
    height: float
    at: float
    data: bytes
    mime: str = "image/jpeg"

    @property
    def age(self) -> float:
        """Seconds since it was taken."""
        return max(time.time() - self.at, 0.0)


class ViewedSession(Protocol):
    """A session as a live view sees it."""

    @property
    def changed(self) -> Signal: ...
    @property
    def is_closed(self) -> bool: ...


class LiveView:
    """Frames of a tab, the newest first and each of them once, until the session is closed.

    It goes on when the tab navigates, when its page is replaced, and when the browser is restarted; without a tab's
    name it follows the current tab. A session without a page has no frames.

        async with session.watch() as view:
            async for frame in view:
                show(frame)
                view.acknowledge(frame.id)
    """

    def __init__(
        self, session: ViewedSession, find_tab: Callable[[], Tab | None], max_width: int, quality: int
    ) -> None:
        self._session = session
        self._find_tab = find_tab
        self._max_width = max_width
        self._quality = quality
        self._tab: Tab | None = None
        self._reader: FrameReader | None = None
        self._last_id = 0
        self._acknowledged = 0
        self._paced = asyncio.Event()
        self._closed = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> LiveFrame:
        while self._last_id - self._acknowledged >= MAX_UNACKNOWLEDGED and not self._closed.is_set():
            self._paced.clear()
            await self._paced.wait()
        while not (self._closed.is_set() or self._session.is_closed):
            if (frame := await self._next()) is not None:
                return frame
        self.close()
        raise StopAsyncIteration

    def acknowledge(self, frame: int) -> None:
        """Note that the viewer has shown a frame, and all before it, and can take another."""
        self._acknowledged = min(max(self._acknowledged, frame), self._last_id)
        self._paced.set()

    def close(self) -> None:
        """End the view. The browser stops to send frames when the last view of a tab ends."""
        self._closed.set()
        self._paced.set()
        self._close_reader()

    async def _next(self) -> LiveFrame | None:
        """Return the next frame of the tab that is shown now; None after a change of the session."""
        interrupts = (self._session.changed.wait(), self._closed.wait())
        reader = self._follow()
        try:
            frame = await race(reader.next() if reader is not None else asyncio.Future[None](), *interrupts)
        except Interrupted:
            return None
        if frame is None:  # the page is gone, and the session tells when there is another
            self._close_reader()
            return None
        return self._numbered(frame)

    def _follow(self) -> FrameReader | None:
        """Return the reader of the tab that is shown now."""
        tab = self._find_tab()
        if tab is not self._tab:
            self._close_reader()
            self._tab = tab
            self._reader = tab.screencast.open(self._max_width, self._quality) if tab is not None else None
        return self._reader

    def _close_reader(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.close()

    def _numbered(self, frame: ScreencastFrame) -> LiveFrame:
        assert self._tab is not None
        self._last_id += 1
        return LiveFrame(self._last_id, self._tab.id, self._tab.url, frame.width, frame.height, frame.at, frame.data)
