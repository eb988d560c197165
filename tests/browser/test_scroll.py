"""Scrolling: with the wheel over an element, to an element, and of inner panes."""

from __future__ import annotations

import pytest
from tests.site import Site

from rove import Session
from rove.errors import (
    InvalidArguments,
)

pytestmark = pytest.mark.one_session

WHEEL = """<canvas id=c width=300 height=200></canvas><div style='height: {rest}px'></div><script>
  turned = []; c.addEventListener('wheel', (event) => {{
    event.preventDefault(); turned.push([event.deltaX, event.deltaY, event.isTrusted]) }}, {{ passive: false }});
</script>"""


@pytest.mark.parametrize("rest", [0, 3000])
async def test_scroll_over_an_element_that_does_not_scroll_fires_wheel_events(
    session: Session, site: Site, rest: int
) -> None:
    await session.navigate(site.page("/", WHEEL.format(rest=rest)))
    await session.scroll("#c", direction="up", amount=120)
    await session.scroll("100,100", direction="right", amount=50)
    assert (await session.evaluate("[turned, scrollY]")).result.value == [[[0, -120, True], [50, 0, True]], 0]


async def test_scroll_over_an_element_that_ignores_the_wheel_scrolls_the_page(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Top</h1><div style='height: 3000px'></div>"))
    assert (await session.scroll("h1", direction="down", amount=400)).result.y == 400
    assert (await session.scroll("h1", direction="down", amount=100)).result.y == 500
    assert (await session.scroll("300,300", direction="up", amount=150)).result.y == 350


async def test_scroll_on_a_page_that_cannot_scroll_fires_wheel_events(session: Session, site: Site) -> None:
    page = "<h1 id=h>1</h1><script>onwheel = (event) => { if (event.deltaY > 0) h.textContent = 2 }</script>"
    await session.navigate(site.page("/", page))
    assert "2" in (await session.scroll(direction="down")).changes.text


async def test_scroll_to_a_point_needs_a_direction(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>x"))
    with pytest.raises(InvalidArguments):
        await session.scroll("10,10")


async def test_scroll_moves_the_page_and_says_how_much_is_left(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<body style='margin: 0'><div style='height: 3000px'>Long</div>"))
    result = (await session.scroll(direction="down", amount=500)).result
    assert (result.y, result.below) == (500, 3000 - 720 - 500)
    assert (await session.scroll(direction="up", amount=200)).result.y == 300
    assert (await session.scroll()).result.y > 300


async def test_scroll_moves_the_page_sideways(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<div style='width: 5000px'>Wide</div>"))
    assert (await session.scroll(direction="right", amount=300)).result.x == 300
    assert (await session.scroll(direction="left", amount=100)).result.x == 200


async def test_scroll_to_an_element_brings_it_into_view(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<div style='height: 4000px'></div><p id=end>End</p>"))
    await session.scroll("#end")
    assert (await session.evaluate("end.getBoundingClientRect().bottom <= innerHeight")).result.value is True


async def test_scroll_inside_an_element_leaves_the_page_where_it_is(session: Session, site: Site) -> None:
    page = (
        "<div id=pane style='height: 100px; overflow: auto'><div style='height: 1000px'>x</div></div>"
        "<div style='height: 3000px'></div>"
    )
    await session.navigate(site.page("/", page))
    await session.scroll("#pane", direction="down", amount=50)
    assert (await session.evaluate("[pane.scrollTop, scrollY]")).result.value == [50, 0]


async def test_scroll_on_a_page_that_scrolls_an_inner_pane_scrolls_that(session: Session, site: Site) -> None:
    page = (
        "<body style='margin: 0; overflow: hidden'><div id=pane style='height: 100vh; overflow: auto'>"
        "<div style='height: 5000px'>x</div></div>"
    )
    await session.navigate(site.page("/", page))
    await session.scroll(direction="down", amount=120)
    assert (await session.evaluate("pane.scrollTop")).result.value == 120
