"""Dialogs that would hold an agent up, and pages that would print."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faults.survival import answered_within, goes_on, kinds, told
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.dialogs import Dialog
from rove.actions.navigation import Navigate, Reload
from rove.actions.pointer import Click
from rove.actions.snapshot import Snapshot
from rove.engine.sessions.sessions import Sessions
from rove.errors import DialogOpen
from rove.outcome import AnyOutcome
from rove.settings import Deadlines, Settings

TRAP = "<input id=i><script>onbeforeunload = (e) => { e.preventDefault(); return 'stay' }</script>"


async def test_04_an_alert_while_loading_is_told_at_once(session: Session, site: Site) -> None:
    url = site.page("/", "<h1>Top</h1><script>alert('First')</script><p>Rest</p>")
    with answered_within(2):
        outcome = await session.run(Navigate(url), timeout=10)
    assert 'alert dialog "First"' in told(outcome, "dialog open")
    answered = await session.dialog(accept=True)
    assert "Rest" in answered.changes.text


async def test_04_a_page_with_an_open_dialog_can_simply_be_left(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Top</h1><script>alert('First')</script>"))
    with pytest.raises(DialogOpen):
        await session.snapshot()
    outcome = await goes_on(session, site)
    assert 'alert dialog "First"' in told(outcome, "dialog dismissed")


async def test_04_a_dialog_of_the_next_page_is_not_dismissed_with_the_last(session: Session, site: Site) -> None:
    url = site.page("/", "<script>alert(document.cookie || 'first'); document.cookie = 'was=here'</script>")
    await session.navigate(url)
    outcome = await session.run(Reload(), timeout=5)
    assert kinds(outcome) == ["dialog dismissed", "dialog open"]
    assert (await session.dialog(accept=True)).result.kind == "alert"


async def blocked_by(session: Session) -> str:
    """What a call is told that comes while a dialog is open; the popup that opens it may still be loading."""
    while True:
        try:
            await session.snapshot()
        except DialogOpen as error:
            return error.message


async def test_04_a_dialog_of_a_popup_that_stops_its_opener_too_is_told_and_answered_from_there(
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


async def test_06_of_two_dialogs_in_two_tabs_the_one_that_is_named_is_answered(session: Session, site: Site) -> None:
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
async def test_05_a_loop_of_dialogs_can_be_left_with_one_of_them_open(session: Session, site: Site, name: str) -> None:
    outcome = await session.navigate(site.page("/", LOOPS[name]))
    assert "dialog open" in kinds(outcome)
    assert (await goes_on(session, site)).tab == "t1"


async def answer_until_quiet(session: Session) -> int:
    """Answer one dialog after the other, as an agent would; returns how many that took."""
    for answered in range(30):
        outcome = await until_free(session)
        if outcome is not None and "dialogs suppressed" in kinds(outcome):
            return answered
        if outcome is None:
            outcome = await session.run(Dialog(accept=True), timeout=5)
            if "dialogs suppressed" in kinds(outcome):
                return answered + 1
    raise AssertionError("the storm never ended")


async def until_free(session: Session) -> AnyOutcome | None:
    """Look at the page; None if a dialog is in the way."""
    try:
        return await session.run(Snapshot(), timeout=5)
    except DialogOpen:
        return None
    finally:
        await asyncio.sleep(0.02)  # refused calls ask nobody, and so let nothing else run


STORMS = {
    "timer": "setInterval(() => alert('storm'), 20)",
    "loop": "setTimeout(() => { for (;;) alert('storm') }, 20)",
    "chain": "const next = () => { alert('storm'); setTimeout(next) }; setTimeout(next)",
}


@pytest.mark.parametrize("name", STORMS)
async def test_05_a_storm_of_alerts_is_suppressed_after_a_few(session: Session, site: Site, name: str) -> None:
    url = site.page("/", f"<h1>Stormy</h1><script>onload = () => {{ {STORMS[name]} }}</script>")
    await session.run(Navigate(url), timeout=5)
    assert await answer_until_quiet(session) <= 6
    for _ in range(3):
        with answered_within(5):
            seen = await session.run(Snapshot(), timeout=5)
        assert 'heading "Stormy"' in seen.result.text
        assert "dialog open" not in kinds(seen)
    await goes_on(session, site)


async def test_05_a_storm_can_be_left_at_once_and_the_next_page_may_ask_again(session: Session, site: Site) -> None:
    await session.run(Navigate(site.page("/", f"<script>{STORMS['timer']}</script>")), timeout=5)
    await goes_on(session, site)
    await session.navigate(site.page("/polite", "<button onclick=\"alert('One')\">Go</button>"))
    outcome = await session.click("button")
    assert kinds(outcome) == ["dialog open"]
    await session.dialog(accept=True)


async def test_05_questions_that_clicks_lead_to_are_all_asked(session: Session, site: Site) -> None:
    page = "<button onclick=\"o.textContent += confirm('Sure?') ? 'y' : 'n'\">Go</button><p id=o></p>"
    await session.navigate(site.page("/", page))
    for count in range(8):
        assert kinds(await session.click("button")) == ["dialog open"]
        await session.dialog(accept=count % 2 == 0)
    assert (await session.extract("#o")).result.content == ("ynynynyn",)


@pytest.fixture
async def hasty(home: Path) -> AsyncGenerator[Session]:
    """A browser that dismisses a dialog soon if nobody answers it."""
    deadlines = Deadlines(action=20, launch=60, dialog=0.3)
    async with Sessions(Settings(allow_host=OWN_SITES, home=home / "hasty", deadlines=deadlines)) as sessions:
        yield Session(sessions, None)


async def test_06_a_question_that_nobody_answers_is_dismissed_and_told(hasty: Session, site: Site) -> None:
    page = "<button onclick=\"o.textContent = prompt('Name?')\">Go</button><p id=o>Nothing yet</p>"
    await hasty.navigate(site.page("/", page))
    outcome = await hasty.click("button")
    assert "Name?" in told(outcome, "dialog open")
    with answered_within(5):
        while (seen := await until_free(hasty)) is None:
            pass
    dismissed = told(seen, "dialog dismissed")
    assert 'prompt dialog "Name?"' in dismissed and "0.3 s" in dismissed
    assert (await hasty.extract("#o")).result.content == ("",)
    await goes_on(hasty, site)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_07_a_frame_that_asks_to_stay_holds_nobody(session: Session, site: Site, host: str) -> None:
    site.page("/trap", TRAP)
    framed = site.page("/", f"<h1>Outer</h1><iframe src={site.url('/trap', host)}></iframe>")
    for leaving in ("navigate", "close"):
        await session.navigate(framed)
        await session.fill("#i", "unsaved")
        with answered_within(5):
            if leaving == "close":
                await session.tabs("close")
        await goes_on(session, site)
    assert len((await session.tabs()).result.tabs) == 1


async def test_07_a_page_that_asks_to_stay_lets_its_session_close(session: Session, site: Site) -> None:
    other = await session.another("trapped")
    await other.navigate(site.page("/trap", TRAP))
    await other.fill("#i", "unsaved")
    with answered_within(5):
        await other.close_session()
    await goes_on(session, site)


async def test_08_printing_is_ignored_and_told_once(session: Session, site: Site) -> None:
    page = """<h1>Paper</h1><script>print();
      onload = () => { for (let i = 0; i < 50; i++) print(); document.title = 'Through' }</script>"""
    with answered_within(5):
        outcome = await session.run(Navigate(site.page("/", page)), timeout=5)
    assert outcome.title == "Through"
    assert kinds(outcome) == ["print ignored"]
    await goes_on(session, site)
