"""Elements with click listeners are shown as clickable, with a ref."""

from __future__ import annotations

import asyncio

import pytest
from tests.site import Site

from rove import Session

pytestmark = pytest.mark.one_session

LISTEN = "<script>for (const it of document.querySelectorAll('.it')) it.addEventListener('{kind}', () => {{}})</script>"


async def snapshot_text(session: Session) -> str:
    return (await session.snapshot()).result.text


@pytest.mark.parametrize("kind", ["click", "mousedown", "pointerdown", "mouseup", "dblclick"])
async def test_an_element_with_a_click_listener_is_in_the_first_snapshot(
    session: Session, site: Site, kind: str
) -> None:
    page = f"<div class=it>Go on</div><div>Stay</div>{LISTEN.format(kind=kind)}"
    seen = (await session.navigate(site.page("/", page))).changes.text
    assert 'clickable "Go on" [e' in seen
    assert '\n"Stay"' in seen


async def test_an_onclick_property_counts_as_a_listener(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<span id=s>Go on</span><script>s.onclick = () => {}</script>"))
    assert 'clickable "Go on" [e' in await snapshot_text(session)


async def test_an_element_with_another_listener_is_shown_as_text(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"<div class=it>Stay</div>{LISTEN.format(kind='mousemove')}"))
    assert "clickable" not in await snapshot_text(session)


async def test_an_empty_box_with_a_listener_is_named_by_its_colour(session: Session, site: Site) -> None:
    box = "<div class=it style='width:50px;height:50px;background:red'></div>"
    await session.navigate(site.page("/", box + LISTEN.format(kind="click")))
    assert 'clickable ~"red" [e' in await snapshot_text(session)


async def test_an_element_that_listens_for_the_whole_page_is_not_clickable(session: Session, site: Site) -> None:
    """Frameworks listen at the root of the elements that they render."""
    inside = "<h1>Shop</h1><p>Words.</p><button>Buy</button><a href=/x>More</a>"
    await session.navigate(site.page("/", f"<div class=it>{inside}</div>{LISTEN.format(kind='click')}"))
    assert "clickable" not in await snapshot_text(session)


async def test_each_cell_of_a_board_with_a_listener_is_clickable(session: Session, site: Site) -> None:
    cells = "<div class=cell style='width:20px;height:20px;background:#ccc'></div>" * 9
    await session.navigate(site.page("/", f"<div class=it>{cells}</div>{LISTEN.format(kind='click')}"))
    assert (await snapshot_text(session)).count("clickable") == 9


async def test_an_element_that_gets_a_listener_later_is_in_the_next_snapshot(session: Session, site: Site) -> None:
    page = "<p id=late>Later</p><button onclick=\"late.addEventListener('click', () => {})\">Begin</button>"
    await session.navigate(site.page("/", page))
    assert "Later" in await snapshot_text(session)
    await session.click("button")
    assert 'clickable "Later" [e' in await snapshot_text(session)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_elements_with_listeners_in_frames_are_clickable(session: Session, site: Site, host: str) -> None:
    site.page("/inner", f"<div class=it>Inside</div>{LISTEN.format(kind='click')}")
    frame = f"<iframe src='{site.url('/inner', host=host)}'></iframe>"
    await session.navigate(site.page("/", frame))
    async with asyncio.timeout(20):  # listeners are looked for at most once a second
        while 'clickable "Inside" [f' not in await snapshot_text(session):
            pass


async def test_a_page_that_redefines_built_ins_is_still_read(session: Session, site: Site) -> None:
    page = "<p>Words</p><script>Array.prototype.filter = document.getElementsByTagName = () => { throw 1 }</script>"
    await session.navigate(site.page("/", page))
    assert '"Words"' in await snapshot_text(session)


async def test_a_page_cannot_notice_that_its_listeners_are_read(session: Session, site: Site) -> None:
    """Reading listeners adds no global and patches no prototype."""
    page = "<p id=p>Words</p><script>before = Object.getOwnPropertyNames(globalThis).length + 1</script>"
    await session.navigate(site.page("/", page))
    assert (await session.evaluate("Object.getOwnPropertyNames(globalThis).length - before")).result.value == 0
    assert (await session.evaluate("typeof getEventListeners")).result.value == "undefined"


async def test_a_clicked_element_is_named_by_its_text(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"<div class=it>Go on</div>{LISTEN.format(kind='click')}"))
    assert (await session.click(".it")).result.element == 'clickable "Go on"'
