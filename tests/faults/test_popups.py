"""Pages that open windows by themselves."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faults.survival import answered_within, goes_on, kinds, told
from tests.processes import marked
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.navigation import Navigate
from rove.actions.pointer import Click
from rove.actions.snapshot import Snapshot
from rove.engine.sessions import browser_supervisor
from rove.engine.sessions.sessions import Sessions
from rove.settings import Deadlines, Limits, Settings

MOST_TABS = 12


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser that opens windows on a busy machine is slow to answer, but not frozen."""
    monkeypatch.setattr(browser_supervisor, "HEARTBEAT_TIMEOUT", 10.0)


@pytest.fixture
async def roomy(home: Path) -> AsyncGenerator[Session]:
    """A browser of its own, with room for a dozen tabs."""
    settings = Settings(
        allow_host=OWN_SITES, home=home / "roomy", deadlines=Deadlines(launch=60), limits=Limits(tabs=MOST_TABS)
    )
    async with Sessions(settings) as sessions:
        yield Session(sessions, None)


async def tabs(session: Session) -> list[str]:
    return [tab.id for tab in (await session.tabs()).result.tabs]


async def test_09_a_thousand_popups_while_loading_are_a_handful_of_tabs(roomy: Session, site: Site, home: Path) -> None:
    site.page("/pop", "<p>Popped</p>")
    page = "<h1>Popping</h1><script>for (let i = 0; i < 1000; i++) window.open('/pop')</script><p>Rest</p>"
    with answered_within(30):
        outcome = await roomy.run(Navigate(site.page("/", page)), timeout=30)
    assert 'heading "Popping"' in outcome.changes.text
    assert kinds(outcome).count("new tab") == 5
    assert kinds(outcome).count("popup blocked") == 1
    assert "times" in told(outcome, "popup blocked")
    assert "script broken off" in kinds(outcome)
    assert len(site.asked("/pop")) < 200  # fifty, on a machine that does nothing else
    assert len(await tabs(roomy)) == 6
    assert len(marked(home / "roomy")) < 30
    await goes_on(roomy, site)


async def test_09_a_click_that_opens_a_thousand_fills_the_tabs_and_no_more(roomy: Session, site: Site) -> None:
    site.page("/pop", "<p>Popped</p>")
    page = "<button onclick=\"for (let i = 0; i < 1000; i++) window.open('/pop')\">Go</button><p>Rest</p>"
    await roomy.navigate(site.page("/", page))
    with answered_within(30):
        outcome = await roomy.run(Click("button"), timeout=30)
    assert kinds(outcome).count("popup blocked") == 1
    assert len(await tabs(roomy)) == MOST_TABS
    assert "Rest" in (await roomy.run(Snapshot(), timeout=5)).result.text
    await goes_on(roomy, site)


async def test_09_a_storm_in_a_frame_that_is_broken_off_takes_none_of_our_scripts_with_it(
    session: Session, site: Site
) -> None:
    site.page("/pop", "<p>Popped</p>")
    storm = "<script>for (let i = 0; i < 100; i++) open('/pop')</script>"
    with answered_within(15):
        outcome = await session.run(Navigate(site.page("/", f'<h1>Top</h1><iframe srcdoc="{storm}"></iframe>')))
    assert 'heading "Top"' in outcome.changes.text
    await goes_on(session, site)


@pytest.mark.parametrize("way", ["window.open('/pop')", "a.click()"])
async def test_09_a_steady_stream_of_popups_leaves_the_page_usable(session: Session, site: Site, way: str) -> None:
    site.page("/pop", "<p>Popped</p>")
    page = f"<h1>Dripping</h1><a id=a href=/pop target=_blank>x</a><script>setInterval(() => {way}, 10)</script>"
    await session.run(Navigate(site.page("/", page)), timeout=15)
    for _ in range(3):
        with answered_within(15):
            assert "Dripping" in (await session.run(Snapshot(), timeout=15)).result.text
    await goes_on(session, site)
    assert len(await tabs(session)) <= 4


async def test_10_a_popup_that_opens_again_when_it_is_closed_does_not_win(session: Session, site: Site) -> None:
    site.page("/pop", "<p>Popped</p>")
    page = """<h1>Clingy</h1><script>
      let popup = null; setInterval(() => { if (!popup || popup.closed) popup = window.open('/pop') }, 10)</script>"""
    await session.run(Navigate(site.page("/", page)), timeout=15)
    for _ in range(8):
        for tab in (await tabs(session))[1:]:
            with answered_within(15):
                await session.tabs("close", tab)
        with answered_within(15):
            assert "Clingy" in (await session.using(tab="t1").snapshot()).result.text
    await goes_on(session.using(tab="t1"), site)
    assert len(await tabs(session)) <= 4


async def test_10_a_popup_that_opens_another_as_it_goes_does_not_win(session: Session, site: Site) -> None:
    site.page("/pop", "<p>Popped</p><script>onpagehide = () => opener.open('/pop')</script>")
    await session.navigate(site.page("/", "<button onclick=\"window.open('/pop')\">Go</button>"))
    await session.click("button")
    for _ in range(4):
        for tab in (await tabs(session))[1:]:
            with answered_within(15):
                await session.tabs("close", tab)
    assert len(await tabs(session)) <= 4
    await goes_on(session.using(tab="t1"), site)
