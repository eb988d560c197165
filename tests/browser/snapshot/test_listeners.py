"""What only a script listens to can be pressed too, and so has a line and a ref."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session

LISTEN = "<script>for (const it of document.querySelectorAll('.it')) it.addEventListener('{kind}', () => {{}})</script>"


async def looks(session: Session) -> str:
    return (await session.snapshot()).result.text


@pytest.mark.parametrize("kind", ["click", "mousedown", "pointerdown", "mouseup", "dblclick"])
async def test_an_element_that_listens_for_a_press_is_shown_at_the_first_look(
    session: Session, site: Site, kind: str
) -> None:
    page = f"<div class=it>Go on</div><div>Stay</div>{LISTEN.format(kind=kind)}"
    seen = (await session.navigate(site.page("/", page))).changes.text
    assert 'clickable "Go on" [e' in seen
    assert '\n"Stay"' in seen


async def test_a_handler_that_is_a_property_counts(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<span id=s>Go on</span><script>s.onclick = () => {}</script>"))
    assert 'clickable "Go on" [e' in await looks(session)


async def test_what_listens_for_something_else_is_no_more_than_text(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"<div class=it>Stay</div>{LISTEN.format(kind='mousemove')}"))
    assert "clickable" not in await looks(session)


async def test_an_empty_box_that_listens_is_told_by_its_colour(session: Session, site: Site) -> None:
    box = "<div class=it style='width:50px;height:50px;background:red'></div>"
    await session.navigate(site.page("/", box + LISTEN.format(kind="click")))
    assert 'clickable ~"red" [e' in await looks(session)


async def test_whoever_listens_for_a_whole_page_is_nothing_to_press(session: Session, site: Site) -> None:
    """As frameworks do, at the root of what they draw."""
    inside = "<h1>Shop</h1><p>Words.</p><button>Buy</button><a href=/x>More</a>"
    await session.navigate(site.page("/", f"<div class=it>{inside}</div>{LISTEN.format(kind='click')}"))
    assert "clickable" not in await looks(session)


async def test_a_board_that_listens_for_its_cells_is_as_many_things_as_it_has_cells(
    session: Session, site: Site
) -> None:
    cells = "<div class=cell style='width:20px;height:20px;background:#ccc'></div>" * 9
    await session.navigate(site.page("/", f"<div class=it>{cells}</div>{LISTEN.format(kind='click')}"))
    assert (await looks(session)).count("clickable") == 9


async def test_who_begins_to_listen_later_is_shown_at_the_next_look(session: Session, site: Site) -> None:
    page = "<p id=late>Later</p><button onclick=\"late.addEventListener('click', () => {})\">Begin</button>"
    await session.navigate(site.page("/", page))
    assert "Later" in await looks(session)
    await session.click("button")
    assert 'clickable "Later" [e' in await looks(session)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_frames_listen_too(session: Session, site: Site, host: str) -> None:
    site.page("/inner", f"<div class=it>Inside</div>{LISTEN.format(kind='click')}")
    frame = f"<iframe src='{site.url('/inner', host=host)}'></iframe>"
    await session.navigate(site.page("/", frame))
    assert 'clickable "Inside" [f1e' in await looks(session)


async def test_a_page_that_breaks_its_own_world_is_read_all_the_same(session: Session, site: Site) -> None:
    page = "<p>Words</p><script>Array.prototype.filter = document.getElementsByTagName = () => { throw 1 }</script>"
    await session.navigate(site.page("/", page))
    assert '"Words"' in await looks(session)


async def test_the_page_is_not_told(session: Session, site: Site) -> None:
    """Neither a new global nor a patched prototype gives away that someone asked."""
    page = "<p id=p>Words</p><script>before = Object.getOwnPropertyNames(globalThis).length + 1</script>"
    await session.navigate(site.page("/", page))
    assert (await session.evaluate("Object.getOwnPropertyNames(globalThis).length - before")).result.value == 0
    assert (await session.evaluate("typeof getEventListeners")).result.value == "undefined"


async def test_who_is_pressed_is_named_by_what_it_says(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"<div class=it>Go on</div>{LISTEN.format(kind='click')}"))
    assert (await session.click(".it")).result.element == 'clickable "Go on"'
