"""Arithmetic of boxes, clips and colours."""

from __future__ import annotations

from typing import Any

import pytest
from tests.browser.scripts.conftest import Run

pytestmark = pytest.mark.one_session

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


@pytest.mark.parametrize(
    ("gradient", "x", "y", "colour"),
    [
        ("linear-gradient(rgb(0, 0, 0), rgb(100, 100, 100))", 50, 50, [50, 50, 50, 1]),
        ("linear-gradient(90deg, rgb(0, 0, 0) 0%, rgb(0, 0, 0) 80%, rgb(9, 9, 9) 80%)", 70, 0, [0, 0, 0, 1]),
        ("linear-gradient(to right, rgba(0, 0, 0, 0), rgb(200, 0, 0))", 50, 0, [200, 0, 0, 0.5]),
        ("repeating-linear-gradient(90deg, rgb(1, 1, 1) 0px 10px, rgb(2, 2, 2) 10px 20px)", 35, 0, [2, 2, 2, 1]),
    ],
)
async def test_a_linear_gradient_has_one_colour_at_a_point(
    run: Run, gradient: str, x: int, y: int, colour: list[float]
) -> None:
    [found] = await run("visibility/backgrounds.js", f"gradientColours({gradient!r}, {x}, {y}, 100, 100)")
    assert found == pytest.approx(colour)


async def test_other_gradients_have_the_colours_of_all_their_stops(run: Run) -> None:
    gradient = "radial-gradient(rgb(1, 2, 3), rgb(4, 5, 6))"
    assert await run("visibility/backgrounds.js", f"gradientColours({gradient!r}, 0, 0, 9, 9)") == [
        [1, 2, 3, 1],
        [4, 5, 6, 1],
    ]


BOXES = """<div id=low style="position:relative;z-index:-1"></div><div id=flow>text</div>
<div id=auto style="position:relative"><div id=high style="position:absolute;z-index:9"></div></div>
<div id=later style="position:relative"></div>
<div id=context style="position:relative;z-index:1"><div id=caught style="position:absolute;z-index:99"></div></div>
<div id=top popover></div><script>document.getElementById("top").showPopover()</script>"""


@pytest.mark.parametrize(
    ("below", "above"),
    [
        ("low", "flow"),
        ("flow", "auto"),
        ("auto", "later"),
        ("later", "high"),
        ("context", "caught"),
        ("caught", "high"),
        ("high", "top"),
    ],
)
async def test_boxes_are_compared_in_painting_order(run: Run, below: str, above: str) -> None:
    box = 'orderOfBox(document.getElementById("{}"), "")'
    expression = f"comparePaintOrder({box.format(below)}, {box.format(above)}) < 0"
    assert await run("visibility/backdrops.js", expression, body=BOXES) is True
