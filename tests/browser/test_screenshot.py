"""Screenshots of a page."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from tests.site import Site

from rove import Session
from rove.errors import AmbiguousTarget, Denied, ElementNotFound, ElementNotReady

pytestmark = pytest.mark.one_session


def png_size(data: bytes) -> tuple[int, int]:
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


async def test_a_screenshot_is_a_png_of_the_viewport(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<div style='height: 3000px'>Long</div>"))
    outcome = await session.screenshot()
    (image,) = outcome.attachments
    assert (image.kind, image.mime) == ("image", "image/png")
    assert png_size(image.data) == (1280, 720) == (outcome.result.width, outcome.result.height)
    assert outcome.changes.kind == "silent"


async def test_a_screenshot_can_be_a_jpeg(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Hi</h1>"))
    (image,) = (await session.screenshot(format="jpeg")).attachments
    assert image.mime == "image/jpeg"
    assert image.data.startswith(b"\xff\xd8\xff")


async def test_a_full_page_screenshot_is_as_tall_as_the_page(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<body style='margin: 0'><div style='height: 3000px'>Long</div>"))
    (image,) = (await session.screenshot(full_page=True)).attachments
    width, height = png_size(image.data)
    assert height / width == pytest.approx(3000 / 1280, rel=0.01)


async def test_a_screenshot_of_a_very_tall_page_is_cut_and_says_so(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<div style='height: 40000px'>Very long</div>"))
    outcome = await session.screenshot(full_page=True)
    assert outcome.result.is_cut
    assert outcome.result.height > outcome.result.width


async def test_a_screenshot_of_an_element_has_its_size(session: Session, site: Site) -> None:
    page = "<div style='height: 2000px'></div><div id=box style='width: 200px; height: 100px; background: red'></div>"
    await session.navigate(site.page("/", page))
    (image,) = (await session.screenshot("#box")).attachments
    assert png_size(image.data) == (200, 100)


@pytest.mark.parametrize("hidden", ["hidden", "style='display: none'"])
async def test_a_screenshot_of_an_element_that_is_not_rendered_is_refused_on_a_long_page_too(
    session: Session, site: Site, hidden: str
) -> None:
    page = f"<div style='height: 2000px'></div><div id=box {hidden}>Secret plan</div>"
    await session.navigate(site.page("/", page))
    with pytest.raises(ElementNotReady, match="not visible"):
        await session.screenshot("#box")


async def test_a_screenshot_of_a_missing_element_is_not_found(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Here</p>"))
    with pytest.raises(ElementNotFound):
        await session.screenshot("#missing")


async def test_a_screenshot_is_saved_in_the_workspace(session: Session, site: Site, home: Path) -> None:
    workspace = home / "workspace"
    await session.navigate(site.page("/", "<h1>Hi</h1>"))
    outcome = await session.screenshot(path="shots/may/first")
    assert outcome.result.path == str(workspace / "shots" / "may" / "first.png")
    assert Path(outcome.result.path).read_bytes() == outcome.attachments[0].data
    assert f"Saved as {outcome.result.path}" in str(outcome.result)
    again = (await session.screenshot(path="shots/may/first.png")).result
    assert again.path == str(workspace / "shots" / "may" / "first-2.png")
    new = Path((await session.screenshot(path="screenshots/", format="jpeg")).result.path)
    assert new.parent == workspace / "screenshots" and new.suffix == ".jpg"
    assert Path((await session.screenshot(path=str(workspace / "top.png"))).result.path) == workspace / "top.png"
    assert (await session.screenshot()).result.path == ""


@pytest.mark.parametrize("path", ["../out.png", "/tmp/out.png", "a/../../out.png", "/tmp/"])
async def test_a_screenshot_is_not_saved_outside_of_the_workspace(session: Session, site: Site, path: str) -> None:
    await session.navigate(site.page("/", "<h1>Hi</h1>"))
    with pytest.raises(Denied):
        await session.screenshot(path=path)


async def test_a_screenshot_is_scaled_to_its_longest_side(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Hi</h1>"))
    (image,) = (await session.screenshot(max_side=640)).attachments
    assert png_size(image.data) == (640, 360)


async def test_a_selector_may_choose_the_first_of_several_matches(session: Session, site: Site) -> None:
    boxes = "".join(f"<div class=box style='width: {width}px; height: 50px'></div>" for width in (100, 200))
    await session.navigate(site.page("/", boxes))
    (image,) = (await session.screenshot(".box:first")).attachments
    assert png_size(image.data) == (100, 50)
    with pytest.raises(AmbiguousTarget):
        await session.screenshot(".box")
    with pytest.raises(ElementNotFound) as caught:
        await session.using(timeout=2).screenshot(".missing:first")
    assert caught.value.message == "Selector '.missing' not found"
