"""Taking a picture of a page."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from rove.chromium.wire import Wire

if TYPE_CHECKING:
    pass

# Beyond this the browser's own textures give out; a longer page is cut there and says so.
TALLEST = 16000
WIDEST = 8000


@dataclass(frozen=True)
class Picture:
    """An encoded image and what it shows."""

    mime: str
    width: int
    height: int
    is_cut: bool
    data: bytes = field(repr=False)


async def photograph(
    session: Wire, box: dict[str, float] | None, full_page: bool, kind: Literal["png", "jpeg"]
) -> Picture:
    """Picture the viewport, the whole page, or a box of the viewport."""
    metrics = await session.send("Page.getLayoutMetrics")
    view, content = metrics["cssVisualViewport"], metrics["cssContentSize"]
    if box is not None:
        area = {**box, "x": box["x"] + view["pageX"], "y": box["y"] + view["pageY"]}
    elif full_page:
        area = {"x": 0, "y": 0, "width": content["width"], "height": content["height"]}
    else:
        area = {
            "x": view["pageX"],
            "y": view["pageY"],
            "width": view["clientWidth"],
            "height": view["clientHeight"],
        }
    width, height = min(area["width"], WIDEST), min(area["height"], TALLEST)
    request: dict[str, Any] = {
        "format": kind,
        "captureBeyondViewport": box is not None or full_page,
        "optimizeForSpeed": True,
        "clip": {
            "x": area["x"],
            "y": area["y"],
            "width": max(width, 1),
            "height": max(height, 1),
            "scale": 1,
        },
    }
    if kind == "jpeg":
        request["quality"] = 80
    taken = await session.send("Page.captureScreenshot", request)
    return Picture(
        mime=f"image/{kind}",
        width=round(width),
        height=round(height),
        is_cut=(width, height) != (area["width"], area["height"]),
        data=base64.b64decode(taken["data"]),
    )
