"""Redirect loops, pages that keep navigating, and links to other programs."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from pathlib import Path

import pytest
from tests.faults.recovery_checks import answered_within, assert_next_page_loads, event_kinds, event_text
from tests.faults.servers import HTML, read_head, serving, wait_for_close
from tests.processes import pages_of
from tests.site import Site

from rove import Session
from rove.actions.input import Click
from rove.actions.navigation import Navigate
from rove.actions.snapshot import Snapshot
from rove.browser.shared.navigation import UNLOAD_TIMEOUT
from rove.browser.shared.tab import Tab
from rove.engine import observation
from rove.engine.settle import StartState, Unfinished, settle
from rove.errors import DeadlineExceeded, Denied, NavigationFailed

pytestmark = pytest.mark.one_session

# How long a distant server takes to answer.
ROUND_TRIP = 0.1
LOOPS = {
    "meta_refresh": "<meta http-equiv=refresh content=0><h1>Turning</h1>",
    "reload": "<h1>Turning</h1><script>location.reload()</script>",
    "elsewhere": "<h1>Turning</h1><script>location.href = '/loop?' + Math.random()</script>",
    "replace": "<h1>Turning</h1><script>setTimeout(() => location.replace('/loop?' + Math.random()))</script>",
}


async def test_11_a_redirect_loop_is_reported_with_its_hops(session: Session, site: Site) -> None:
    one = site.page("/one", "", status=302, headers={"Location": "/two"})
    two = site.page("/two", "", status=307, headers={"Location": "/one"})
    with answered_within(5), pytest.raises(NavigationFailed) as caught:
        await session.run(Navigate(one), timeout=5)
    assert caught.value.message.startswith("net::ERR_TOO_MANY_REDIRECTS: Redirected ")
    assert f"{one} -> {two} -> {one}" in caught.value.message
    assert len(caught.value.message) < 2000
    await assert_next_page_loads(session, site)


async def test_a_page_is_requested_once_though_the_page_before_it_does_not_answer(
    session: Session, site: Site, home: Path
) -> None:
    await session.navigate(site.page("/before", "<h1>Before</h1>"))
    hold, stopped = threading.Event(), pages_of(home)
    next_page = site.page("/next", "<h1>Next</h1>", hold=hold)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        going = asyncio.ensure_future(session.run(Navigate(next_page)))
        await asyncio.wait({going}, timeout=UNLOAD_TIMEOUT * 3)
        assert len(site.asked("/next")) == 1
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        hold.set()
    assert "Next" in (await going).changes.text
    assert len(site.asked("/next")) == 1


async def test_11_a_chain_of_redirects_that_ends_is_followed(session: Session, site: Site) -> None:
    for hop in range(15):
        site.page(f"/{hop}", "", status=302, headers={"Location": f"/{hop + 1}"})
    end = site.page("/15", "<h1>End</h1>")
    assert (await session.navigate(site.url("/0"))).result.url == end


@pytest.mark.parametrize("name", LOOPS)
async def test_12_a_page_that_keeps_navigating_is_stopped_and_shown(session: Session, site: Site, name: str) -> None:
    url = site.page("/loop", LOOPS[name])
    with answered_within(5):
        outcome = await session.run(Navigate(url), timeout=5)
    assert 'heading "Turning"' in outcome.changes.text
    assert any("keeps navigating" in what for what in outcome.pending)
    again = await session.run(Snapshot(), timeout=5)
    assert 'heading "Turning"' in again.result.text
    assert any("keeps navigating" in what for what in again.pending)
    after = await assert_next_page_loads(session, site)
    assert "kept navigating" in event_text(after, "tab reset")
    assert after.tab == outcome.tab


async def test_12_a_page_that_keeps_navigating_is_shown_while_its_next_document_loads(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        await asyncio.wait({asyncio.ensure_future(wait_for_close(reader))}, timeout=ROUND_TRIP)
        body = LOOPS["reload"].encode()
        writer.write(HTML + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        await writer.drain()

    async def until_awaited(tab: Tab, start: StartState, read_rows: bool) -> Unfinished:
        unfinished = await settle(tab, start, read_rows)
        async with asyncio.timeout(20):
            while not tab.page.awaited_server:
                await asyncio.sleep(0)
        return unfinished

    monkeypatch.setattr(observation, "settle", until_awaited)
    async with serving(answer) as place:
        outcome = await session.run(Navigate(f"http://{place}/"), timeout=20)
    assert 'heading "Turning"' in outcome.changes.text
    assert any("keeps navigating" in what for what in outcome.pending)


async def test_12_a_closed_page_that_kept_navigating_sends_no_more_requests(session: Session, site: Site) -> None:
    for name in ("reload", "elsewhere"):
        await session.run(Navigate(site.page("/loop", LOOPS[name])), timeout=5)
    with answered_within(5):
        await session.tabs("close")
    await assert_next_page_loads(session, site)
    asked = len(site.asked("/loop"))
    await session.run(Snapshot(), timeout=5)
    await assert_next_page_loads(session, site)
    assert len(site.asked("/loop")) == asked


async def test_12_a_page_that_navigates_a_few_times_is_followed_to_the_end(session: Session, site: Site) -> None:
    for step in range(5):
        site.page(f"/{step}", f"<script>location.href = '/{step + 1}'</script>")
    site.page("/5", "<h1>Arrived</h1>")
    outcome = await session.run(Navigate(site.url("/0")), timeout=10)
    assert 'heading "Arrived"' in outcome.changes.text
    assert outcome.pending == ()


async def test_13_a_flood_of_history_entries_delays_no_call(session: Session, site: Site) -> None:
    page = """<h1>Flood</h1><button>Go</button><script>let i = 0;
      setInterval(() => { for (let k = 0; k < 500; k++) history.pushState({}, '', '/p' + i++) }, 5)</script>"""
    other = await session.another("beside")
    with answered_within(5):
        assert "Flood" in (await session.run(Navigate(site.page("/", page)), timeout=5)).changes.text
        await session.run(Click("button"), timeout=5)
    await assert_next_page_loads(other, site)
    await assert_next_page_loads(session, site)
    history = await session.evaluate("history.length")
    assert history.result.value <= 50


# 49: other programs


@pytest.mark.parametrize(
    "address",
    [
        "mailto:a@b.example",
        "intent://x#Intent;end",
        *(pytest.param(address, marks=pytest.mark.slow) for address in ("zoommtg://x", "tel:1")),
    ],
)
async def test_49_a_link_to_another_program_is_refused_and_the_page_stays(
    session: Session, site: Site, address: str
) -> None:
    url = site.page("/", f"<h1>Here</h1><a href='{address}'>Same</a> <a target=_blank href='{address}'>New</a>")
    await session.navigate(url)
    for link in ("Same", "New"):
        with answered_within(5):
            outcome = await session.run(Click(f'link "{link}"'), timeout=5)
        assert event_kinds(outcome) == ["address refused"]
        assert event_text(outcome, "address refused").startswith(address)
        assert (outcome.url, outcome.pending) == (url, ())
    assert len((await session.tabs()).result.tabs) == 1
    await assert_next_page_loads(session, site)


async def test_49_a_page_that_opens_another_program_by_itself_is_still_read(session: Session, site: Site) -> None:
    page = "<h1>Here</h1><script>location.href = 'mailto:a@b.example'</script><iframe src=custom:x></iframe>"
    with answered_within(5):
        outcome = await session.run(Navigate(site.page("/", page)), timeout=5)
    assert 'heading "Here"' in outcome.changes.text
    assert "address refused" in event_kinds(outcome)
    await assert_next_page_loads(session, site)


async def test_14_a_navigation_that_timed_out_does_not_replace_the_page_later(session: Session, site: Site) -> None:
    hold = threading.Event()
    late = site.page("/late", "<h1>Late</h1>", hold=hold)
    await session.navigate(site.page("/", "<h1>Here</h1>"))
    with pytest.raises(DeadlineExceeded):
        await session.run(Navigate(late), timeout=0.5)
    hold.set()
    assert "Here" in (await session.snapshot()).result.text


async def test_12_closing_a_session_stops_the_requests_of_its_page(session: Session, site: Site) -> None:
    other = await session.another("looping")
    await other.run(Navigate(site.page("/loop", LOOPS["reload"])), timeout=5)
    await other.press("a")  # an action lets the page navigate again
    with answered_within(5):
        await other.close_session()
    await assert_next_page_loads(session, site)
    asked = len(site.asked("/loop"))
    await assert_next_page_loads(session, site)
    await assert_next_page_loads(session, site)
    assert len(site.asked("/loop")) == asked


async def test_12_a_denied_navigation_leaves_a_page_that_kept_navigating_as_it_was(
    session: Session, site: Site
) -> None:
    await session.run(Navigate(site.page("/loop", LOOPS["reload"])), timeout=5)
    with pytest.raises(Denied):
        await session.run(Navigate("file:///etc/passwd"), timeout=5)
    seen = await session.run(Snapshot(), timeout=5)
    assert 'heading "Turning"' in seen.result.text
    assert event_kinds(seen) == []
    await assert_next_page_loads(session, site)
