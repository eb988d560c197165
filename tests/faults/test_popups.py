"""Pages that open many popups."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faults.recovery_checks import answered_within, assert_next_page_loads, event_kinds, event_text
from tests.processes import marked
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.input import Click
from rove.actions.navigation import Navigate
from rove.actions.snapshot import Snapshot
from rove.engine import browsers
from rove.engine.sessions import Sessions
from rove.settings.tree import Deadlines, Limits, Settings

MOST_TABS = 12


@pytest.fixture(autouse=True)
def _longer_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser that opens windows on a busy machine answers late, and must not count as hung."""
    monkeypatch.setattr(browsers, "HEARTBEAT_TIMEOUT", 10.0)


@pytest.fixture
async def many_tabs(home: Path) -> AsyncGenerator[Session]:
    """A session with a browser of its own and a limit of twelve tabs."""
    settings = Settings(
        allow_host=OWN_SITES, home=home / "many_tabs", deadlines=Deadlines(launch=60), limits=Limits(tabs=MOST_TABS)
    )
    async with Sessions(settings) as sessions:
        yield Session(sessions, None)


async def tabs(session: Session) -> list[str]:
    return [tab.id for tab in (await session.tabs()).result.tabs]


@pytest.mark.slow
async def test_09_of_a_thousand_popups_while_loading_five_become_tabs(
    many_tabs: Session, site: Site, home: Path
) -> None:
    site.page("/pop", "<p>Popped</p>")
    page = "<h1>Popping</h1><script>for (let i = 0; i < 1000; i++) window.open('/pop')</script><p>Rest</p>"
    with answered_within(30):
        outcome = await many_tabs.run(Navigate(site.page("/", page)), timeout=30)
    assert 'heading "Popping"' in outcome.changes.text
    assert event_kinds(outcome).count("new tab") == 5
    assert event_kinds(outcome).count("popup blocked") == 1
    assert "times" in event_text(outcome, "popup blocked")
    assert "script broken off" in event_kinds(outcome)
    assert len(site.asked("/pop")) < 200  # fifty on an idle machine
    assert len(await tabs(many_tabs)) == 6
    assert len(marked(home / "many_tabs")) < 30
    await assert_next_page_loads(many_tabs, site)


async def test_09_a_click_that_opens_a_thousand_popups_stops_at_the_tab_limit(many_tabs: Session, site: Site) -> None:
    site.page("/pop", "<p>Popped</p>")
    page = "<button onclick=\"for (let i = 0; i < 1000; i++) window.open('/pop')\">Go</button><p>Rest</p>"
    await many_tabs.navigate(site.page("/", page))
    with answered_within(30):
        outcome = await many_tabs.run(Click("button"), timeout=30)
    assert event_kinds(outcome).count("popup blocked") == 1
    assert len(await tabs(many_tabs)) == MOST_TABS
    assert "Rest" in (await many_tabs.run(Snapshot(), timeout=5)).result.text
    await assert_next_page_loads(many_tabs, site)


async def test_09_terminating_a_popup_storm_in_a_frame_leaves_the_page_readable(session: Session, site: Site) -> None:
    site.page("/pop", "<p>Popped</p>")
    storm = "<script>for (let i = 0; i < 100; i++) open('/pop')</script>"
    with answered_within(15):
        outcome = await session.run(Navigate(site.page("/", f'<h1>Top</h1><iframe srcdoc="{storm}"></iframe>')))
    assert 'heading "Top"' in outcome.changes.text
    await assert_next_page_loads(session, site)


@pytest.mark.parametrize("way", ["window.open('/pop')", pytest.param("a.click()", marks=pytest.mark.slow)])
async def test_09_a_steady_stream_of_popups_leaves_the_page_usable(session: Session, site: Site, way: str) -> None:
    site.page("/pop", "<p>Popped</p>")
    page = f"<h1>Dripping</h1><a id=a href=/pop target=_blank>x</a><script>setInterval(() => {way}, 10)</script>"
    await session.run(Navigate(site.page("/", page)), timeout=15)
    for _ in range(3):
        with answered_within(15):
            assert "Dripping" in (await session.run(Snapshot(), timeout=15)).result.text
    await assert_next_page_loads(session, site)
    assert len(await tabs(session)) <= 4


@pytest.mark.slow
async def test_10_a_popup_that_is_reopened_when_closed_stays_within_the_limit(session: Session, site: Site) -> None:
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
    await assert_next_page_loads(session.using(tab="t1"), site)
    assert len(await tabs(session)) <= 4


async def test_10_a_popup_that_opens_another_when_closed_stays_within_the_limit(session: Session, site: Site) -> None:
    site.page("/pop", "<p>Popped</p><script>onpagehide = () => opener.open('/pop')</script>")
    await session.navigate(site.page("/", "<button onclick=\"window.open('/pop')\">Go</button>"))
    await session.click("button")
    for _ in range(4):
        for tab in (await tabs(session))[1:]:
            with answered_within(15):
                await session.tabs("close", tab)
    assert len(await tabs(session)) <= 4
    await assert_next_page_loads(session.using(tab="t1"), site)
