"""Tabs of a session."""

from __future__ import annotations

import asyncio

import pytest
from tests.conftest import TAB_LIMIT
from tests.site import Site

from rove import Session
from rove.actions.extract import Extract
from rove.actions.navigation import Navigate
from rove.actions.wait import Wait
from rove.browser.chromium.tab import Tab
from rove.errors import InvalidArguments, LimitReached, NotOpen


async def ids(session: Session) -> list[str]:
    return [tab.id for tab in (await session.tabs()).result.tabs]


@pytest.mark.contract("C7")
@pytest.mark.feature("Several tabs", works=("chromium", "firefox", "webkit"))
async def test_list_shows_where_each_tab_is_and_which_is_in_front(session: Session, site: Site) -> None:
    first, second = site.page("/1", "<title>One</title>"), site.page("/2", "<title>Two</title>")
    await session.navigate(first)
    await session.tabs("new", url=second)
    tabs = (await session.tabs("list")).result.tabs
    assert [(tab.id, tab.url, tab.title, tab.is_current) for tab in tabs] == [
        ("t1", first, "One", False),
        ("t2", second, "Two", True),
    ]


async def test_a_new_tab_returns_its_page(session: Session, site: Site) -> None:
    url = site.page("/", "<h1>Fresh</h1>")
    outcome = await session.tabs("new", url=url)
    assert outcome.url == url
    assert "Fresh" in outcome.changes.text


async def test_switch_brings_a_tab_to_the_front(session: Session, site: Site) -> None:
    await session.navigate(site.page("/1", "<h1>One</h1>"))
    await session.tabs("new", url=site.page("/2", "<h1>Two</h1>"))
    await session.tabs("switch", "t1")
    assert (await session.extract("h1")).result.content == ("One",)


async def test_a_call_may_name_its_tab_without_switching(session: Session, site: Site) -> None:
    await session.navigate(site.page("/1", "<h1>One</h1>"))
    await session.tabs("new", url=site.page("/2", "<h1>Two</h1>"))
    outcome = await session.run(Extract("h1"), tab="t1")
    assert (outcome.tab, outcome.result.content) == ("t1", ("One",))
    assert (await session.extract("h1")).result.content == ("Two",)


async def test_an_id_is_never_given_twice(session: Session, site: Site) -> None:
    url = site.page("/", "<p>Page</p>")
    await session.navigate(url)
    await session.tabs("new", url=url)
    await session.tabs("close", "t2")
    await session.tabs("new", url=url)
    assert await ids(session) == ["t1", "t3"]
    with pytest.raises(NotOpen):
        await session.run(Extract(), tab="t2")


async def test_closing_the_front_tab_brings_another_to_the_front(session: Session, site: Site) -> None:
    await session.navigate(site.page("/1", "<h1>One</h1>"))
    await session.tabs("new", url=site.page("/2", "<h1>Two</h1>"))
    await session.tabs("close")
    assert (await session.extract("h1")).result.content == ("One",)


async def test_after_the_last_tab_is_closed_a_call_opens_a_new_one(session: Session, site: Site) -> None:
    await session.navigate(site.page("/1", "<h1>One</h1>"))
    await session.tabs("close")
    assert await ids(session) == []
    assert (await session.navigate(site.url("/1"))).tab == "t2"


async def test_the_error_for_an_unknown_tab_names_it(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    with pytest.raises(NotOpen) as caught:
        await session.tabs("switch", "t9")
    assert "t9" in caught.value.message
    assert "t1" in caught.value.hint


async def test_switch_without_an_id_is_refused(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    with pytest.raises(InvalidArguments) as caught:
        await session.tabs("switch")
    assert "`tab`" in caught.value.message


async def test_a_popup_becomes_a_tab_and_is_reported_where_it_was_opened(session: Session, site: Site) -> None:
    site.page("/pop", "<title>Popped</title>")
    await session.navigate(site.page("/", "<button onclick=\"window.open('/pop')\">Open</button>"))
    outcome = await session.click("button")
    assert [(event.kind, event.text) for event in outcome.events] == [("new tab", f"t2 {site.url('/pop')}")]
    assert await ids(session) == ["t1", "t2"]
    await session.run(Wait(url="/pop", load="load"), tab="t2")
    assert (await session.tabs()).result.tabs[1].title == "Popped"


async def test_a_link_to_a_new_window_becomes_a_tab(session: Session, site: Site) -> None:
    site.page("/pop", "<title>Popped</title>")
    await session.navigate(site.page("/", "<a href=/pop target=_blank>Open</a>"))
    outcome = await session.click("a")
    assert [(event.kind, event.text) for event in outcome.events] == [("new tab", f"t2 {site.url('/pop')}")]


async def test_a_window_that_closes_itself_is_no_longer_a_tab(session: Session, site: Site) -> None:
    site.page("/pop", "<script>setTimeout(close, 50)</script>")
    await session.navigate(site.page("/", "<button onclick=\"window.open('/pop')\">Open</button>"))
    await session.click("button")
    async with asyncio.timeout(20):
        while await ids(session) != ["t1"]:
            await session.wait(seconds=0.05)


@pytest.mark.engines("chromium", reason="the test closes the window over the DevTools protocol")
async def test_a_window_that_closes_itself_while_the_tabs_are_listed_is_left_out(
    session: Session, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.tabs("new", url=site.url("/"))
    context = await session._engine.context(lambda _: None)
    closing, title = await context.tab("t2"), Tab.title

    async def title_after_close(tab: Tab) -> str:
        if tab is closing:
            await tab.page.cdp.send("Page.close")
            async with asyncio.timeout(20):
                while not tab.page.cdp.is_closed:
                    await asyncio.sleep(0)
        return await title(tab)

    monkeypatch.setattr(Tab, "title", title_after_close)
    assert await ids(session) == ["t1"]


async def test_more_tabs_than_allowed_are_refused(session: Session, site: Site) -> None:
    url = site.page("/", "<p>Page</p>")
    for _ in range(TAB_LIMIT):
        await session.tabs("new", url=url)
    with pytest.raises(LimitReached):
        await session.tabs("new", url=url)
    await session.tabs("close")
    await session.tabs("new", url=url)


async def test_a_popup_beyond_the_limit_is_closed_and_reported(session: Session, site: Site) -> None:
    site.page("/pop", "<p>Popped</p>")
    for _ in range(TAB_LIMIT):
        await session.tabs("new", url=site.page("/", "<button onclick=\"window.open('/pop')\">Open</button>"))
    outcome = await session.click("button")
    assert [event.kind for event in outcome.events] == ["popup blocked"]
    assert len(await ids(session)) == TAB_LIMIT


async def test_calls_on_two_tabs_do_not_wait_for_each_other(session: Session, site: Site) -> None:
    await session.navigate(site.page("/1", "<h1>One</h1>"))
    await session.tabs("new", url=site.page("/2", "<h1>Two</h1>"))
    slow = asyncio.ensure_future(session.run(Wait(text="Never"), tab="t1", timeout=20))
    outcome = await session.run(Navigate(site.url("/2")), tab="t2")
    assert outcome.tab == "t2"
    assert not slow.done()
    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)
    assert (await session.run(Extract("h1"), tab="t1")).result.content == ("One",)


async def test_a_new_tab_whose_page_opens_a_dialog_does_not_block_the_call(session: Session, site: Site) -> None:
    await session.tabs("new", url=site.page("/", "<h1>Hi</h1><script>alert('Wait')</script>"))
    assert (await session.dialog(accept=True)).result.message == "Wait"
