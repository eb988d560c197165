"""Pages that empty their document or flood the console, and a browser that is killed."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest
from tests.processes import browser_of, marked
from tests.site import OWN_SITES, Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.errors import RoveError
from rove.settings.tree import Settings


@pytest.mark.slow
async def test_a_page_that_empties_its_document_has_a_snapshot(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", '<button onclick="document.open()">Go</button>'))
    await session.click("button")
    assert (await session.evaluate("1")).result.value == 1


async def test_a_page_that_removes_its_body_has_a_snapshot(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", '<button onclick="document.body.remove()">Go</button>'))
    await session.click("button")
    assert (await session.snapshot()).result.tokens >= 0


async def test_a_call_on_a_page_that_floods_the_console_is_answered(session: Session, site: Site) -> None:
    page = "<h1>Loud</h1><script>for (let i = 0; i < 2000; i++) console.error('noise ' + i)</script>"
    outcome = await session.navigate(site.page("/", page))
    assert "Loud" in outcome.changes.text
    assert len(outcome.events) <= 200


@pytest.mark.slow
async def test_a_page_with_a_hundred_thousand_elements_is_cut_to_the_budget(session: Session, site: Site) -> None:
    page = "<script>document.write('<p>word word word</p>'.repeat(20000))</script>"
    outcome = await session.navigate(site.page("/", page))
    assert outcome.changes.tokens <= 4500


@pytest.mark.slow
async def test_a_browser_that_is_killed_is_replaced_at_the_next_call(home: Path, site: Site) -> None:
    url = site.page("/", "<title>Back</title><p>Text</p>")
    own = home / "killed"
    async with Sessions(Settings(allow_host=OWN_SITES, home=own)) as sessions:
        session = Session(sessions, None)
        await session.navigate(url)
        os.kill(browser_of(own), signal.SIGKILL)
        async with asyncio.timeout(30):
            while True:
                try:
                    outcome = await session.navigate(url)
                    break
                except RoveError:
                    continue
        assert "Back" in str(outcome.title)
    assert marked(own) == []


async def test_a_call_under_way_when_the_browser_dies_says_so(home: Path, site: Site) -> None:
    own = home / "dying"
    async with Sessions(Settings(allow_host=OWN_SITES, home=own)) as sessions:
        session = Session(sessions, None)
        await session.navigate(site.page("/", "<p>Text</p>"))
        waiting = asyncio.ensure_future(session.wait(text="Never"))
        os.kill(browser_of(own), signal.SIGKILL)
        with pytest.raises(RoveError) as caught:
            await asyncio.wait_for(waiting, 30)
        assert caught.value.code == "browser_unavailable"
