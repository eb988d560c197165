"""Visual comparison: baselines, differences, masks and thresholds."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from tests.site import Site

from rove import Session
from rove.errors import Denied, ExpectationFailed, InvalidArguments
from rove.settings.tree import Settings

pytestmark = pytest.mark.one_session

MOVING = """<style>@keyframes turn { to { transform: rotate(360deg) } } body { margin: 0 }
  #spinner { width: 40px; height: 40px; background: linear-gradient(red, blue); animation: turn 1s infinite linear }
  #late { transition: margin-left .3s }</style>
<div id=spinner></div><input id=field value=typed autofocus><p id=late>late</p>
<p id=clock style="width: 20em">CLOCK</p><div style="height: 1500px"></div><b id=end style="display: block">END</b>
<script>requestAnimationFrame(() => late.style.marginLeft = "50px")</script>"""


def page(site: Site, clock: str, end: str = "the end") -> str:
    return site.page("/", MOVING.replace("CLOCK", clock).replace("END", end))


@pytest.fixture(autouse=True)
def _no_baselines(settings: Settings) -> None:
    for kept in (settings.workspace_folder / "baselines").glob("*.png"):
        kept.unlink()


async def test_the_first_call_keeps_the_picture_and_a_page_that_moves_looks_the_same(
    session: Session, site: Site, settings: Settings
) -> None:
    await session.navigate(page(site, "12:00"))
    await session.click("#field")
    first = (await session.compare("home")).result
    assert (first.is_new, first.matches) == (True, True)
    assert first.baseline == str(settings.workspace_folder / "baselines" / "home.png")
    for _ in range(3):
        await session.navigate(page(site, "12:00"))
        again = (await session.compare("home")).result
        assert (again.is_new, again.matches, again.different, again.is_steady) == (False, True, 0, True)
    # The page goes on moving afterwards, and its caret is back.
    assert (await session.evaluate("spinner.getAnimations()[0].playState")).result.value == "running"
    assert (await session.evaluate("document.adoptedStyleSheets.length")).result.value == 0


@pytest.mark.contract("C7")
@pytest.mark.feature("Visual comparison", works=("chromium", "firefox", "webkit"))
async def test_a_difference_is_a_number_a_place_and_a_picture(session: Session, site: Site) -> None:
    await session.navigate(page(site, "12:00"))
    await session.compare("clock", full_page=True)
    await session.navigate(page(site, "12:34", end="not yet"))
    changed = (await session.compare("clock", full_page=True)).result
    assert not changed.matches
    assert 50 < changed.different < 3000
    assert changed.share == changed.different / (changed.width * changed.height)
    assert len(changed.regions) == 2
    assert changed.attachments
    with Image.open(changed.difference) as picture:
        assert picture.size == (changed.width, changed.height)
        assert picture.convert("RGB").getcolors(2**20) is not None
        red = sum(count for count, colour in picture.convert("RGB").getcolors(2**20) or () if colour == (220, 20, 60))
        assert red == changed.different
    assert (await session.compare("clock", full_page=True, max_pixels=changed.different)).result.matches
    assert (await session.compare("clock", full_page=True, max_share=0.01)).result.matches
    assert (await session.compare("clock", full_page=True, threshold=1)).result.matches
    masked = (await session.compare("clock", full_page=True, mask=["#clock"])).result
    assert len(masked.regions) == 1
    assert (await session.compare("clock", full_page=True, mask=["#clock", "#end"])).result.matches
    with pytest.raises(ExpectationFailed) as raised:
        await session.compare("clock", full_page=True, fail=True)
    assert raised.value.outcome.result.different == changed.different
    assert (await session.compare("clock", full_page=True, update=True)).result.is_updated
    assert (await session.compare("clock", full_page=True)).result.different == 0


async def test_an_element_that_has_grown_is_told_with_both_sizes(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<div id=box style='width: 100px; height: 50px; background: teal'></div>"))
    assert (await session.compare("box", target="#box")).result.is_new
    await session.evaluate("document.getElementById('box').style.height = '60px'")
    grown = (await session.compare("box", target="#box", max_share=1)).result
    assert (grown.matches, grown.baseline_size, (grown.width, grown.height)) == (False, (100, 50), (100, 60))
    assert grown.different == 1000


async def test_without_a_baseline_a_comparison_that_may_fail_does(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>x"))
    with pytest.raises(InvalidArguments):
        await session.compare("none", fail=True)


async def test_a_baseline_is_a_file_of_the_workspace_and_a_picture(
    session: Session, site: Site, settings: Settings, tmp_path: Path
) -> None:
    await session.navigate(site.page("/", "<p>x"))
    with pytest.raises(InvalidArguments):
        await session.compare("../outside")
    folder = settings.workspace_folder / "baselines"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "damaged.png").write_bytes(b"no picture")
    with pytest.raises(InvalidArguments):
        await session.compare("damaged")
    outside = tmp_path / "outside.png"
    Image.new("RGB", (10, 10)).save(outside)
    (folder / "link.png").symlink_to(outside)
    with pytest.raises(Denied):
        await session.compare("link")
    await session.compare("link", update=True)
    assert not (folder / "link.png").is_symlink()
    with Image.open(outside) as untouched:
        assert untouched.size == (10, 10)
