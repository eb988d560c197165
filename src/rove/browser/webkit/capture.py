"""Taking a screenshot of a page: WebDriver's PNG, cut, scaled and encoded as it is asked for."""

from __future__ import annotations

import asyncio
import base64
import io
import math
from typing import TYPE_CHECKING

from rove.browser.page_data import Box, ImageFormat, ScreenshotImage
from rove.browser.shared.capture import JPEG_QUALITY, MAX_HEIGHT, MAX_WIDTH, CapturedArea

if TYPE_CHECKING:
    from rove.browser.webkit.live_page import LivePage

CAPTURE_SECONDS = 30.0
_METRICS = """const root = document.documentElement;
return [innerWidth, innerHeight, scrollX, scrollY, Math.max(root.scrollWidth, innerWidth),
  Math.max(root.scrollHeight, innerHeight), devicePixelRatio];"""
_SCROLL = """scrollTo({{left: {left}, top: {top}, behavior: "instant"}});
return [scrollX, scrollY];"""


async def take_screenshot(
    page: LivePage, element: Box | None, full_page: bool, kind: ImageFormat, max_side: int
) -> ScreenshotImage:
    """Capture the viewport, the full page, or a box of the viewport; neither side is longer than `max_side`."""
    metrics = [float(number) for number in await page.execute(_METRICS)]
    view = {"x": metrics[2], "y": metrics[3], "width": metrics[0], "height": metrics[1]}
    whole = {"x": 0.0, "y": 0.0, "width": metrics[4], "height": metrics[5]}
    is_beyond = element is not None and not _is_within(element, view)
    area = CapturedArea.of(view, whole, element, full_page, max_side)
    is_whole = full_page or is_beyond
    data = await (_capture_whole(page, view, whole) if is_whole else _capture(page))
    shown = {**whole, "width": min(whole["width"], MAX_WIDTH)} if is_whole else view
    cut = {**area.box, "x": area.box["x"] - shown["x"], "y": area.box["y"] - shown["y"]}
    encoded = await asyncio.to_thread(_encode, data, cut, shown["width"], area.scale, kind, JPEG_QUALITY)
    return area.picture(kind, encoded)


async def take_picture(page: LivePage, quality: int) -> bytes:
    """Return a JPEG of the viewport, as the browser shows it now."""
    return await asyncio.to_thread(_encode, await _capture(page), None, 0, 1.0, "jpeg", quality)


async def _capture(page: LivePage) -> bytes:
    """Return a PNG of the viewport."""
    return base64.b64decode(await page.send_to(page.place, "GET", "/screenshot", None, CAPTURE_SECONDS))


async def _capture_whole(page: LivePage, view: Box, whole: Box) -> bytes:
    """Return a PNG of the whole page: WebDriver draws only the viewport, so the page is scrolled part by part."""
    parts: list[tuple[float, float, bytes]] = []
    try:
        for top in _starts(min(whole["height"], MAX_HEIGHT), view["height"]):
            for left in _starts(min(whole["width"], MAX_WIDTH), view["width"]):
                x, y = await page.execute(_SCROLL.format(left=left, top=top))
                parts.append((float(x), float(y), await _capture(page)))
    finally:
        await page.execute(_SCROLL.format(left=view["x"], top=view["y"]))
    return await asyncio.to_thread(_joined, parts, view, whole)


def _starts(length: float, part: float) -> list[float]:
    """Return where the parts of a length begin."""
    return [number * part for number in range(max(math.ceil(length / part), 1))]


def _joined(parts: list[tuple[float, float, bytes]], view: Box, whole: Box) -> bytes:
    from PIL import Image  # slow to import

    pictures = [(x, y, Image.open(io.BytesIO(data))) for x, y, data in parts]
    density = pictures[0][2].width / view["width"]
    size = round(min(whole["width"], MAX_WIDTH) * density), round(min(whole["height"], MAX_HEIGHT) * density)
    joined = Image.new("RGB", size, "white")
    for x, y, picture in pictures:
        joined.paste(picture, (round(x * density), round(y * density)))
    encoded = io.BytesIO()
    joined.save(encoded, "PNG")
    return encoded.getvalue()


def _is_within(element: Box, view: Box) -> bool:
    return (
        element["x"] >= 0
        and element["y"] >= 0
        and element["x"] + element["width"] <= view["width"]
        and element["y"] + element["height"] <= view["height"]
    )


def _encode(data: bytes, cut: Box | None, width: float, scale: float, kind: ImageFormat, quality: int) -> bytes:
    from PIL import Image  # slow to import

    image: Image.Image = Image.open(io.BytesIO(data))
    if cut is not None:
        density = image.width / width if width else 1.0
        left, top = round(cut["x"] * density), round(cut["y"] * density)
        size = round(cut["width"] * density), round(cut["height"] * density)
        image = image.crop((left, top, left + size[0], top + size[1]))
        wanted = max(round(cut["width"] * scale), 1), max(round(cut["height"] * scale), 1)
        image = image if image.size == wanted else image.resize(wanted)
    encoded = io.BytesIO()
    options = {} if kind == "png" else {"quality": quality}
    (image.convert("RGB") if kind == "jpeg" else image).save(encoded, kind.upper(), **options)
    return encoded.getvalue()
