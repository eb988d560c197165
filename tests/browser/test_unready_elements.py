"""Acts on elements that are not ready: how long they are waited for, and what the error says."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.site import Site

from rove import Session
from rove.errors import ElementNotReady

pytestmark = pytest.mark.one_session

# Seconds in which an act on an element that never becomes ready is refused; the tests' deadline is 30.
SOON = 7.0


async def value(session: Session, expression: str) -> Any:
    return (await session.evaluate(expression)).result.value


ACTS: dict[str, tuple[str, Callable[[Session], Awaitable[Any]]]] = {
    "click": ("<button id=b disabled>Previous</button>", lambda session: session.click("#b")),
    "aria": ("<div id=b role=button tabindex=0 aria-disabled=true>Previous</div>", lambda session: session.click("#b")),
    "fill": ("<input id=b disabled>", lambda session: session.fill("#b", "x")),
    "select": ("<select id=b disabled><option>A</select>", lambda session: session.select("#b", ("A",))),
    "drag": ("<button id=b disabled>Card</button>", lambda session: session.drag("#b", "body")),
}


QUICK = ("click", "fill")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in ACTS]
)
async def test_an_act_on_a_disabled_element_is_refused_soon_and_says_so(
    session: Session, site: Site, name: str
) -> None:
    page, act = ACTS[name]
    await session.navigate(site.page("/", page))
    began = time.monotonic()
    with pytest.raises(ElementNotReady) as caught:
        await act(session)
    assert time.monotonic() - began < SOON
    assert "is disabled" in caught.value.message
    assert "in the way" not in caught.value.hint
    assert "enables it" in caught.value.hint


async def test_an_act_waits_longer_while_a_request_is_under_way(session: Session, site: Site) -> None:
    """The response enables the button later than a page at rest is waited for."""
    go, answer = threading.Event(), threading.Event()
    site.page("/go", "data: go\n\n", kind="text/event-stream", hold=go)
    site.page("/slow", "yes", hold=answer)
    page = """<button id=b disabled onclick='out.textContent = "sent"'>Send</button><p id=out></p>
      <script>const source = new EventSource('/go'); source.onmessage = () => {
        source.close();
        fetch('/slow').then(() => { b.disabled = false }) }</script>"""
    await session.using(quiet=True).navigate(site.page("/", page))
    # The request begins only now: it is waited for as long as it is recent, and the navigation waits for requests too.
    go.set()
    async with asyncio.timeout(20):
        while not site.asked("/slow"):
            await asyncio.sleep(0.01)
    asyncio.get_running_loop().call_later(4, answer.set)
    await session.click("#b")
    assert await value(session, "out.textContent") == "sent"


async def test_an_act_waits_longer_while_what_is_around_the_element_changes(session: Session, site: Site) -> None:
    page = """<p>Again in <b id=left>35</b> <button id=b disabled onclick='out.textContent = "sent"'>Again</button></p>
      <p id=out></p><script>const tick = setInterval(() => {
        left.textContent -= 1;
        if (left.textContent === '0') { clearInterval(tick); b.disabled = false }
      }, 100)</script>"""
    await session.using(quiet=True).navigate(site.page("/", page))
    await session.click("#b")
    assert await value(session, "out.textContent") == "sent"


async def test_an_act_on_a_disabled_element_does_not_wait_for_a_clock_elsewhere(session: Session, site: Site) -> None:
    page = """<header><p id=clock>0</p></header><main><div><div><button id=b disabled>Next</button></div></div></main>
      <script>setInterval(() => clock.textContent -= -1, 50)</script>"""
    await session.using(quiet=True).navigate(site.page("/", page))
    began = time.monotonic()
    with pytest.raises(ElementNotReady):
        await session.using(quiet=True).click("#b")
    assert time.monotonic() - began < SOON


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("<button id=b hidden>B</button>", "has no size"),
        ("<button id=b>B</button><div style='position: fixed; inset: 0'>Cover</div>", "is covered by"),
    ],
)
async def test_a_press_on_what_cannot_be_reached_is_refused_before_the_deadline(
    session: Session, site: Site, page: str, reason: str
) -> None:
    await session.navigate(site.page("/", page))
    began = time.monotonic()
    with pytest.raises(ElementNotReady, match=reason):
        await session.click("#b")
    assert time.monotonic() - began < 15


async def test_a_field_that_is_read_only_says_what_to_try(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<input id=f readonly value=2026-01-31>"))
    with pytest.raises(ElementNotReady, match="is read-only") as caught:
        await session.fill("#f", "2026-02-01")
    assert "click" in caught.value.hint
