"""Text that a person sees is not marked, on ordinary layouts; the same layouts, used to hide text, are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rove import Session
from rove.toolsets.outcome_text import as_text

if TYPE_CHECKING:
    from tests.browser.snapshot.conftest import World
    from tests.site import Site

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow

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


async def lines_with_the_word(world: World, layout: str, cover: str | None = None) -> list[str]:
    """Return the lines with the word, at most up to the line that says that all else is covered."""
    await world.show(page(layout))
    text = (await world.text()).partition(cover)[0] if cover else await world.text()
    return [line for line in text.splitlines() if "CANARY" in line]


@pytest.mark.parametrize("name", SEEN)
async def test_seen_text_is_not_marked(world: World, name: str) -> None:
    lines = await lines_with_the_word(world, SEEN[name])
    assert len(lines) >= 1
    assert [line for line in lines if MARK.search(line)] == []


@pytest.mark.parametrize("name", HIDDEN)
async def test_the_same_layout_used_to_hide_text_is_marked(world: World, name: str) -> None:
    lines = await lines_with_the_word(world, HIDDEN[name], "all else is covered by")
    assert [line for line in lines if not MARK.search(line)] == []


WORDS_IN_A_FRAME = "<p style='color:#fff'>CANARY</p>"


@pytest.mark.parametrize(
    ("style", "page_style", "is_seen"),
    [
        ("border:0", "background:#111", True),
        ("background:#111", "", True),
        ("border:0", "", False),
    ],
)
async def test_a_document_in_a_frame_is_painted_over_what_is_behind_the_frame(
    session: Session, site: Site, style: str, page_style: str, is_seen: bool
) -> None:
    frame = f'<body style="{page_style}"><iframe style="{style}" srcdoc="{WORDS_IN_A_FRAME}"></iframe>'
    await session.navigate(site.page("/", frame))
    [line] = [line for line in as_text(await session.snapshot()).splitlines() if "CANARY" in line]
    assert bool(MARK.search(line)) is not is_seen


ICON = "width:32px;height:32px;border:0;background:url({dark}) center/cover"
UNSEEN_NAMES = {
    "words moved out of an icon": f'<button style="{ICON};text-indent:-9999px;overflow:hidden">@</button>',
    "tooltip of an icon": "<style>.t::after{content:'CANARY';position:absolute;opacity:0}</style>"
    "<button class=t><svg width=16 height=16><circle cx=8 cy=8 r=8 /></svg></button>",
    "words without a size": f'<a href=/x style="display:block;{ICON};font-size:0">@</a>',
}


@pytest.mark.parametrize("name", UNSEEN_NAMES)
async def test_a_control_that_shows_a_picture_is_not_invisible(world: World, name: str) -> None:
    [line] = await lines_with_the_word(world, UNSEEN_NAMES[name])
    assert "(screen-reader only)" in line
    assert "invisible" not in line


@pytest.mark.parametrize("style", ["max-height:0", "height:0", "height:1px", "width:0"])
async def test_a_closed_menu_is_not_called_text_for_screen_readers(world: World, style: str) -> None:
    lines = await lines_with_the_word(
        world, f"<nav style='overflow:hidden;white-space:nowrap;{style}'><a href=/x>@ a</a> <p>@ b</p></nav>"
    )
    assert lines
    assert all("(invisible: clipped)" in line for line in lines)


PICTURE = (
    "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='60'><rect width='90' height='60' fill='#223'/></svg>"
)
OVER_A_PICTURE = (
    "<div style='position:relative;height:60px'><img src='{}' style='position:absolute;width:100%;height:100%'>"
    "<p style='position:relative;color:{}'>CANARY</p></div>"
)


@pytest.mark.parametrize(("colour", "mark"), [("#fff", " (perhaps invisible: same colour)"), ("#000", "")])
async def test_text_over_a_picture_of_another_origin_is_marked_only_if_it_needs_the_picture(
    session: Session, site: Site, colour: str, mark: str
) -> None:
    picture = site.page("/dark.svg", PICTURE, kind="image/svg+xml").replace("127.0.0.1", "localhost")
    await session.navigate(site.page("/", OVER_A_PICTURE.format(picture, colour)))
    [line] = [line for line in as_text(await session.snapshot()).splitlines() if "CANARY" in line]
    assert line.endswith('"CANARY"' + mark)
