"""Screenshots, a screencast and PDF files of a page."""

from __future__ import annotations

import asyncio
import base64
import io
import os
import time
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rove.browser.firefox.connection import TOO_LARGE, BidiError, PageChannel
from rove.browser.page_data import Box, ImageFormat, PdfFile, PdfOptions, ScreencastFrame, ScreenshotImage
from rove.browser.shared.capture import PAGE_DICTIONARY, PAPERS, PdfTarget, copy_to_workspace
from rove.errors import InvalidArguments, LimitReached, unwritable
from rove.tasks import BackgroundTasks
from rove.validation.pattern import pattern

# Larger pages are cut, as in Chromium, and `is_cut` says so.
MAX_HEIGHT = 16000
MAX_WIDTH = 8000
JPEG_QUALITY = 80
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
    area = _area(await _metrics(channel), element, full_page)
    width, height = max(min(area["width"], MAX_WIDTH), 1), max(min(area["height"], MAX_HEIGHT), 1)
    box = {**area, "width": width, "height": height}
    is_outside = element is not None or full_page
    clip = {"origin": "document", "clip": {"type": "box", **box}} if is_outside else {"origin": "viewport"}
    scale = min(1.0, max_side / max(width, height))
    data = await _capture(channel, "png" if scale < 1 else kind, JPEG_QUALITY, clip)
    if scale < 1:
        size = max(round(width * scale), 1), max(round(height * scale), 1)
        data = await asyncio.to_thread(_resized, data, kind, size)
    is_cut = (width, height) != (max(area["width"], 1), max(area["height"], 1))
    return ScreenshotImage(kind, box, scale, is_cut, data)


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


def _resized(data: bytes, kind: ImageFormat, size: tuple[int, int]) -> bytes:
    from PIL import Image  # few screenshots have to be made smaller

    with Image.open(io.BytesIO(data)) as image:
        output = io.BytesIO()
        image.convert("RGB").resize(size, Image.Resampling.LANCZOS).save(output, kind, quality=JPEG_QUALITY)
    return output.getvalue()


def _area(metrics: list[float], element: Box | None, full_page: bool) -> Box:
    """Return the part of the page to capture, in the page's coordinates."""
    width, height, x, y, page_width, page_height = metrics
    if element is not None:
        return {**element, "x": element["x"] + x, "y": element["y"] + y}
    if full_page:
        return {"x": 0, "y": 0, "width": page_width, "height": page_height}
    return {"x": x, "y": y, "width": width, "height": height}


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


async def print_page(channel: PageChannel, options: PdfOptions, target: PdfTarget) -> PdfFile:
    """Print a page to the workspace, where the file appears once it is complete."""
    data = await _printed(channel, options, target.max_bytes)
    if len(data) > target.max_bytes:
        raise _too_large(target.max_bytes)
    count = _count_pages(data)
    if options.pages and count == 1:
        await _require_page(channel, options, target.max_bytes)
    try:
        path = await asyncio.to_thread(_write, data, target)
    except OSError as error:
        raise unwritable(target.workspace.root, error) from error
    return PdfFile(path, len(data), count)


async def _require_page(channel: PageChannel, options: PdfOptions, max_bytes: int) -> None:
    """Raise InvalidArguments if the page has none of the chosen pages: Firefox prints an empty one in their place."""
    first = min(int(match[1] or 1) for match in _FIRST_PAGES.finditer(options.pages or ""))
    if first > 1 and first > (count := _count_pages(await _printed(channel, replace(options, pages=None), max_bytes))):
        raise InvalidArguments(f"`pages`: there are {count}.", hint="Leave it out to print all pages.")


def _too_large(max_bytes: int) -> LimitReached:
    return LimitReached(f"The PDF is larger than {max_bytes // 2**20} MB.", hint="Print fewer `pages`.")


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
    draft = target.scratch / f"print-{os.urandom(8).hex()}"
    draft.parent.mkdir(mode=0o700, exist_ok=True)
    try:
        draft.write_bytes(data)
        return copy_to_workspace(draft, target)
    finally:
        draft.unlink(missing_ok=True)


async def _printed(channel: PageChannel, options: PdfOptions, max_bytes: int) -> bytes:
    width, height = (round(inches * CENTIMETRES, 2) for inches in PAPERS[options.paper])
    params: dict[str, Any] = {
        "orientation": "landscape" if options.landscape else "portrait",
        "background": options.background,
        "page": {"width": width, "height": height},
        "pageRanges": [part.strip() for part in options.pages.split(",")] if options.pages else [],
    }
    try:
        answer = await channel.send("browsingContext.print", params, max_bytes=round(max_bytes * ENCODED))
    except BidiError as error:
        if error.code == TOO_LARGE:
            raise _too_large(max_bytes) from error
        if options.pages is None or error.code != "invalid argument":
            raise
        raise InvalidArguments(f"`pages`: {error}.", hint="Leave it out to print all pages.") from error
    return base64.b64decode(answer["data"])
