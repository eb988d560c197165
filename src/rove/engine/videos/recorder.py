"""Records what a tab shows: the frames of a live view, each at its moment, without what the agent may not see."""

from __future__ import annotations

import asyncio
import functools
import io
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rove.browser.failures import BrowserError
from rove.browser.sessions import VideoFacts
from rove.engine.live_view import LiveFrame, LiveView
from rove.engine.people import Driver
from rove.errors import RoveError
from rove.page_text import Own
from rove.tasks import BackgroundTasks, cancelled

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab
    from rove.engine.videos.encoder import Encoder

TEXT = "not recorded"
BACKGROUND, FOREGROUND = (60, 64, 67), (189, 193, 198)
TEXT_SIZE = 24

# A frame is kept this long before it is written, and checked once more: the browser may send the picture of a page
# before it tells which page it is.
HOLD_SECONDS = 0.25
# A page at rest sends no frames. The file is continued so often, so that it is as long as the time that has passed.
IDLE_SECONDS = 1.0
CHECK_SECONDS = 1.0
MAX_HELD = 50
PICTURE_QUALITY = 80
DIED = "The encoder ended too early: the file holds what it had written until then."
FULL = "It ended by itself, at the longest or largest that the settings allow (recording)."


@functools.lru_cache(maxsize=4)
def withheld_picture(width: int, height: int) -> bytes:
    """Return a grey JPEG of this size that says so."""
    from PIL import Image, ImageDraw, ImageFont  # few videos need it

    image = Image.new("RGB", (max(width, 16), max(height, 16)), BACKGROUND)
    middle = image.width / 2, image.height / 2
    ImageDraw.Draw(image).text(middle, TEXT, FOREGROUND, ImageFont.load_default(TEXT_SIZE), anchor="mm")
    data = io.BytesIO()
    image.save(data, "JPEG", quality=70)
    return data.getvalue()


class RecordedSession(Protocol):
    """A session as a video sees it."""

    driver: Driver

    def may_read(self, url: str, /) -> bool:
        """Whether the agent may be shown a page at this address."""
        ...


