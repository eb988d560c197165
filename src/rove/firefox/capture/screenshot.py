"""Taking a screenshot of a page."""

from __future__ import annotations

import asyncio
import base64
import io
from typing import Any

from rove.browser.page_data import Box, ImageFormat, ScreenshotImage
from rove.firefox.protocol.connection import BidiError, PageChannel

# Larger pages are cut, as in Chromium, and `is_cut` says so.
MAX_HEIGHT = 16000
MAX_WIDTH = 8000
JPEG_QUALITY = 80
SANDBOX = "rove"
_METRICS = """() => {
  const page = document.scrollingElement || document.documentElement;
  return [innerWidth, innerHeight, scrollX, scrollY, page.scrollWidth, page.scrollHeight];
}"""


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
