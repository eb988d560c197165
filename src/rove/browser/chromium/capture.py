"""Screenshots, a screencast and PDF files of a page."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Any, BinaryIO

from rove.browser.chromium.connection import CdpError, CdpSession
from rove.browser.page_data import Box, ImageFormat, PdfFile, PdfOptions, ScreencastFrame, ScreenshotImage
from rove.browser.shared import capture
from rove.browser.shared.capture import (
    CHUNK_BYTES,
    JPEG_QUALITY,
    OVERLAP_BYTES,
    PAGE_DICTIONARY,
    PAPERS,
    CapturedArea,
    PdfTarget,
    copy_to_workspace,
    no_such_pages,
)
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
    view, content = metrics["cssVisualViewport"], metrics["cssContentSize"]
    shown: Box = {"x": view["pageX"], "y": view["pageY"], "width": view["clientWidth"], "height": view["clientHeight"]}
    page: Box = {"x": 0, "y": 0, "width": content["width"], "height": content["height"]}
    area = CapturedArea.of(shown, page, element, full_page, max_side)
    if data is None or area.scale < 1:
        is_outside = element is not None or full_page
        clip = {**area.box, "scale": area.scale}
        data = await _capture(cdp, kind, captureBeyondViewport=is_outside, clip=clip)
    return area.picture(kind, data)


async def take_picture(cdp: CdpSession, quality: int) -> bytes:
    """Return a JPEG of the viewport, as the browser shows it now."""
    return await _capture(cdp, "jpeg", quality=quality)


async def _capture(cdp: CdpSession, kind: ImageFormat, **options: Any) -> bytes:
    quality = {"quality": JPEG_QUALITY} if kind == "jpeg" else {}
    params = {"format": kind, "optimizeForSpeed": True, **quality, **options}
    return base64.b64decode((await cdp.send("Page.captureScreenshot", params))["data"])


class Screencast(capture.Screencast):
    """The screencast that the browser sends of a page."""

    def __init__(self, cdp: CdpSession, tasks: BackgroundTasks, keep_covered: Callable[[], Awaitable[bool]]) -> None:
        super().__init__(tasks, keep_covered)
        self._cdp = cdp
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

    def note_readers(self) -> None:
        self._listen()
        self._tasks.start(self._adjust())

    def note_waiting(self) -> None:
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
        self.note_waiting()

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
        super()._end()


async def print_page(cdp: CdpSession, options: PdfOptions, target: PdfTarget) -> PdfFile:
    """Print a page to the workspace, where the file appears once it is complete."""
    stream = await _start_printing(cdp, options)
    try:
        with target.draft() as draft:
            with draft.open("xb") as file:
                size, pages = await _copy_stream(cdp, stream, file, target)
            return PdfFile(await asyncio.to_thread(copy_to_workspace, draft, target), size, pages)
    finally:
        with contextlib.suppress(CdpError):
            await cdp.send("IO.close", {"handle": stream})


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
        raise no_such_pages(error) from error
    return stream


async def _copy_stream(cdp: CdpSession, stream: str, file: BinaryIO, target: PdfTarget) -> tuple[int, int]:
    """Write a stream to a file in chunks, since it may be large; return the numbers of bytes and of pages."""
    size = pages = 0
    tail, is_complete = b"", False
    while not is_complete:
        answer = await cdp.send("IO.read", {"handle": stream, "size": CHUNK_BYTES})
        is_complete = answer["eof"]
        chunk = base64.b64decode(answer["data"]) if answer.get("base64Encoded") else answer["data"].encode()
        size += len(chunk)
        if size > target.max_bytes:
            raise target.too_large()
        await asyncio.to_thread(file.write, chunk)
        searched = tail + chunk
        pages += sum(match.end() > len(tail) for match in PAGE_DICTIONARY.finditer(searched))
        tail = searched[-OVERLAP_BYTES:]
    return size, pages
