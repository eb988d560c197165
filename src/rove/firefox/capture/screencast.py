"""Pictures of a page as it changes. Firefox sends none by itself, so screenshots are taken while there are readers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from rove.browser.page_data import ScreencastFrame
from rove.firefox.capture.screenshot import take_picture, viewport_size
from rove.firefox.protocol.connection import BidiError, PageChannel
from rove.tasks import BackgroundTasks

# Seconds between two pictures: each takes Firefox a part of this.
INTERVAL = 0.2
# A page whose picture stays the same is looked at less and less often, down to this.
IDLE_INTERVAL = 1.0
# For so long after an attempt that failed, as a page does not answer while it is replaced.
RETRY_SECONDS = 0.5


class Screencast:
    """The one series of pictures of a page, for all of its readers. It is taken only while one of them waits."""

    def __init__(
        self, channel: PageChannel, tasks: BackgroundTasks, keep_covered: Callable[[], Awaitable[bool]]
    ) -> None:
        """`keep_covered` hides what may not be recorded, and returns whether there was nothing to hide."""
        self._keep_covered = keep_covered
        self._channel = channel
        self._tasks = tasks
        self._readers: list[FrameReader] = []
        self.is_running = False
        self._wanted = asyncio.Event()
        channel.on("closed", lambda _: self._end())

    def open(self, max_width: int, quality: int) -> FrameReader:
        """Return a new reader. Frames are at least as wide, and as good, as it asks for."""
        reader = FrameReader(self, quality)
        self._readers.append(reader)
        if not self.is_running:
            self.is_running = True
            self._tasks.start(self._run())
        return reader

    async def may_be_kept(self) -> bool:
        """Return whether frames that were sent until now show only what the agent may see."""
        return await self._keep_covered()

    def remove(self, reader: FrameReader) -> None:
        if reader in self._readers:
            self._readers.remove(reader)
            self._wanted.set()

    def want(self) -> None:
        """Note that a reader waits for the next picture."""
        self._wanted.set()

    async def _run(self) -> None:
        last, interval = b"", INTERVAL
        try:
            while self._readers and not self._channel.is_closed:
                self._wanted.clear()
                if not any(reader.is_waiting for reader in self._readers):
                    await self._wanted.wait()
                    continue
                frame = await self._take()
                is_new = frame is not None and frame.data != last
                if frame is not None:
                    last = frame.data
                    # A reader that has just come gets the picture that the others have.
                    for reader in self._readers:
                        if is_new or not reader.has_read:
                            reader.put(frame)
                interval = INTERVAL if is_new else min(interval * 1.5, IDLE_INTERVAL)
                await asyncio.sleep(interval if frame is not None else RETRY_SECONDS)
        finally:
            self.is_running = False

    async def _take(self) -> ScreencastFrame | None:
        quality = max((reader.quality for reader in self._readers), default=60)
        try:
            width, height = await viewport_size(self._channel)
            return ScreencastFrame(width, height, time.time(), await take_picture(self._channel, quality))
        except BidiError:
            return None

    def _end(self) -> None:
        readers, self._readers = self._readers, []
        self._wanted.set()
        for reader in readers:
            reader.end()


class FrameReader:
    """Keeps the newest frame until it is read."""

    def __init__(self, screencast: Screencast, quality: int) -> None:
        self.quality = quality
        self.is_waiting = False
        self.has_read = False
        self._screencast = screencast
        self._newest: ScreencastFrame | None = None
        self._has_news = asyncio.Event()
        self._has_ended = False

    async def next(self) -> ScreencastFrame | None:
        """Return the newest frame, once there is one that was not read yet; None if the page is gone."""
        if self._newest is None and not self._has_ended:
            self.is_waiting = True
            self._screencast.want()
            await self._has_news.wait()
        frame, self._newest = self._newest, None
        self._has_news.clear()
        return frame

    def put(self, frame: ScreencastFrame) -> None:
        self._newest, self.is_waiting, self.has_read = frame, False, True
        self._has_news.set()

    def end(self) -> None:
        self._has_ended = True
        self._has_news.set()

    def close(self) -> None:
        self._screencast.remove(self)
        self.end()
