"""Screenshots, a screencast and PDF files of a page."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any, BinaryIO

from rove.browser.chromium.connection import CdpError, CdpSession
from rove.browser.page_data import Box, ImageFormat, PdfFile, PdfOptions, ScreencastFrame, ScreenshotImage
from rove.browser.shared.capture import (
    CHUNK_BYTES,
    OVERLAP_BYTES,
    PAGE_DICTIONARY,
    PAPERS,
    PdfTarget,
    copy_to_workspace,
)
from rove.errors import InvalidArguments, LimitReached, unwritable
from rove.tasks import BackgroundTasks

# Chromium cannot paint larger textures; a larger page is cut, and `is_cut` says so.
MAX_HEIGHT = 16000
MAX_WIDTH = 8000

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
MAX_FRAME_HEIGHT = 10_000
# After these the browser can be asked again for pictures that it refused, as it does while it replaces a new page.
SIGNS_OF_A_PAGE = ("Page.frameNavigated", "Page.domContentEventFired", "Page.loadEventFired")


async def take_screenshot(
    cdp: CdpSession, element: Box | None, full_page: bool, kind: ImageFormat, max_side: int
) -> ScreenshotImage:
    """Capture the viewport, the full page, or a box of the viewport; neither side is longer than `max_side`."""
    data: bytes | None = None
    if element is None and not full_page:
        # Without a clip the browser captures the frame that it shows. Its size is only needed afterwards.
        metrics, data = await asyncio.gather(cdp.send("Page.getLayoutMetrics"), _capture(cdp, kind))
    else:
        metrics = await cdp.send("Page.getLayoutMetrics")
    area = _area(metrics, element, full_page)
    width, height = max(min(area["width"], MAX_WIDTH), 1), max(min(area["height"], MAX_HEIGHT), 1)
    box = {**area, "width": width, "height": height}
    scale = min(1.0, max_side / max(width, height))
    if data is None or scale < 1:
        is_outside = element is not None or full_page
        data = await _capture(cdp, kind, captureBeyondViewport=is_outside, clip={**box, "scale": scale})
    is_cut = (width, height) != (max(area["width"], 1), max(area["height"], 1))
    return ScreenshotImage(kind, box, scale, is_cut, data)


async def take_picture(cdp: CdpSession, quality: int) -> bytes:
    """Return a JPEG of the viewport, as the browser shows it now."""
    return await _capture(cdp, "jpeg", quality=quality)


async def _capture(cdp: CdpSession, kind: ImageFormat, **options: Any) -> bytes:
    quality = {"quality": 80} if kind == "jpeg" else {}
    params = {"format": kind, "optimizeForSpeed": True, **quality, **options}
    return base64.b64decode((await cdp.send("Page.captureScreenshot", params))["data"])


def _area(metrics: dict[str, Any], element: Box | None, full_page: bool) -> Box:
    """Return the part of the page to capture, in the page's coordinates."""
    view, content = metrics["cssVisualViewport"], metrics["cssContentSize"]
    if element is not None:
        return {**element, "x": element["x"] + view["pageX"], "y": element["y"] + view["pageY"]}
    if full_page:
        return {"x": 0, "y": 0, "width": content["width"], "height": content["height"]}
    return {"x": view["pageX"], "y": view["pageY"], "width": view["clientWidth"], "height": view["clientHeight"]}


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
        size = {"maxWidth": wanted[0], "maxHeight": MAX_FRAME_HEIGHT}
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


async def print_page(cdp: CdpSession, options: PdfOptions, target: PdfTarget) -> PdfFile:
    """Print a page to the workspace, where the file appears once it is complete."""
    stream = await _start_printing(cdp, options)
    draft = target.scratch / f"print-{os.urandom(8).hex()}"
    try:
        draft.parent.mkdir(mode=0o700, exist_ok=True)
        with draft.open("xb") as file:
            size, pages = await _copy_stream(cdp, stream, file, target.max_bytes)
        return PdfFile(await asyncio.to_thread(copy_to_workspace, draft, target), size, pages)
    except OSError as error:
        raise unwritable(target.workspace.root, error) from error
    finally:
        with contextlib.suppress(CdpError):
            await cdp.send("IO.close", {"handle": stream})
        draft.unlink(missing_ok=True)


async def _start_printing(cdp: CdpSession, options: PdfOptions) -> str:
    """Print the page in the browser; return the handle of the stream to read the PDF from."""
    width, height = PAPERS[options.paper]
    params: dict[str, Any] = {
        "landscape": options.landscape,
        "printBackground": options.background,
        "paperWidth": width,
        "paperHeight": height,
        "pageRanges": options.pages or "",
        "transferMode": "ReturnAsStream",
    }
    try:
        stream: str = (await cdp.send("Page.printToPDF", params))["stream"]
    except CdpError as error:
        if options.pages is None or cdp.is_closed:
            raise
        raise InvalidArguments(f"`pages`: {error}.", hint="Leave it out to print all pages.") from error
    return stream


async def _copy_stream(cdp: CdpSession, stream: str, file: BinaryIO, max_bytes: int) -> tuple[int, int]:
    """Write a stream to a file in chunks, since it may be large; return the numbers of bytes and of pages."""
    size = pages = 0
    tail, is_complete = b"", False
    while not is_complete:
        answer = await cdp.send("IO.read", {"handle": stream, "size": CHUNK_BYTES})
        is_complete = answer["eof"]
        chunk = base64.b64decode(answer["data"]) if answer.get("base64Encoded") else answer["data"].encode()
        size += len(chunk)
        if size > max_bytes:
            raise LimitReached(f"The PDF is larger than {max_bytes // 2**20} MB.", hint="Print fewer `pages`.")
        await asyncio.to_thread(file.write, chunk)
        searched = tail + chunk
        pages += sum(match.end() > len(tail) for match in PAGE_DICTIONARY.finditer(searched))
        tail = searched[-OVERLAP_BYTES:]
    return size, pages
