"""Taking a screenshot of a page."""

from __future__ import annotations

import base64
from typing import Any

from rove.browser.capture import Box, ImageFormat, ScreenshotImage
from rove.chromium.protocol.connection import CdpSession

# Beyond this the browser's own textures give out; a longer page is cut there and says so.
TALLEST = 16000
WIDEST = 8000


async def take_screenshot(
    cdp: CdpSession, element: Box | None, full_page: bool, kind: ImageFormat, longest: int
) -> ScreenshotImage:
    """Picture the viewport, the whole page, or a box of the viewport, no side longer than `longest`."""
    metrics = await cdp.send("Page.getLayoutMetrics")
    wanted = _wanted(metrics, element, full_page)
    width, height = max(min(wanted["width"], WIDEST), 1), max(min(wanted["height"], TALLEST), 1)
    box = {**wanted, "width": width, "height": height}
    scale = min(1.0, longest / max(width, height))
    request: dict[str, Any] = {
        "format": kind,
        "captureBeyondViewport": element is not None or full_page,
        "optimizeForSpeed": True,
        "clip": {**box, "scale": scale},
        **({"quality": 80} if kind == "jpeg" else {}),
    }
    taken = await cdp.send("Page.captureScreenshot", request)
    is_cut = (width, height) != (max(wanted["width"], 1), max(wanted["height"], 1))
    return ScreenshotImage(kind, box, scale, is_cut, base64.b64decode(taken["data"]))


def _wanted(metrics: dict[str, Any], element: Box | None, full_page: bool) -> Box:
    """The part of the page to picture, in the page's own coordinates."""
    view, content = metrics["cssVisualViewport"], metrics["cssContentSize"]
    if element is not None:
        return {**element, "x": element["x"] + view["pageX"], "y": element["y"] + view["pageY"]}
    if full_page:
        return {"x": 0, "y": 0, "width": content["width"], "height": content["height"]}
    return {"x": view["pageX"], "y": view["pageY"], "width": view["clientWidth"], "height": view["clientHeight"]}
