"""Pictures of a page as it changes. The browser sends the next frames only after the last ones are acknowledged."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable
from typing import Any

from rove.browser.page_data import ScreencastFrame
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.tasks import BackgroundTasks

# Seconds between two acknowledgements: encoding more than 20 frames a second would slow down the page that is shown.
MIN_INTERVAL = 0.05
# While all readers are busy with the frame before, so that the one they get next is new. It ends if they do not go on.
BUSY_INTERVAL = 0.15
UNREAD_SECONDS = 2.0
# The browser has sent this many frames without an acknowledgement when it begins to drop the next ones. The last one
# that it dropped never comes by itself, so the screencast is started anew if no other comes within these seconds.
MAX_UNACKNOWLEDGED = 3
STALE_SECONDS = 0.1
# Chromium limits both sides, and only the width matters here.
MAX_HEIGHT = 10_000
# After these the browser can be asked again for pictures that it refused, as it does while it replaces a new page.
SIGNS_OF_A_PAGE = ("Page.frameNavigated", "Page.domContentEventFired", "Page.loadEventFired")


class Screencast:
    """The one screencast of a page, for all of its readers."""

    def __init__(self, cdp: CdpSession, tasks: BackgroundTasks, keep_covered: Callable[[], Awaitable[bool]]) -> None:
        """`keep_covered` hides what may not be recorded, and returns whether there was nothing to hide."""
        self._keep_covered = keep_covered
        self._cdp = cdp
        self._tasks = tasks
        self._readers: list[FrameReader] = []
        # The numbers of frames that are not acknowledged yet.
        self._held: list[int] = []
        self._may_have_dropped = False
        self._acknowledged_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._is_listening = False
        # The width and quality that the browser sends now; None if there is no screencast.
        self._sent: tuple[int, int] | None = None
        self._changing = asyncio.Lock()
        self._signs = 0

    @property
    def is_running(self) -> bool:
        return self._sent is not None

    def open(self, max_width: int, quality: int) -> FrameReader:
        """Return a new reader. Frames are at least as wide, and as good, as it asks for."""
        self._listen()
        reader = FrameReader(self, max_width, quality)
        self._readers.append(reader)
        self._tasks.start(self._adjust())
        return reader

    async def may_be_kept(self) -> bool:
        """Return whether frames that were sent until now show only what the agent may see."""
        return await self._keep_covered()

    def remove(self, reader: FrameReader) -> None:
        if reader in self._readers:
            self._readers.remove(reader)
            self._tasks.start(self._adjust())

    def acknowledge_soon(self) -> None:
        """Let the browser send another frame, as soon as the readers can use it."""
        if not self._held or (interval := self._interval) is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        wait = self._acknowledged_at + interval - time.monotonic()
        self._timer = asyncio.get_running_loop().call_later(max(wait, 0), self._acknowledge)

    @property
    def _interval(self) -> float | None:
        """Seconds between two acknowledgements; None if no reader has read for a while."""
        if any(reader.is_waiting for reader in self._readers):
            return MIN_INTERVAL
        is_read = any(time.monotonic() - reader.read_at < UNREAD_SECONDS for reader in self._readers)
        return BUSY_INTERVAL if is_read else None

    def _listen(self) -> None:
        if not self._is_listening:
            self._is_listening = True
            self._cdp.on("Page.screencastFrame", self._on_frame)
            self._cdp.on("closed", lambda _: self._end())
            for sign in SIGNS_OF_A_PAGE:
                self._cdp.on(sign, lambda _: self._on_sign())

    @property
    def _wanted(self) -> tuple[int, int] | None:
        if not self._readers:
            return None
        return max(reader.max_width for reader in self._readers), max(reader.quality for reader in self._readers)

    async def _adjust(self, anew: bool = False) -> None:
        """Start, change or stop the screencast, as the readers want it; `anew`: also if they want what it is."""
        async with self._changing:
            while self._wanted != self._sent or anew:
                signs = self._signs
                try:
                    if self._sent is not None:
                        self._sent = None
                        await self._cdp.send("Page.stopScreencast")
                    await self._start()
                    return
                except CdpError:
                    self._sent = None
                if self._cdp.is_closed:
                    self._end()
                    return
                if signs == self._signs:
                    return  # the page does not let itself be shown now, and is asked again at the next sign

    async def _start(self) -> None:
        self._held.clear()
        self._may_have_dropped = False
        if (wanted := self._wanted) is None:
            return
        self._sent = wanted
        size = {"maxWidth": wanted[0], "maxHeight": MAX_HEIGHT}
        await self._cdp.send("Page.startScreencast", {"format": "jpeg", "quality": wanted[1], **size})

    def _on_frame(self, event: dict[str, Any]) -> None:
        about = event["metadata"]
        at = about.get("timestamp") or time.time()
        frame = ScreencastFrame(about["deviceWidth"], about["deviceHeight"], at, base64.b64decode(event["data"]))
        self._held.append(event["sessionId"])
        self._may_have_dropped |= len(self._held) >= MAX_UNACKNOWLEDGED
        for reader in self._readers:
            reader.put(frame)
        self.acknowledge_soon()

    def _acknowledge(self) -> None:
        self._timer = None
        self._acknowledged_at = time.monotonic()
        held, self._held = self._held, []
        for number in held:
            self._tasks.start(self._cdp.send("Page.screencastFrameAck", {"sessionId": number}))
        if self._may_have_dropped:
            self._may_have_dropped = False
            asyncio.get_running_loop().call_later(STALE_SECONDS, self._refresh_if_stale)

    def _refresh_if_stale(self) -> None:
        if not self._held and self._sent is not None and any(reader.is_waiting for reader in self._readers):
            self._tasks.start(self._adjust(anew=True))

    def _on_sign(self) -> None:
        self._signs += 1
        if self._readers and self._sent is None:
            self._tasks.start(self._adjust())

    def _end(self) -> None:
        self._sent = None
        readers, self._readers = self._readers, []
        for reader in readers:
            reader.end()


class FrameReader:
    """Keeps the newest frame until it is read."""

    def __init__(self, screencast: Screencast, max_width: int, quality: int) -> None:
        self.max_width = max_width
        self.quality = quality
        self.is_waiting = False
        self.read_at = time.monotonic()
        self._screencast = screencast
        self._newest: ScreencastFrame | None = None
        self._has_news = asyncio.Event()
        self._has_ended = False

    async def next(self) -> ScreencastFrame | None:
        """Return the newest frame, once there is one that was not read yet; None if the page is gone."""
        if self._newest is None and not self._has_ended:
            self.is_waiting = True
            self._screencast.acknowledge_soon()
            await self._has_news.wait()
        frame, self._newest = self._newest, None
        self.read_at = time.monotonic()
        self._has_news.clear()
        return frame

    def put(self, frame: ScreencastFrame) -> None:
        self._newest, self.is_waiting = frame, False
        self._has_news.set()

    def end(self) -> None:
        self._has_ended = True
        self._has_news.set()

    def close(self) -> None:
        self._screencast.remove(self)
        self.end()
