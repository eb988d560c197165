"""A page that floods rove: what is told of it is true, its process is slowed down, and other sessions are not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.browser.logs import REQUESTS_AT_ONCE
from rove.browser.shared.machine import PageProcesses

LINES = 4000
FLOOD = f"for (let i = 0; i < {LINES}; i++) console.log('line ' + i)"


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


async def test_a_flood_of_console_messages_is_counted(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Loud</h1>"))
    await session.evaluate(FLOOD)
    result = (await session.console(limit=10_000)).result
    assert result.unrecorded > 0
    assert len(result.lines) + result.left_out + result.dropped + result.unrecorded == LINES
    assert f"{result.unrecorded} were not recorded" in str(result)
    assert result.lines[-1].text == f"line {LINES - 1}"
    assert await value(session, "document.querySelector('h1').textContent") == "Loud"


@pytest.mark.engines("chromium", reason="WebDriver BiDi does not tell which process runs a page")
async def test_a_page_that_floods_is_paused_and_none_stays_so(
    session: Session, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused: list[list[int]] = []
    pause = PageProcesses.pause

    def record(self: PageProcesses, pids: Iterable[int]) -> None:
        paused.append(list(pids))
        pause(self, paused[-1])

    monkeypatch.setattr(PageProcesses, "pause", record)
    await session.navigate(site.page("/", "<h1>Loud</h1>"))
    await session.evaluate(FLOOD)
    assert any(paused)
    async with asyncio.timeout(10):
        while any(is_stopped(pid) for pids in paused for pid in pids):
            await asyncio.sleep(0)


def is_stopped(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return False  # it has ended


async def test_requests_beyond_the_limit_are_counted_and_later_ones_are_recorded(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Loud</h1>"))
    count = REQUESTS_AT_ONCE + 1500
    asks = (
        f"Promise.all(Array.from({{length: {count}}}, (_, n) => fetch('data:,' + n).then(r => r.text()))).then(() => 1)"
    )
    outcome = await session.using(timeout=60).evaluate(asks)
    assert outcome.result.value == 1
    found = (await session.network(limit=1)).result
    assert found.unrecorded > 0
    assert f"{found.unrecorded} were not recorded" in str(found)
    # A new document is followed from its request on, whatever the page before it did.
    await session.navigate(site.page("/next", "<h1>Next</h1>"))
    assert [line.url for line in (await session.network(url="/next")).result.requests] == [site.url("/next")]


@pytest.mark.slow  # a thousand documents take time
async def test_frames_that_were_not_followed_are_found_when_the_page_is_read(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Loud</h1><div></div>"))
    await session.using(timeout=60).evaluate(
        """(async () => {
          for (let i = 0; i < 700; i++) {
            const frame = document.createElement('iframe');
            document.body.append(frame);
            frame.remove();
            if (i % 50 === 0) await new Promise(done => setTimeout(done));
          }
          const last = document.createElement('iframe');
          last.srcdoc = '<button>Inside</button>';
          document.body.append(last);
          await new Promise(done => { last.onload = done });
        })()"""
    )
    assert "Inside" in str((await session.snapshot()).result)
    await session.click('button "Inside"')


async def test_another_session_works_while_pages_flood(session: Session, site: Site) -> None:
    other = await session.another()
    await other.navigate(site.page("/calm", "<button onclick='this.textContent = \"Done\"'>Press</button>"))
    await session.navigate(site.page("/", "<h1>Loud</h1>"))
    flood = "for (let n = 0; n < 500; n++) console.log('line ' + n)"
    running = asyncio.ensure_future(session.using(quiet=True).evaluate(f"void setInterval(() => {{ {flood} }}, 0)"))
    await other.click("button")
    assert "Done" in str((await other.snapshot()).result)
    await asyncio.wait([running])
    await session.navigate(site.page("/left", "<h1>Left</h1>"))
    assert await value(session, "document.querySelector('h1').textContent") == "Left"