class VideoRecorder:
    """Records one video, from `start` to `stop`, to the limit of its length, or until the session is closed."""

    def __init__(
        self,
        session: RecordedSession,
        find_tab: Callable[[], Tab | None],
        view: LiveView,
        encoder: Encoder,
        frames_per_second: float,
    ) -> None:
        self._session = session
        self._find_tab = find_tab
        self._view = view
        self._encoder = encoder
        self._interval = 1 / frames_per_second
        self._tasks = BackgroundTasks("a video", expected=(BrowserError,))
        self._writing: asyncio.Task[None] | None = None
        self._held: deque[LiveFrame] = deque(maxlen=MAX_HELD)
        self._has_news = asyncio.Event()
        self._stopping = asyncio.Event()
        self._began = 0.0
        # Pictures that were taken until then may show what may not be recorded.
        self._withheld_until = 0.0
        self._was_recordable = True
        self._shows_page = True
        # The tab of the last picture, if that is of the page at rest: the browser may leave out the last frame of a
        # change, and sends none to a second reader of a page at rest.
        self._settled: Tab | None = None
        self._last_frame = b""
        self._size = (1280, 720)
        self._withheld_since: float | None = None
        self._withheld = 0.0

    @property
    def path(self) -> Own:
        return Own(self._encoder.path)

    @property
    def is_over(self) -> bool:
        """Whether it has ended by itself."""
        return self._writing is not None and self._writing.done()

    async def start(self) -> None:
        """Begin. Raises Unsupported if there is no encoder."""
        await self._encoder.start()
        self._began = time.time()
        self._tasks.start(self._receive())
        self._writing = self._tasks.start(self._write())

    async def stop(self) -> VideoFacts:
        """End the video with what is shown now, and return what the file holds."""
        self._stopping.set()
        self._has_news.set()
        if self._writing is not None:
            await asyncio.wait({self._writing}, timeout=2 * CHECK_SECONDS + IDLE_SECONDS)
            await cancelled(self._writing)
        self._view.close()
        await self._tasks.close()
        self._note_shown(is_page=True)
        encoded = await self._encoder.close()
        path, size = self._encoder.path, await asyncio.to_thread(_size, self._encoder.path)
        if encoded is None:
            return VideoFacts(Own(path), size=size, withheld=self._withheld, problem=Own(DIED))
        problem = Own(FULL if encoded.is_full else "")
        seconds = round(encoded.seconds, 3)
        return VideoFacts(Own(path), seconds, encoded.width, encoded.height, size, self._withheld, problem)

    async def _receive(self) -> None:
        """Hold each frame until it may be written."""
        async for frame in self._view:
            self._view.acknowledge(frame.id)
            await self._is_recordable()
            if frame.data != self._last_frame:
                self._settled = None
            self._last_frame = frame.data
            self._held.append(frame)
            self._has_news.set()
            await asyncio.sleep(self._interval)  # the frames per second that were asked for

    async def _write(self) -> None:
        """Write the frames that were held long enough and, while there are none, that the last one is still shown."""
        await self._continue()
        while self._encoder.is_running and not self._stopping.is_set():
            self._has_news.clear()
            try:
                async with asyncio.timeout(IDLE_SECONDS):
                    await (self._has_news.wait() if not self._held else self._until_due(self._held[0]))
            except TimeoutError:
                await self._continue()
            while self._held and (self._is_due(self._held[0]) or self._stopping.is_set()):
                await self._write_frame(self._held.popleft())
        await self._continue()

    async def _until_due(self, frame: LiveFrame) -> None:
        if (wait := frame.at + HOLD_SECONDS - time.time()) > 0:
            await self._stopping_within(wait)

    async def _stopping_within(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            return

    def _is_due(self, frame: LiveFrame) -> bool:
        return time.time() >= frame.at + HOLD_SECONDS

    async def _write_frame(self, frame: LiveFrame) -> None:
        is_recordable = await self._is_recordable() and frame.at > self._withheld_until
        self._size = round(frame.width), round(frame.height)
        self._note_shown(is_recordable)
        await self._encoder.add(frame.at - self._began, frame.data if is_recordable else withheld_picture(*self._size))

    async def _continue(self) -> None:
        """Show the page at rest, or that it may not be recorded; else note that what was shown last still is."""
        is_recordable, picture = await self._is_recordable(), b""
        if not is_recordable and self._shows_page:
            picture = withheld_picture(*self._size)
        elif is_recordable and not (
            self._shows_page and self._settled is not None and self._settled is self._find_tab()
        ):
            tab = self._find_tab()
            picture = await self._picture(tab)
            is_recordable = await self._is_recordable() and bool(picture or self._shows_page)
            self._settled = tab if is_recordable and picture else None
            if not is_recordable:
                picture = withheld_picture(*self._size) if self._shows_page else b""
        self._note_shown(is_recordable)
        await self._encoder.add(time.time() - self._began, picture)

    def _note_shown(self, is_page: bool) -> None:
        """Note whether the page is shown from now on, and for how long it was not."""
        if self._withheld_since is not None and is_page:
            self._withheld += round(time.time() - self._withheld_since, 1)
        self._withheld_since = None if is_page else self._withheld_since or time.time()
        self._shows_page = is_page

    async def _picture(self, tab: Tab | None) -> bytes:
        """Return a picture of the page as it is now, as one at rest sends no frame; nothing if there is none."""
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                return await tab.take_picture(PICTURE_QUALITY) if tab is not None else b""
        except (TimeoutError, BrowserError, RoveError):
            return b""

    async def _is_recordable(self) -> bool:
        """Return whether what is shown now may be recorded, and note until when it may not have been."""
        is_recordable = await self._may_show(self._find_tab())
        if not (is_recordable and self._was_recordable):
            self._withheld_until = time.time()
        self._was_recordable = is_recordable
        return is_recordable

    async def _may_show(self, tab: Tab | None) -> bool:
        if self._session.driver.lease is not None:
            return False  # what a person types may be read from the screen
        if tab is None:
            return True  # nothing is shown
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                return self._session.may_read(tab.url) and await tab.screencast.may_be_kept()
        except (TimeoutError, BrowserError, RoveError):
            return False  # a page that does not answer cannot be checked


def _size(path: Path) -> int:
    return path.stat().st_size
