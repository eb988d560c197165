"""Sessions on Firefox: behind the guard, isolated, and beside sessions of another engine."""

from __future__ import annotations

import asyncio

import pytest
from tests.site import Site

from rove import Session
from rove.browser.sessions import WindowChoice
from rove.engine.sessions import Sessions
from rove.errors import Denied, Unsupported


async def test_two_engines_run_side_by_side(firefox: Sessions, site: Site) -> None:
    url = site.page("/", "<title>Both</title><script>document.cookie = 'a=1'</script>")
    await firefox.open_session("one")
    await firefox.open_session("two", window=WindowChoice(engine="chromium"))
    agents = []
    for name in ("one", "two"):
        session = Session(firefox, name)
        await session.navigate(url)
        agents.append((await session.evaluate("navigator.userAgent")).result.value)
        await firefox.close_session(name)
    assert "Firefox/" in agents[0]
    assert "Chrome/" in agents[1]


async def test_a_page_reaches_nothing_but_what_the_guard_allows(firefox: Sessions, site: Site) -> None:
    await firefox.open_session("guarded")
    session = Session(firefox, "guarded")
    calls: list[bool] = []
    # Another address of this machine than those of the test sites, which are allowed.
    server = await asyncio.start_server(lambda reader, writer: calls.append(True), "127.0.0.2", 0)
    async with server:
        place = f"127.0.0.2:{server.sockets[0].getsockname()[1]}"
        target = f"http://{place}"
        fetches = f"fetch('{target}/fetch', {{mode: 'no-cors'}}); new WebSocket('ws://{place}/ws')"
        await session.navigate(site.page("/", f"<title>Page</title><img src={target}/img><script>{fetches}</script>"))
        with pytest.raises(Denied):
            await session.navigate(f"{target}/document")
        assert calls == []
    await firefox.close_session("guarded")


async def test_what_firefox_cannot_emulate_is_said(firefox: Sessions) -> None:
    await firefox.open_session("plain")
    session = Session(firefox, "plain")
    with pytest.raises(Unsupported) as refused:
        await session.emulate(reduced_motion=True)
    assert "chromium" in refused.value.hint
    await firefox.close_session("plain")


FIELD = "<input id=f aria-label=Name onfocus='n.textContent = Number(n.textContent) + 1'><p id=n>0</p>"


async def test_sessions_type_at_the_same_time_though_firefox_has_one_active_window(
    firefox: Sessions, site: Site
) -> None:
    url = site.page("/", FIELD)
    sessions = [Session(firefox, await firefox.open_session(name)) for name in ("first", "second", "third")]
    for session in sessions:
        await session.navigate(url)
        await session.click("#f")

    async def write(session: Session) -> str:
        for word in ("alpha ", "beta ", "gamma"):
            await session.type(word)  # without a target: where the focus is
        return str((await session.evaluate("f.value")).result.value)

    assert await asyncio.gather(*map(write, sessions)) == ["alpha beta gamma"] * 3
    for session in sessions:
        assert (await session.evaluate("Number(n.textContent) > 0")).result.value is True
        await firefox.close_session(session.name)


async def test_the_tab_key_leaves_no_page_without_the_focus(firefox: Sessions, site: Site) -> None:
    session = Session(firefox, await firefox.open_session("keys"))
    await session.navigate(site.page("/", FIELD))
    await session.click("#f")
    for _ in range(3):
        await session.press("Tab")
    before = (await session.evaluate("Number(n.textContent)")).result.value
    await session.evaluate("document.activeElement.blur()")
    await session.fill("#f", "x")
    assert (await session.evaluate("Number(n.textContent)")).result.value > before
    await firefox.close_session("keys")


async def test_going_back_within_a_document_is_told(firefox: Sessions, site: Site) -> None:
    """Firefox reports no move to an address without a fragment."""
    session = Session(firefox, await firefox.open_session("history"))
    url = site.page("/", "<a href='#part'>Part</a><button onclick='history.back()'>Back</button>")
    await session.navigate(url)
    await session.click("a")
    assert str((await session.back()).url) == url
    await session.click("a")
    assert str((await session.click("button")).url) == url
    await firefox.close_session("history")
