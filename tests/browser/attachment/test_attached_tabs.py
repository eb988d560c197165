"""Attaching to a browser that a person runs: its tabs and cookies."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.browser.attachment.tabs import eventually, listed, open_tab
from tests.person import Person
from tests.site import Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.errors import Denied, NotOpen
from rove.settings.tree import Settings

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow


async def test_the_persons_tab_is_listed_can_be_used_and_stays_open(
    person: Person, attached: Settings, mine: str
) -> None:
    async with Sessions(attached) as sessions:
        session = Session(sessions, None)
        assert await listed(session) == [("t1", mine)]
        assert 'heading "Mine"' in (await session.using(tab="t1").snapshot()).result.text
        assert '"Pressed"' in (await session.using(tab="t1").click('button "Press"')).changes.text
    assert person.tabs == [mine]
    async with Sessions(attached) as sessions:
        seen = await Session(sessions, None).using(tab="t1").snapshot()
    assert 'button "Pressed"' in seen.result.text, "the page was not reloaded"


async def test_a_call_that_names_no_tab_leaves_the_persons_tab_alone(
    session: Session, person: Person, site: Site, mine: str
) -> None:
    other = site.page("/other", "<h1>Other</h1>")
    assert (await session.navigate(other)).tab == "t2"
    assert person.tabs == sorted([mine, other])


async def test_tabs_and_popups_that_rove_opened_are_closed_at_the_end(
    attached: Settings, person: Person, site: Site, mine: str
) -> None:
    popup = site.page("/popup", "<h1>Popup</h1>")
    async with Sessions(attached) as sessions:
        session = Session(sessions, None)
        await session.navigate(site.page("/", "<button onclick=\"window.open('/popup')\">Open</button>"))
        clicked = await session.click("button")
        assert [event.kind for event in clicked.events] == ["new tab"]
        person.until_tabs_are(popup, site.url("/"), mine)
    person.until_tabs_are(mine)
    assert person.is_running


async def test_closing_the_session_closes_its_tabs_and_the_next_call_opens_it_again(
    session: Session, person: Person, site: Site, mine: str
) -> None:
    await session.navigate(site.page("/", "<h1>Hi</h1>"))
    await session.using(tab="t1").snapshot()
    await session.close_session()
    person.until_tabs_are(mine)
    assert 'heading "Mine"' in (await session.using(tab="t1").snapshot()).result.text


async def test_closing_a_tab_of_the_person_is_denied(session: Session, person: Person, mine: str) -> None:
    with pytest.raises(Denied):
        await session.tabs("close", tab="t1")
    assert person.tabs == [mine]


async def test_tabs_that_the_person_opens_and_closes_appear_and_disappear(
    session: Session, sessions: Sessions, person: Person, site: Site, mine: str
) -> None:
    assert await listed(session) == [("t1", mine)]
    assert await open_tab(session, person, site.page("/later", "<h1>Later</h1>")) == "t2"
    assert 'heading "Later"' in (await session.using(tab="t2").snapshot()).result.text
    await asyncio.to_thread(person.close, site.url("/later"))
    await eventually(lambda: len(sessions.sessions()[0]["tabs"]) == 1)
    assert await listed(session) == [("t1", mine)]
    with pytest.raises(NotOpen):
        await session.using(tab="t2").snapshot()


async def test_a_tab_with_a_file_url_is_not_listed(session: Session, person: Person, tmp_path: Path, mine: str) -> None:
    (tmp_path / "diary.html").write_text("<h1>Dear diary</h1>")
    await asyncio.to_thread(person.open, (tmp_path / "diary.html").as_uri())
    assert await listed(session) == [("t1", mine)]
    with pytest.raises(NotOpen):
        await session.using(tab="t2").snapshot()


async def test_frames_that_were_loaded_before_rove_attached_can_be_used(
    session: Session, person: Person, site: Site
) -> None:
    site.page("/inner", "<button onclick=\"this.textContent = 'Yes'\">In</button>")
    other = site.url("/inner", "localhost")
    outer = site.page("/outer", f'<iframe src="/inner"></iframe><iframe src="{other}"></iframe>')
    framed = session.using(tab=await open_tab(session, person, outer))
    await framed.wait(text="In")
    assert (await framed.snapshot()).result.text.count('button "In"') == 2
    assert '"Yes"' in (await framed.click("f1e1")).changes.text


async def test_password_fields_of_a_page_loaded_before_rove_attached_are_guarded(
    session: Session, person: Person, site: Site
) -> None:
    page = site.page("/login", "<label>Password <input type=password></label>")
    login = session.using(tab=await open_tab(session, person, page))
    for typing in (login.fill("input", "hunter2"), login.type("hunter2", "input")):
        with pytest.raises(Denied):
            await typing
    assert (await login.evaluate("document.querySelector('input').value")).result.value == ""


async def test_a_download_is_reported_and_left_to_the_browser(session: Session, site: Site, attached: Settings) -> None:
    site.page("/file.bin", "abc", kind="application/octet-stream", headers={"Content-Disposition": "attachment"})
    await session.navigate(site.page("/", '<a href="/file.bin">File</a>'))
    kinds = [event.kind for event in (await session.click("a")).events]
    async with asyncio.timeout(30):
        while not any(kind.startswith("download") for kind in kinds):
            kinds += [event.kind for event in (await session.snapshot()).events]
    assert not (attached.workspace_folder / "downloads").exists()


async def test_the_default_session_has_the_persons_cookies_and_a_named_session_has_none(
    session: Session, site: Site
) -> None:
    echo = site.page("/echo", "<h1>Echo</h1>")
    await session.navigate(echo)
    await (await session.another("beside")).navigate(echo)
    assert [request.headers.get("Cookie") for request in site.asked("/echo")] == ["who=person", None]
