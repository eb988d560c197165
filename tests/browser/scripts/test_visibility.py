"""Arithmetic of boxes, clips and colours."""

from __future__ import annotations

from typing import Any

import pytest
from tests.browser.scripts.conftest import Run

BOX = "{ left: 100, top: 50, right: 300, bottom: 150, width: 200, height: 100 }"


@pytest.mark.parametrize(
    ("clip_path", "left", "top", "right", "bottom"),
    [
        ("inset(10px)", 110, 60, 290, 140),
        ("inset(10% 25%)", 150, 60, 250, 140),
        ("circle(20px at 50% 50%)", 180, 80, 220, 120),
        ("ellipse(50% 10px)", 100, 90, 300, 110),
        ("polygon(0 0, 100% 0, 100% 50%, 0 50%)", 100, 50, 300, 100),
        ("polygon(0 0, 100% 0, 50% 0)", 100, 50, 100, 50),
        ('path("M 0 0 L 1 1")', 100, 50, 100, 50),
    ],
)
async def test_a_clip_path_is_worked_out_as_a_rectangle(
    run: Run, clip_path: str, left: int, top: int, right: int, bottom: int
) -> None:
    found = await run("visibility/clipping.js", f"clipPathRect({clip_path!r}, {BOX})")
    assert found == {"left": left, "top": top, "right": right, "bottom": bottom}


@pytest.mark.parametrize("clip_path", ["none", "circle(closest-side)", "fill-box"])
async def test_other_clip_paths_are_not_worked_out(run: Run, clip_path: str) -> None:
    assert await run("visibility/clipping.js", f"clipPathRect({clip_path!r}, {BOX})") is None


async def test_clips_are_intersected_and_remember_that_one_was_tiny(run: Run) -> None:
    clip = "{ left: 0, top: 0, right: 200, bottom: 200 }"
    found = await run("visibility/clipping.js", f"intersectClip({clip}, {BOX})")
    assert found == {"left": 100, "top": 50, "right": 200, "bottom": 150, "small": False, "scrolls": False}
    tiny = "{ left: 10, top: 10, right: 11, bottom: 11 }"
    assert (await run("visibility/clipping.js", f"intersectClip({clip}, {tiny})"))["small"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('parseColour("rgb(1, 2, 3)")', [1, 2, 3, 1]),
        ('parseColour("rgba(1, 2, 3, 0.5)")', [1, 2, 3, 0.5]),
        ('parseColour("oklch(1 0 0)")', [255, 255, 255, 1]),
        ("compositeOver([0, 0, 0, 0.5], [255, 255, 255, 1])", [127.5, 127.5, 127.5, 1]),
        ("contrast([0, 0, 0, 1], [255, 255, 255, 1])", 21),
        ("contrast([9, 9, 9, 1], [9, 9, 9, 1])", 1),
        ('blendColours("multiply", [255, 0, 0, 1], [255, 255, 0, 1])', [255, 0, 0, 1]),
        ('colourFilterOf("invert(1)")([255, 0, 0, 1])', [0, 255, 255, 1]),
        ('colourFilterOf("blur(2px)")', None),
    ],
)
async def test_colours_are_computed_as_a_browser_paints_them(run: Run, expression: str, value: Any) -> None:
    found = await run("visibility/colours.js", expression)
    assert found == (pytest.approx(value) if isinstance(value, list | int) else value)


async def test_two_boxes_cover_together_what_neither_covers_alone(run: Run) -> None:
    left = "{ rect: { left: 100, right: 200, top: 0, bottom: 200 } }"
    right = "{ rect: { left: 200, right: 300, top: 0, bottom: 200 } }"
    expression = f"[isCoveredBy([{left}, {right}], {BOX}), isCoveredBy([{right}], {BOX})]"
    assert await run("visibility/overlays.js", expression) == [True, False]
