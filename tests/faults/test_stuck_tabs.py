"""Calls on a tab that did not answer the call before, and calls with hardly any time."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.snapshot import Snapshot
from rove.actions.wait import Wait
from rove.browser.chromium import context
from rove.browser.shared.watchdog import processes_of
from rove.engine.sessions import Sessions
from rove.errors import DeadlineExceeded, RoveError
from rove.settings.tree import Deadlines, Settings

BUSY = """<h1>Busy</h1><script>setTimeout(() => {
  const end = Date.now() + DURATION; while (Date.now() < end); }, 300)</script>"""


async def make_stuck(session: Session, site: Site, milliseconds: int) -> None:
    await session.using(quiet=True).navigate(site.page("/", BUSY.replace("DURATION", str(milliseconds))))
    with pytest.raises(DeadlineExceeded):
        await session.run(Wait(text="Never"), timeout=2)


async def test_a_tab_that_is_known_to_be_stuck_is_not_waited_for_again(session: Session, site: Site) -> None:
    await make_stuck(session, site, 60_000)
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded) as caught:
        await session.run(Snapshot(), timeout=25)
    assert time.monotonic() - began < 12
    assert "still busy" in caught.value.message
    assert "Busy again" in (await session.navigate(site.page("/next", "<h1>Busy again</h1>"))).changes.text


@pytest.mark.slow  # waits for a page that is busy
async def test_a_stuck_tab_that_recovers_answers_again(session: Session, site: Site) -> None:
    await make_stuck(session, site, 5_000)
    await session.run(Wait(seconds=8), timeout=20)
    assert "Busy" in (await session.snapshot()).result.text


async def test_a_call_with_hardly_any_time_does_not_call_the_page_busy(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Quiet</h1>"))
    with pytest.raises(DeadlineExceeded) as caught:
        await session.run(Wait(text="Never"), timeout=0.01)
    assert "busy" not in caught.value.message


@pytest.mark.engines("chromium", reason="its driver asks a second time for a page that does not come")
async def test_a_page_that_comes_after_its_caller_has_asked_again_is_closed(
    session: Session, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = site.page("/", "<h1>One</h1>")
    await session.navigate(address)
    monkeypatch.setattr(context, "OPEN_TIMEOUT", 0)
    assert (await session.tabs("new", url=address)).result.tabs[-1].url == address
    async with asyncio.timeout(30):
        while len(tabs := (await session.tabs("list")).result.tabs) > 2:
            await session.wait(seconds=0.1)
    assert [tab.url for tab in tabs] == [address, address]


async def test_closing_while_a_browser_starts_leaves_no_process(home: Path, site: Site) -> None:
    settings = Settings(allow_host=OWN_SITES, home=home / "closing", deadlines=Deadlines(launch=60))
    sessions = Sessions(settings)
    session = Session(sessions, None)
    opening = asyncio.ensure_future(session.navigate(site.page("/", "<h1>Here</h1>")))
    async with asyncio.timeout(30):
        while not (folders := [*(home / "closing" / "run").glob("*")]):
            await asyncio.sleep(0.001)
        await sessions.close()
        with pytest.raises(RoveError):
            await opening
    assert sessions._browsers.shared.current is None
    assert [pid for folder in folders for pid in processes_of(folder)] == []
