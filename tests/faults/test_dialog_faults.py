"""Dialogs that block a page, floods of dialogs, and pages that print."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faults.recovery_checks import answered_within, assert_next_page_loads, event_kinds, event_text
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.input import Click, Dialog
from rove.actions.navigation import Navigate, Reload
from rove.actions.snapshot import Snapshot
from rove.engine.sessions import Sessions
from rove.errors import DialogOpen
from rove.outcome import AnyOutcome
from rove.settings.tree import Deadlines, Settings

pytestmark = pytest.mark.one_session

BEFOREUNLOAD = "<input id=i><script>onbeforeunload = (e) => { e.preventDefault(); return 'stay' }</script>"


async def test_04_an_alert_while_loading_is_reported_at_once(session: Session, site: Site) -> None:
    url = site.page("/", "<h1>Top</h1><script>alert('First')</script><p>Rest</p>")
    with answered_within(2):
        outcome = await session.run(Navigate(url), timeout=10)
    assert 'alert dialog "First"' in event_text(outcome, "dialog open")
    answered = await session.dialog(accept=True)
    assert "Rest" in answered.changes.text


async def test_04_navigating_away_dismisses_an_open_dialog(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Top</h1><script>alert('First')</script>"))
    with pytest.raises(DialogOpen):
        await session.snapshot()
    outcome = await assert_next_page_loads(session, site)
    assert 'alert dialog "First"' in event_text(outcome, "dialog dismissed")


async def test_04_reloading_dismisses_the_open_dialog_but_not_the_one_that_the_new_page_opens(
    session: Session, site: Site
) -> None:
    url = site.page("/", "<script>alert(document.cookie || 'first'); document.cookie = 'was=here'</script>")
    await session.navigate(url)
    outcome = await session.run(Reload(), timeout=5)
    assert event_kinds(outcome) == ["dialog dismissed", "dialog open"]
    assert (await session.dialog(accept=True)).result.kind == "alert"


async def blocked_by(session: Session) -> str:
    """Call until a dialog blocks the tab and return that error; the popup that opens it may still be loading."""
    while True:
        try:
            await session.snapshot()
        except DialogOpen as error:
            return error.message


@pytest.mark.own_session
async def test_04_a_dialog_of_a_popup_that_blocks_its_opener_is_reported_and_answered_in_the_opener(
    session: Session, site: Site
) -> None:
    site.page("/popup", "<script>alert('Up')</script><h1>Popup</h1>")
    await session.navigate(site.page("/", "<h1>Top</h1><button onclick=\"window.open('/popup')\">Open</button>"))
    with answered_within(2):
        await session.run(Click("button"), timeout=10)
        assert 'alert dialog "Up" of t2' in await blocked_by(session)
    assert (await session.dialog(accept=True)).result.message == "Up"
    assert "Top" in (await session.snapshot()).result.text
    assert "Popup" in (await session.using(tab="t2").snapshot()).result.text


@pytest.mark.own_session
async def test_06_of_two_dialogs_in_two_tabs_the_one_in_the_given_tab_is_answered(session: Session, site: Site) -> None:
    page = "<button onclick=\"this.textContent = prompt('Name?')\">Ask</button>"
    await session.navigate(site.page("/", page))
    await session.tabs(operation="new", url=site.url())
    for tab in ("t1", "t2"):
        await session.using(tab=tab).click("button")
    for tab in ("t1", "t2"):
        await session.dialog(accept=True, text=f"from {tab}", tab=tab)
    for tab in ("t1", "t2"):
        assert f"from {tab}" in (await session.using(tab=tab).snapshot()).result.text


LOOPS = {
    "in a frame": '<iframe srcdoc="<script>for (;;) alert(1)</script>"></iframe>',
    "of questions": "<script>for (let i = 0; i < 100000; i++) confirm(i)</script>",
}


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.own_session
async def test_05_a_page_that_opens_dialogs_in_a_loop_can_be_navigated_away_from(
    session: Session, site: Site, name: str
) -> None:
    outcome = await session.navigate(site.page("/", LOOPS[name]))
    assert "dialog open" in event_kinds(outcome)
    assert (await assert_next_page_loads(session, site)).tab == "t1"


async def answer_until_suppressed(session: Session) -> int:
    """Answer one dialog after the other, as an agent would; return how many were answered."""
    for answered in range(30):
        outcome = await snapshot_unless_blocked(session)
        if outcome is not None and "dialogs suppressed" in event_kinds(outcome):
            return answered
        if outcome is None:
            outcome = await session.run(Dialog(accept=True), timeout=5)
            if "dialogs suppressed" in event_kinds(outcome):
                return answered + 1
    raise AssertionError("the dialogs were never suppressed")


async def snapshot_unless_blocked(session: Session) -> AnyOutcome | None:
    """Take a snapshot; return None if a dialog blocks the tab."""
    try:
        return await session.run(Snapshot(), timeout=5)
    except DialogOpen:
        return None
    finally:
        await asyncio.sleep(0.02)  # a refused call sends nothing, so the events of the page would never be read


STORMS = {
    "timer": "setInterval(() => alert('storm'), 20)",
    "loop": "setTimeout(() => { for (;;) alert('storm') }, 20)",
    "chain": "const next = () => { alert('storm'); setTimeout(next) }; setTimeout(next)",
}


@pytest.mark.parametrize("name", STORMS)
async def test_05_a_storm_of_alerts_is_suppressed_after_a_few(session: Session, site: Site, name: str) -> None:
    url = site.page("/", f"<h1>Stormy</h1><script>onload = () => {{ {STORMS[name]} }}</script>")
    await session.run(Navigate(url), timeout=5)
    assert await answer_until_suppressed(session) <= 6
    for _ in range(3):
        with answered_within(20):
            seen = await session.run(Snapshot(), timeout=20)
        assert 'heading "Stormy"' in seen.result.text
        assert "dialog open" not in event_kinds(seen)
    await assert_next_page_loads(session, site)


async def test_05_a_page_with_a_storm_of_alerts_can_be_left_and_the_next_page_may_open_dialogs(
    session: Session, site: Site
) -> None:
    await session.run(Navigate(site.page("/", f"<script>{STORMS['timer']}</script>")), timeout=5)
    await assert_next_page_loads(session, site)
    await session.navigate(site.page("/polite", "<button onclick=\"alert('One')\">Go</button>"))
    outcome = await session.click("button")
    assert event_kinds(outcome) == ["dialog open"]
    await session.dialog(accept=True)


async def test_05_dialogs_that_clicks_open_are_never_suppressed(session: Session, site: Site) -> None:
    page = "<button onclick=\"o.textContent += confirm('Sure?') ? 'y' : 'n'\">Go</button><p id=o></p>"
    await session.navigate(site.page("/", page))
    for count in range(8):
        assert event_kinds(await session.click("button")) == ["dialog open"]
        await session.dialog(accept=count % 2 == 0)
    assert (await session.extract("#o")).result.content == ("ynynynyn",)


@pytest.fixture
async def short_dialogs(home: Path) -> AsyncGenerator[Session]:
    """A session that dismisses an unanswered dialog after 0.3 seconds."""
    deadlines = Deadlines(action=20, launch=60, dialog=0.3)
    async with Sessions(Settings(allow_host=OWN_SITES, home=home / "short_dialogs", deadlines=deadlines)) as sessions:
        yield Session(sessions, None)


async def test_06_an_unanswered_dialog_is_dismissed_and_reported(short_dialogs: Session, site: Site) -> None:
    page = "<button onclick=\"o.textContent = prompt('Name?')\">Go</button><p id=o>Nothing yet</p>"
    await short_dialogs.navigate(site.page("/", page))
    outcome = await short_dialogs.click("button")
    assert "Name?" in event_text(outcome, "dialog open")
    with answered_within(5):
        while (seen := await snapshot_unless_blocked(short_dialogs)) is None:
            pass
    dismissed = event_text(seen, "dialog dismissed")
    assert 'prompt dialog "Name?"' in dismissed and "0.3 s" in dismissed
    assert (await short_dialogs.extract("#o")).result.content == ("",)
    await assert_next_page_loads(short_dialogs, site)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_07_beforeunload_in_a_frame_does_not_stop_navigating_or_closing(
    session: Session, site: Site, host: str
) -> None:
    site.page("/trap", BEFOREUNLOAD)
    framed = site.page("/", f"<h1>Outer</h1><iframe src={site.url('/trap', host)}></iframe>")
    for leaving in ("navigate", "close"):
        await session.navigate(framed)
        await session.fill("#i", "unsaved")
        with answered_within(5):
            if leaving == "close":
                await session.tabs("close")
        await assert_next_page_loads(session, site)
    assert len((await session.tabs()).result.tabs) == 1


async def test_07_beforeunload_does_not_stop_a_session_from_closing(session: Session, site: Site) -> None:
    other = await session.another("trapped")
    await other.navigate(site.page("/trap", BEFOREUNLOAD))
    await other.fill("#i", "unsaved")
    with answered_within(5):
        await other.close_session()
    await assert_next_page_loads(session, site)


async def test_08_print_is_ignored_and_reported_once(session: Session, site: Site) -> None:
    page = """<h1>Paper</h1><script>print();
      onload = () => { for (let i = 0; i < 50; i++) print(); document.title = 'Through' }</script>"""
    with answered_within(5):
        outcome = await session.run(Navigate(site.page("/", page)), timeout=5)
    assert outcome.title == "Through"
    assert event_kinds(outcome) == ["print ignored"]
    await assert_next_page_loads(session, site)
