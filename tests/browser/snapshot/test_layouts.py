"""Text that a person sees is not marked, on ordinary layouts; the same layouts, used to hide text, are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.snapshot.conftest import World

COMMENT = re.compile(r"^<!-- (seen|hidden): (.+) -->$", re.MULTILINE)
_, *PARTS = COMMENT.split((Path(__file__).parent / "layouts.html").read_text())
LAYOUTS = list(zip(PARTS[::3], PARTS[1::3], PARTS[2::3], strict=True))
SEEN = {name: html for kind, name, html in LAYOUTS if kind == "seen"}
HIDDEN = {name: html for kind, name, html in LAYOUTS if kind == "hidden"}
# Also an "invisible part" that has the word.
MARK = re.compile(
    r'\((?:(?:perhaps |partly )?invisible:|invisible part: "[^)]*CANARY|screen-reader only|inert|aria-hidden)'
)
SVG = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='90' height='60'%3E{}%3C/svg%3E"
FILL = "%3Crect width='90' height='60' fill='%23{}'/%3E"
IMAGES = {
    "dark": SVG.format(FILL.format("223")),
    "light": SVG.format(FILL.format("dde")),
    "white": SVG.format(FILL.format("fff")),
    "clear": SVG.format(""),
}


def page(layout: str) -> str:
    for name, url in IMAGES.items():
        layout = layout.replace(f"url({{{name}}})", f"url(&quot;{url}&quot;)").replace(f"{{{name}}}", url)
    return "<!doctype html><meta charset=utf-8><title>t</title>" + layout.replace("@", "CANARY")


async def lines_with_the_word(world: World, layout: str) -> list[str]:
    await world.show(page(layout))
    return [line for line in (await world.text()).splitlines() if "CANARY" in line]


@pytest.mark.parametrize("name", SEEN)
async def test_seen_text_is_not_marked(world: World, name: str) -> None:
    lines = await lines_with_the_word(world, SEEN[name])
    assert len(lines) >= 1
    assert [line for line in lines if MARK.search(line)] == []


@pytest.mark.parametrize("name", HIDDEN)
async def test_the_same_layout_used_to_hide_text_is_marked(world: World, name: str) -> None:
    lines = await lines_with_the_word(world, HIDDEN[name])
    assert [line for line in lines if not MARK.search(line)] == []
