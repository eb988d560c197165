"""G3: Text that a person would not see is marked in every output; visible text is not."""

from __future__ import annotations

import re

import pytest
from tests.site import Site

from rove import Session
from rove.toolsets.outcome_text import as_text

pytestmark = pytest.mark.one_session

COVER = "<div style='position: absolute; inset: 0; background: #fff%s'></div>"
UNDER = "<div style='position: relative; height: 24px'><p style='margin: 0'>@</p>%s</div>"
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="
STYLES = {
    "clip-circle": "clip-path: circle(.4px at 0 0)",
    "clip-circle-away": "clip-path: circle(20px at -200px -200px)",
    "clip-ellipse": "clip-path: ellipse(50px 0px)",
    "clip-line": "clip-path: polygon(0 0, 100% 100%, 100% 100%)",
    "clip-path": "clip-path: path('M0 0 L1 0 L1 1 Z')",
    "clip-shape": "clip-path: shape(from 0 0, line to 0 0)",
    "clip-url": "clip-path: url(#nothing)",
    "mask-url": "mask-image: url(#nomask)",
    "mask-size": "mask: linear-gradient(#000, #000) 0 0 / 0 0 no-repeat",
    "mask-away": "mask: linear-gradient(#000, #000) -9999px 0 / 9px 9px no-repeat",
    "filter-url": "filter: url(#flood)",
    "filter-dark": "background: #fff; filter: brightness(0)",
    "filter-grey": "background: #fff; filter: contrast(0)",
    "filter-light": "color: #333; filter: brightness(99)",
    "gradient-text": "background: linear-gradient(#fff, #fff); background-clip: text; color: transparent",
    "painted-text": "background: #fff; background-clip: text; color: transparent",
    "white-shadow": "color: transparent; text-shadow: 0 0 0 #fff",
    "white-stroke": "color: transparent; -webkit-text-stroke: 1px #fff",
    "smothering-stroke": "-webkit-text-stroke: 20px #fff",
    "near": "transform: perspective(10px) translateZ(20px)",
    "kept-inside": "content-visibility: auto; contain-intrinsic-size: 0 0; height: 0",
    "small-aspect": "font-size-adjust: .001",
    "small-family": "font-family: Small",
}
HIDDEN_PAGES = {
    **{name: f'<p style="{style}">@</p>' for name, style in STYLES.items()},
    "blended": "<div style='background: #fff'><p style='mix-blend-mode: screen'>@</p></div>",
    "perspective": "<div style='perspective: 1px'><p style='transform: translateZ(5px)'>@</p></div>",
    "turned": "<div style='transform-style: preserve-3d; transform: rotateX(180deg)'>"
    "<p style='backface-visibility: hidden'>@</p></div>",
    "first-line": "<p class=first>@</p>",
    "highlighted": "<p class=highlighted>@</p>",
    "veiled": "<p class=veiled>@</p>",
    "covered": UNDER % (COVER % ""),
    "covered-in-halves": UNDER
    % (COVER % "; right: 50%" + COVER % "; left: 50%").replace("@", "@ and a long line of other words beside it"),
    "covered-past-the-pointer": UNDER % (COVER % "; pointer-events: none"),
    "blurred": UNDER % "<div style='position: absolute; inset: 0; backdrop-filter: blur(40px)'></div>",
    "drawn-over": UNDER
    % "<svg style='position: absolute' width=100% height=100%><rect width=100% height=100% fill=white /></svg>".replace(
        "absolute", "absolute; inset: 0"
    ),
    "drawn-before": "<svg width=200 height=20><text y=15>@</text><rect width=200 height=20 fill=white /></svg>",
    "clipped-drawing": "<svg height=20><clipPath id=none><rect width=0 height=0 /></clipPath>"
    "<text y=15 clip-path='url(#none)'>@</text></svg>",
    "on-a-sibling": "<div style='position: relative; height: 24px'>"
    "<div style='position: absolute; inset: 0; background: #000'></div>"
    "<p style='position: relative; color: #000'>@</p></div>",
    "until-found": "<p hidden=until-found>@</p>",
    "fallback": f"<object data='{PIXEL}'>@</object>",
    "option": "<select><option>a<option style='display: none'>@</select>",
    "group": "<select><option>a<optgroup hidden label=g><option>@</optgroup></select>",
    "button": "<input type=submit style='color: #fff; background: #fff; border: 0' value=@>",
    "placeholder": "<input class=pale placeholder=@>",
    "written-over": "<input placeholder=@ value=mine>",
    "alternative": "<p class=alternative>x</p>",
    "frame-of-border": "<iframe width=0 height=0 srcdoc=@></iframe>",
    "frame-covered": UNDER.replace("@", "<iframe style='height: 20px; border: 0' srcdoc=@></iframe>") % (COVER % ""),
    "frame-faint": "<iframe style='opacity: .01' srcdoc=@></iframe>",
    "in-part": "<div style='position: relative'>Seen <span>@</span>"
    "<div style='position: absolute; left: 36px; top: 0; width: 600px; height: 24px; background: #fff'></div></div>",
}
HEAD = """<style>
  @font-face { font-family: Small; src: local("DejaVu Sans"), local("Arial"); size-adjust: 0% }
  .first::first-line { color: #fff } ::highlight(pale) { color: #fff } .pale::placeholder { color: #fff }
  .veiled { position: relative } .veiled::after { content: ""; position: absolute; inset: 0; background: #fff }
  .alternative::before { content: "x" / "ALTERNATIVE" }
  .lifted { position: relative } .lifted::before { content: ""; position: absolute; inset: 0; background: #fff }
</style>
<svg width=0 height=0><clipPath id=nothing></clipPath><mask id=nomask></mask>
<filter id=flood><feFlood flood-opacity=0 /></filter></svg>"""
TAIL = """<script>for (const text of document.querySelectorAll('.highlighted')) {
  const range = document.createRange(); range.selectNodeContents(text);
  CSS.highlights.set('pale', new Highlight(range)) }
</script>"""
MARK = re.compile(r"\((?:(?:perhaps |partly )?invisible|screen-reader only|aria|title|placeholder)")


