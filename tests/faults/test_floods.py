"""Floods of console messages and requests: what is kept is bounded, and other sessions are not delayed."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.browser.shared.logs import MAX_MESSAGES, MAX_REQUESTS

# These take minutes, and need the whole machine.
pytestmark = pytest.mark.slow

# Seconds that a call of another session may take during the flood: less than its deadline, on a busy machine.
PROMPT = 25
FOREVER = "let i = 0; setInterval(() => { for (let n = 0; n < 500; n++) console.log('line ' + i++, {i}) }, 0)"
BUSY = "const end = performance.now() + 4000; let i = 0; while (performance.now() < end) console.log('line ' + i++)"
LONG = "const long = 'x'.repeat(1e7); let i = 0; setInterval(() => console.log(long + i++ % 10), 0)"


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


@pytest.mark.parametrize(
    ("flood", "said"),
    [(FOREVER, "dropped"), (BUSY, "dropped"), (LONG, "10000001 characters")],
    ids=["without end", "in one go", "in long lines"],
)
async def test_a_flood_of_console_messages_delays_no_other_session(
    session: Session, site: Site, flood: str, said: str
) -> None:
    other = await session.another()
    await other.navigate(site.page("/calm", "<p>Calm</p>"))
    await value(other, "window.kept = 'still here'")
    await session.navigate(
        site.page("/", f'<h1>Loud</h1><button onclick="setTimeout(() => {{ {flood} }})">Go</button>')
    )
    pressed = asyncio.ensure_future(session.using(quiet=True).click("button"))
    until = time.monotonic() + 5
    while time.monotonic() < until:
        async with asyncio.timeout(PROMPT):
            assert await value(other, "kept") == "still here"
    await pressed
    assert said in str((await session.console()).result)
    assert await value(session, "document.querySelector('h1').textContent") == "Loud"


async def test_the_number_of_console_messages_kept_is_bounded(session: Session, site: Site) -> None:
    page = "<script>for (let i = 0; i < 900; i++) console.log('line ' + i)</script>"
    await session.navigate(site.page("/", page))
    await session.evaluate("1")
    result = (await session.console(limit=1)).result
    assert result.lines[0].text == "line 899"
    assert result.left_out == MAX_MESSAGES - 1
    assert result.dropped == 900 - MAX_MESSAGES


async def test_console_messages_are_not_written_to_disk(session: Session, site: Site, home: Any) -> None:
    page = "<script>for (let i = 0; i < 50; i++) console.error('x'.repeat(10000))</script>"
    await session.navigate(site.page("/", page))
    await session.evaluate("1")
    assert all(log.stat().st_size < 100_000 for log in home.glob("run/*/browser.log"))


async def test_the_number_of_requests_kept_is_bounded(session: Session, site: Site) -> None:
    count = MAX_REQUESTS + 300
    site.page("/n", "", kind="text/plain")
    await session.navigate(site.page("/", "<p>Page</p>"))
    asks = f"""(async () => {{ for (let i = 0; i < {count}; i += 20)
      await Promise.all(Array.from({{length: 20}}, (_, n) => fetch('/n?' + (i + n)))) }})()"""
    await session.using(timeout=90).evaluate(asks)
    result = (await session.network(limit=1)).result
    assert result.requests[0].request == count + 1
    assert result.left_out == MAX_REQUESTS - 1
    assert result.dropped == count + 1 - MAX_REQUESTS
