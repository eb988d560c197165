"""Pages, frames and GPU processes that crash."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.chromium_internals import chromium_tab
from tests.faults.recovery_checks import (
    answered_within,
    assert_next_page_loads,
    browser_with,
    event_kinds,
    event_text,
    eventually,
)
from tests.processes import helpers
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.console import Evaluate
from rove.actions.navigation import Navigate
from rove.actions.screenshot import Screenshot
from rove.actions.snapshot import Snapshot
from rove.actions.wait import Wait
from rove.browser.chromium.install import ensure
from rove.engine.sessions import Sessions
from rove.errors import DeadlineExceeded, PageCrashed
from rove.settings.tree import Deadlines, Settings

# Enough for a small page, and soon exhausted by one that allocates without end.
SMALL_HEAP = "--js-flags=--max-old-space-size=64"


@pytest.fixture(scope="module")
async def crashing(home: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Sessions]:
    """Sessions with a browser of their own, whose pages have little memory."""
    browser = browser_with(tmp_path_factory.mktemp("browser"), ensure(Settings(), False, print).path, SMALL_HEAP)
    settings = Settings(allow_host=OWN_SITES, home=home / "crashing", browser=browser, deadlines=Deadlines(launch=60))
    async with Sessions(settings) as sessions:
        yield sessions


@pytest.fixture
async def own(crashing: Sessions) -> AsyncGenerator[Session]:
    name = await crashing.open_session("own")
    yield Session(crashing, name)
    for known in crashing.sessions():
        await crashing.close_session(known["session"])


async def test_31_a_page_that_runs_out_of_memory_is_reported_as_crashed(own: Session, site: Site) -> None:
    await own.navigate(site.page("/", "<h1>Greedy</h1>"))
    with answered_within(20), pytest.raises(PageCrashed) as caught:
        await own.run(Evaluate("let all = []; for (;;) all.push(new Array(4e6).fill(1.5))"), timeout=20)
    assert site.url("/") in caught.value.message
    outcome = await own.run(Snapshot(), timeout=5)
    assert "crashed" in event_text(outcome, "tab reset")
    assert outcome.tab == "t1"
    await assert_next_page_loads(own, site)


async def test_31_a_page_that_crashes_while_it_loads_is_reported_at_once(own: Session, site: Site) -> None:
    page = "<h1>Greedy</h1><script>let all = []; for (;;) all.push(new Array(4e6).fill(1.5))</script>"
    with answered_within(20), pytest.raises(PageCrashed):
        await own.run(Navigate(site.page("/", page)), timeout=20)
    await assert_next_page_loads(own, site)


async def test_31_a_page_whose_process_is_killed_during_a_call_is_reported_at_once(
    own: Session, site: Site, home: Path
) -> None:
    await own.navigate(site.page("/", "<h1>Here</h1>"))
    beside = await own.another("beside")
    waiting = asyncio.ensure_future(own.run(Wait(text="Never"), timeout=20))
    context = await own._engine.context(lambda _: None)
    await eventually(lambda: context.current is not None and context.current.lock.locked())
    for pid in helpers(home / "crashing", "renderer"):
        os.kill(pid, signal.SIGKILL)
    with answered_within(2), pytest.raises(PageCrashed):
        await waiting
    await assert_next_page_loads(own, site)
    await assert_next_page_loads(beside, site)


async def test_31_a_page_that_crashed_between_calls_is_reset_by_the_next_call(
    own: Session, site: Site, home: Path
) -> None:
    await own.navigate(site.page("/", "<h1>Here</h1>"))
    context = await own._engine.context(lambda _: None)
    for pid in helpers(home / "crashing", "renderer"):
        os.kill(pid, signal.SIGKILL)
    await eventually(lambda: context.current is not None and chromium_tab(context.current).page.is_crashed)
    outcome = await assert_next_page_loads(own, site)
    assert event_kinds(outcome) == ["tab reset"]
    assert site.url("/") in event_text(outcome, "tab reset")


async def test_31_a_frame_that_crashes_leaves_the_page_usable(own: Session, site: Site) -> None:
    site.page("/inner", "<p>Inner</p>")
    outer = f"<h1>Outer</h1><iframe src={site.url('/inner', 'localhost')}></iframe>"
    outcome = await own.run(Navigate(site.page("/", outer)), timeout=10)
    assert "Inner" in outcome.changes.text
    context = await own._engine.context(lambda _: None)
    (cdp,) = chromium_tab(context.current).page.worlds.cdp_sessions
    dying = asyncio.ensure_future(cdp.send("Page.crash"))
    try:
        with answered_within(5):
            seen = await own.run(Snapshot(), timeout=5)
        assert 'heading "Outer"' in seen.result.text
    finally:
        dying.cancel()
        await asyncio.gather(dying, return_exceptions=True)
    await assert_next_page_loads(own, site)


@pytest.mark.slow
async def test_32_a_gpu_process_that_dies_is_replaced(own: Session, site: Site, home: Path) -> None:
    await own.navigate(site.page("/", "<h1>Painted</h1><canvas id=c></canvas>"))
    await own.run(Screenshot(), timeout=10)
    pids = helpers(home / "crashing", "gpu-process")
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    with answered_within(15):
        picture = None
        while picture is None:
            try:
                picture = await own.run(Screenshot(), timeout=5)
            except DeadlineExceeded:
                continue
    assert picture.attachments[0].data.startswith(b"\x89PNG")
    assert "Painted" in (await own.run(Snapshot(), timeout=5)).result.text
    await assert_next_page_loads(own, site)


@pytest.mark.slow
async def test_31_a_page_that_takes_memory_outside_its_heap_is_answered(own: Session, site: Site) -> None:
    page = """<h1>Greedy</h1><script>const all = [];
      setInterval(() => { if (all.length < 40) all.push(new Uint8Array(25e6).fill(1)) }, 1)</script>"""
    await own.run(Navigate(site.page("/", page)), timeout=20)
    for _ in range(5):
        with answered_within(10):
            try:
                await own.run(Snapshot(), timeout=10)
            except (PageCrashed, DeadlineExceeded):
                continue
    await assert_next_page_loads(own, site)