def unmarked(text: str) -> list[str]:
    return [line for line in text.split("\n") if "HIDDENWORD" in line and not MARK.search(line)]


def with_word(page: str, word: str) -> str:
    alternative = HEAD.replace("ALTERNATIVE", word if "alternative" in page else "x")
    return alternative + page.replace("@", word) + TAIL


@pytest.mark.parametrize("trick", HIDDEN_PAGES)
async def test_g3_hidden_text_is_marked_or_left_out(session: Session, site: Site, trick: str) -> None:
    page = site.page("/", with_word(HIDDEN_PAGES[trick], "HIDDENWORD"))
    assert unmarked(as_text(await session.navigate(page))) == []
    assert unmarked(as_text(await session.snapshot())) == []
    assert unmarked(as_text(await session.find(text="HIDDENWORD"))) == []
    read = as_text(await session.extract())
    assert "HIDDENWORD" not in read or "HIDDENWORD" in read.partition("a person does not see")[2]


VISIBLE_STYLES = {
    "gradient-text": "background: linear-gradient(red, blue); background-clip: text; color: transparent",
    "outlined": "color: #fff; -webkit-text-stroke: 1px #000",
    "shadowed": "color: #fff; text-shadow: 1px 1px 2px #000",
    "faded-at-the-end": "mask-image: linear-gradient(#000, transparent)",
    "in-a-circle": "clip-path: circle(50%)",
    "inverted": "background: #000; color: #fff; filter: invert(1)",
    "grey": "filter: grayscale(1)",
    "blended-with-the-canvas": "mix-blend-mode: multiply",
    "contained": "contain: content",
    "turned-a-little": "transform: rotate3d(1, 1, 0, 20deg)",
}
VISIBLE_PAGES = {
    **{name: f'<p style="{style}">@</p>' for name, style in VISIBLE_STYLES.items()},
    "lifted": "<div class=lifted><span style='position: relative'>@</span></div>",
    "white-on-a-dark-sibling": "<div style='position: relative; height: 24px; background: #000'>"
    "<div style='position: absolute; inset: 0; background: #222'></div>"
    "<p style='position: relative; color: #fff'>@</p></div>",
    "beside-a-box": "<div style='position: relative'>@<div style='position: absolute; left: 300px; top: 0; width: 99px;"
    "height: 24px; background: #fff'></div></div>",
    "option": "<select><option>a<option>@</select>",
    "placeholder": "<input placeholder=@>",
    "button": "<input type=submit value=@>",
    "frame": "<iframe srcdoc=@></iframe>",
    "no-object": "<object data='/missing'>@</object>",
}


@pytest.mark.parametrize("page", VISIBLE_PAGES)
async def test_g3_visible_text_is_not_marked(session: Session, site: Site, page: str) -> None:
    address = site.page("/", with_word(VISIBLE_PAGES[page], "PLAINWORD"))
    await session.navigate(address)
    for text in (as_text(await session.snapshot()), as_text(await session.find(text="PLAINWORD"))):
        lines = [line for line in text.split("\n") if "PLAINWORD" in line]
        assert lines
        assert not any(map(MARK.search, lines))
