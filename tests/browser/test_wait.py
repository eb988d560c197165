"""Waiting for a condition."""

from __future__ import annotations

import threading
import time

import pytest
from tests.site import Site

from rove import Session
from rove.actions.wait import Wait
from rove.errors import DeadlineExceeded, InvalidArguments

pytestmark = pytest.mark.one_session


async def test_wait_ends_when_the_text_appears(session: Session, site: Site) -> None:
    await session.navigate(
        site.page("/", "<p id=p>Brewing</p><script>setTimeout(() => p.textContent = 'Ready', 3000)</script>")
    )
    outcome = await session.wait(text="Ready")
    assert "Ready" in outcome.changes.text
    assert outcome.result.seconds < 5


async def test_wait_ends_when_the_text_is_gone(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p id=p>Loading</p><script>setTimeout(() => p.remove(), 3000)</script>"))
    await session.wait(gone="Loading")
    assert (await session.evaluate("!!document.querySelector('p')")).result.value is False


async def test_wait_for_a_selector_needs_it_to_be_visible(session: Session, site: Site) -> None:
    page = "<p id=p hidden>Now</p><script>setTimeout(() => p.hidden = false, 300)</script>"
    await session.navigate(site.page("/", page))
    await session.wait(selector="#p")
    assert (await session.evaluate("p.hidden")).result.value is False


@pytest.mark.parametrize("pattern", ["/done", "*/done?*", "http://127.0.0.1:*"])
async def test_wait_for_a_part_or_a_pattern_of_the_url(session: Session, site: Site, pattern: str) -> None:
    page = "<script>setTimeout(() => history.pushState({}, '', '/done?x=1'), 200)</script>"
    await session.navigate(site.page("/", page))
    await session.wait(url=pattern)


async def test_wait_for_the_load(session: Session, site: Site) -> None:
    hold = threading.Event()
    site.page("/slow.css", "", kind="text/css", hold=hold)
    await session.navigate(site.page("/", "<p>Text</p>"))
    await session.evaluate("setTimeout(() => { location = '/next' }, 50)")
    site.page("/next", "<title>Next</title><link rel=stylesheet href=/slow.css><p>Styled</p>")
    threading.Timer(0.4, hold.set).start()
    await session.wait(url="/next")
    await session.wait(load="load")
    assert (await session.evaluate("document.readyState")).result.value == "complete"


async def test_wait_waits_until_all_conditions_hold(session: Session, site: Site) -> None:
    page = "<p id=p>One</p><script>setTimeout(() => p.textContent = 'Two', 100);"
    page += "setTimeout(() => p.textContent = 'Two Three', 300)</script>"
    await session.navigate(site.page("/", page))
    await session.wait(text="Three", gone="One")
    assert (await session.extract("p")).result.content == ("Two Three",)


async def test_wait_gives_up_at_its_deadline_and_names_what_is_missing(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Nothing</p>"))
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded) as caught:
        await session.run(Wait(text="Never"), timeout=2)
    assert time.monotonic() - began < 10
    assert "Never" in caught.value.message


async def test_wait_names_what_is_missing_on_a_page_that_is_busy_most_of_the_time(session: Session, site: Site) -> None:
    busy = "setInterval(() => { const end = performance.now() + 700; while (performance.now() < end); }, 10)"
    await session.navigate(site.page("/", "<p>Nothing</p>"))
    await session.using(quiet=True).evaluate(f"{busy}, 0")
    with pytest.raises(DeadlineExceeded) as caught:
        await session.run(Wait(text="Never"), timeout=3)
    assert "Never" in caught.value.message


async def test_seconds_limit_the_wait_for_a_condition(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Nothing</p>"))
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        await session.wait(text="Never", seconds=0.5)
    assert time.monotonic() - began < 10


async def test_wait_with_seconds_only_waits_that_long(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Nothing</p>"))
    assert (await session.wait(seconds=0.2)).result.seconds >= 0.2


async def test_wait_without_a_condition_is_refused(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Nothing</p>"))
    with pytest.raises(InvalidArguments):
        await session.wait()


async def test_wait_continues_across_a_navigation(session: Session, site: Site) -> None:
    site.page("/next", "<h1>Second page</h1>")
    await session.navigate(site.page("/", "<script>setTimeout(() => { location = '/next' }, 200)</script>"))
    outcome = await session.wait(text="Second page")
    assert outcome.url == site.url("/next")


async def test_wait_sees_text_inside_a_frame(session: Session, site: Site) -> None:
    site.page("/inner", "<p id=p></p><script>setTimeout(() => p.textContent = 'Framed', 200)</script>")
    await session.navigate(site.page("/", "<iframe src=/inner></iframe>"))
    await session.wait(text="Framed")


async def test_wait_for_a_navigation_that_an_act_has_caused_or_that_is_still_to_come(
    session: Session, site: Site
) -> None:
    site.page("/next", "<h1>Second page</h1>")
    later = "<script>setTimeout(() => { location = '/next' }, 900)</script>"
    await session.navigate(site.page("/", f"<a href=/next>Next</a>{later}"))
    assert (await session.wait(navigation=True)).url == site.url("/next")
    await session.navigate(site.page("/", "<a href=/next>Next</a>"))
    await session.click("a")
    assert (await session.wait(navigation=True)).url == site.url("/next")
    with pytest.raises(DeadlineExceeded, match="no other page was loaded"):
        await session.wait(navigation=True, seconds=0.3)
