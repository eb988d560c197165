"""Screenshots, a screencast and PDF files of a page."""

from __future__ import annotations

import asyncio
import base64
import io
import time
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rove.browser.firefox.connection import TOO_LARGE, BidiError, PageChannel
from rove.browser.page_data import Box, ImageFormat, PdfFile, PdfOptions, ScreencastFrame, ScreenshotImage
from rove.browser.shared import capture
from rove.browser.shared.capture import (
    JPEG_QUALITY,
    PAGE_DICTIONARY,
    PAPERS,
    CapturedArea,
    PdfTarget,
    copy_to_workspace,
    no_such_pages,
)
from rove.patterns import pattern
from rove.tasks import BackgroundTasks

SANDBOX = "rove"
_METRICS = """() => {
  const page = document.scrollingElement || document.documentElement;
  return [innerWidth, innerHeight, scrollX, scrollY, page.scrollWidth, page.scrollHeight];
}"""

# Seconds between two pictures: each takes Firefox a part of this.
INTERVAL = 0.2
# A page whose picture stays the same is looked at less and less often, down to this.
IDLE_INTERVAL = 1.0
# For so long after an attempt that failed, as a page does not answer while it is replaced.
RETRY_SECONDS = 0.5

# As much is read of each compressed part of a file.
MAX_DESCRIPTION = 10_000_000
CENTIMETRES = 2.54
# What base64 and the frame of the message add to the size of a file.
ENCODED = 1.4
# The number that each chosen range begins with; one without it begins at the first page.
_FIRST_PAGES = pattern(r"(?:^|,)\s*(\d*)")


async def take_screenshot(
    channel: PageChannel, element: Box | None, full_page: bool, kind: ImageFormat, max_side: int
) -> ScreenshotImage:
    """Capture the viewport, the full page, or a box of the viewport; neither side is longer than `max_side`."""
    width, height, x, y, page_width, page_height = await _metrics(channel)
    view: Box = {"x": x, "y": y, "width": width, "height": height}
    page: Box = {"x": 0, "y": 0, "width": page_width, "height": page_height}
    area = CapturedArea.of(view, page, element, full_page, max_side)
    is_outside = element is not None or full_page
    clip = {"origin": "document", "clip": {"type": "box", **area.box}} if is_outside else {"origin": "viewport"}
    data = await _capture(channel, "png" if area.scale < 1 else kind, JPEG_QUALITY, clip)
    if area.scale < 1:
        wanted = (max(round(area.box[side] * area.scale), 1) for side in ("width", "height"))
        data = await asyncio.to_thread(_resized, data, kind, tuple(wanted))
    return area.picture(kind, data)


async def take_picture(channel: PageChannel, quality: int) -> bytes:
    """Return a JPEG of the viewport, as the browser shows it now."""
    return await _capture(channel, "jpeg", quality, {"origin": "viewport"})


async def viewport_size(channel: PageChannel) -> tuple[float, float]:
    """Return the width and height of the viewport, in CSS pixels."""
    width, height, *_ = await _metrics(channel)
    return width, height


async def _metrics(channel: PageChannel) -> list[float]:
    """Return the sizes of the viewport and of the page, and how far the page is scrolled."""
    params = {
        "functionDeclaration": _METRICS,
        "target": {"context": channel.context, "sandbox": SANDBOX},
        "awaitPromise": False,
        "resultOwnership": "none",
    }
    answer = await channel.send("script.callFunction", params)
    if answer["type"] != "success":
        raise BidiError("the page does not tell its size")
    return [float(number["value"]) for number in answer["result"]["value"]]


async def _capture(channel: PageChannel, kind: ImageFormat, quality: int, place: dict[str, Any]) -> bytes:
    image: dict[str, Any] = {"type": f"image/{kind}"}
    if kind == "jpeg":
        image["quality"] = quality / 100
    answer = await channel.send("browsingContext.captureScreenshot", {"format": image, **place})
    return base64.b64decode(answer["data"])


def _resized(data: bytes, kind: ImageFormat, size: tuple[int, ...]) -> bytes:
    from PIL import Image  # few screenshots have to be made smaller

    with Image.open(io.BytesIO(data)) as image:
        output = io.BytesIO()
        image.convert("RGB").resize(size, Image.Resampling.LANCZOS).save(output, kind, quality=JPEG_QUALITY)
    return output.getvalue()


class Screencast(capture.Screencast):
    """A series of pictures of a page, which are taken only while a reader waits."""

    def __init__(
        self, channel: PageChannel, tasks: BackgroundTasks, keep_covered: Callable[[], Awaitable[bool]]
    ) -> None:
        super().__init__(tasks, keep_covered)
        self._channel = channel
        self.is_running = False
        self._wanted = asyncio.Event()
        channel.on("closed", lambda _: self._end())

    def note_readers(self) -> None:
        self._wanted.set()
        if self._readers and not self.is_running:
            self.is_running = True
            self._tasks.start(self._run())

    def note_waiting(self) -> None:
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
        self._wanted.set()
        super()._end()


async def print_page(channel: PageChannel, options: PdfOptions, target: PdfTarget) -> PdfFile:
    """Print a page to the workspace, where the file appears once it is complete."""
    data = await _printed(channel, options, target)
    if len(data) > target.max_bytes:
        raise target.too_large()
    count = _count_pages(data)
    if options.pages and count == 1:
        await _require_page(channel, options, target)
    return PdfFile(await asyncio.to_thread(_write, data, target), len(data), count)


async def _require_page(channel: PageChannel, options: PdfOptions, target: PdfTarget) -> None:
    """Raise InvalidArguments if the page has none of the chosen pages: Firefox prints an empty one in their place."""
    first = min(int(match[1] or 1) for match in _FIRST_PAGES.finditer(options.pages or ""))
    if first > 1 and first > (count := _count_pages(await _printed(channel, replace(options, pages=None), target))):
        raise no_such_pages(f"there are {count}")


def _count_pages(data: bytes) -> int:
    """Return how many pages a PDF file has; Firefox compresses what describes them."""
    parts = [data, *(_inflated(part) for part in data.split(b"stream\n")[1:] if part.startswith(b"x"))]
    return sum(1 for part in parts for _ in PAGE_DICTIONARY.finditer(part))


def _inflated(part: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(part, MAX_DESCRIPTION)
    except zlib.error:
        return b""  # it only looked like the beginning of one


def _write(data: bytes, target: PdfTarget) -> Path:
    with target.draft() as draft:
        draft.write_bytes(data)
        return copy_to_workspace(draft, target)


async def _printed(channel: PageChannel, options: PdfOptions, target: PdfTarget) -> bytes:
    width, height = (round(inches * CENTIMETRES, 2) for inches in PAPERS[options.paper])
    params: dict[str, Any] = {
        "orientation": "landscape" if options.landscape else "portrait",
        "background": options.background,
        "page": {"width": width, "height": height},
        "pageRanges": [part.strip() for part in options.pages.split(",")] if options.pages else [],
    }
    try:
        answer = await channel.send("browsingContext.print", params, max_bytes=round(target.max_bytes * ENCODED))
    except BidiError as error:
        if error.code == TOO_LARGE:
            raise target.too_large() from error
        if options.pages is None or error.code != "invalid argument":
            raise
        raise no_such_pages(error) from error
    return base64.b64decode(answer["data"])
