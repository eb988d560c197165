"""Sessions: named, isolated from each other, closed when idle."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.conftest import SESSION_LIMIT
from tests.site import OWN_SITES, Site

import rove
from rove import Session
from rove.action import parse
from rove.engine.sessions import Sessions
from rove.errors import InvalidArguments, LimitReached, NotOpen, RoveError, Unsupported
from rove.settings.tree import Limits, Settings


async def test_sessions_share_neither_cookies_nor_storage(session: Session, site: Site) -> None:
    url = site.page("/", "<p>Page</p>", headers={"Set-Cookie": "who=first"})
    await session.navigate(url)
    await session.evaluate("localStorage.setItem('who', 'first')")
    other = await session.another()
    site.page("/", "<p>Page</p>")
    await other.navigate(url)
    assert (await other.evaluate("[document.cookie, localStorage.getItem('who')]")).result.value == ["", None]
    assert (await session.evaluate("[document.cookie, localStorage.getItem('who')]")).result.value == [
        "who=first",
        "first",
    ]
    assert "Cookie" not in site.asked("/")[-1].headers


async def test_open_session_generates_a_name_unless_it_is_given_one(session: Session, sessions: Sessions) -> None:
    made_up = (await session.open_session()).result.session
    named = (await session.open_session("mine")).result.session
    assert named == "mine"
    assert {made_up, "mine"} <= {known["session"] for known in sessions.sessions()}


async def test_opening_a_session_twice_returns_the_same_session(session: Session) -> None:
    await session.open_session("twice")
    assert (await session.open_session("twice")).result.session == "twice"


async def test_a_closed_session_is_not_open_any_more(session: Session, sessions: Sessions, site: Site) -> None:
    other = await session.another("brief")
    await other.navigate(site.page("/", "<p>Page</p>"))
    assert (await session.close_session("brief")).result.session == "brief"
    with pytest.raises(NotOpen):
        await other.snapshot()


async def test_the_error_for_an_unknown_session_names_it(session: Session) -> None:
    with pytest.raises(NotOpen) as caught:
        await session.close_session("unknown")
    assert "unknown" in caught.value.message


async def test_a_reopened_session_has_no_old_cookies_or_storage(session: Session, site: Site) -> None:
    url = site.page("/", "<p>Page</p>")
    first = await session.another("again")
    await first.navigate(url)
    await first.evaluate("localStorage.setItem('a', '1')")
    await session.close_session("again")
    second = await session.another("again")
    await second.navigate(url)
    assert (await second.evaluate("localStorage.getItem('a')")).result.value is None


async def test_status_lists_sessions_and_tabs(session: Session, site: Site) -> None:
    url = site.page("/", "<p>Page</p>")
    await session.navigate(url)
    reported = {known["session"]: known for known in (await session.status()).result.sessions}
    assert reported[session.name]["tabs"] == [{"id": "t1", "url": url, "is_current": True}]


async def test_more_sessions_than_allowed_are_refused(session: Session, sessions: Sessions) -> None:
    with pytest.raises(LimitReached):
        for _ in range(SESSION_LIMIT + 1):
            await session.open_session()
    assert len(sessions.sessions()) >= SESSION_LIMIT


@pytest.mark.parametrize("name", ["a b", "../x", "a/b", "x" * 65])
def test_a_name_that_is_not_a_valid_file_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse("open_session", {"name": name})
    assert "`name`" in caught.value.message


async def test_an_idle_session_is_closed_and_the_next_call_starts_afresh(home: Path, site: Site) -> None:
    url = site.page("/", "<p>Page</p>")
    async with Sessions(Settings(allow_host=OWN_SITES, home=home, limits=Limits(idle=0.5))) as sessions:
        idle, busy = Session(sessions, await sessions.open_session("idle")), Session(sessions, None)
        await idle.navigate(url)
        await busy.navigate(url)
        async with asyncio.timeout(20):
            while "idle" in {known["session"] for known in sessions.sessions()}:
                await busy.wait(seconds=0.1)
        assert "default" in {known["session"] for known in sessions.sessions()}
        with pytest.raises(NotOpen):
            await idle.snapshot()


async def test_a_session_with_a_long_call_under_way_is_not_idle(home: Path, site: Site) -> None:
    async with Sessions(Settings(allow_host=OWN_SITES, home=home, limits=Limits(idle=0.3))) as sessions:
        session = Session(sessions, None)
        await session.navigate(site.page("/", "<p>Page</p>"))
        assert (await session.wait(seconds=1)).result.seconds >= 1
        assert (await session.extract("p")).result.content == ("Page",)


async def test_the_library_opens_a_browser_and_leaves_nothing_behind(home: Path, site: Site) -> None:
    url = site.page("/", "<title>Library</title><button>Go</button>")
    own = home / "library"
    async with rove.open(home=own) as session:
        assert "Library" in str((await session.navigate(url)).title)
        await session.click('button "Go"')
        assert list((own / "run").iterdir())
    assert list((own / "run").iterdir()) == []


async def test_a_browser_that_rove_started_has_no_context_of_a_person(sessions: Sessions, settings: Settings) -> None:
    browser = await sessions._browsers.shared.browser(lambda _: None)
    with pytest.raises(Unsupported):
        await browser.default_context(settings, None)


async def test_a_tab_that_is_being_opened_as_its_session_closes_is_an_error_and_no_cancellation(
    session: Session, site: Site
) -> None:
    other = await session.another("closing")
    await other.navigate(site.page("/", "<h1>Here</h1>"))
    opening = [asyncio.ensure_future(other.tabs("new")) for _ in range(2)]
    await asyncio.sleep(0)
    await session.close_session("closing")
    async with asyncio.timeout(30):
        await asyncio.wait(opening)
    assert not any(task.cancelled() for task in opening)
    for task in opening:
        assert task.exception() is None or isinstance(task.exception(), RoveError)
