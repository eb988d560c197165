"""Taking a screenshot of a page."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from rove.browser.page_data import Box, ImageFormat, ScreenshotImage
from rove.chromium.protocol.connection import CdpSession

# Chromium cannot paint larger textures; a larger page is cut, and `is_cut` says so.
MAX_HEIGHT = 16000
MAX_WIDTH = 8000


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
