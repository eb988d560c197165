"""An action returns when the page is quiet, and says what is still pending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest
from tests.site import Site

from rove import Session
from rove.outcome import AnyOutcome
from rove.toolsets.outcome_text import as_text

pytestmark = pytest.mark.one_session

# Seconds, on a busy machine; an action that waits in vain takes `deadlines.settle`, which is five.
BEFORE_GIVING_UP = 4


async def test_a_click_that_fetches_returns_after_the_page_has_changed(session: Session, site: Site) -> None:
    gate = threading.Event()
    site.page("/data", '"fresh"', kind="application/json", hold=gate)
    url = site.page(
        "/",
        "<button onclick=\"fetch('/data').then(r => r.json()).then(t => p.textContent = t)\">Load</button><p id=p></p>",
    )
    await session.navigate(url)
    threading.Timer(0.4, gate.set).start()
    outcome = await session.click('button "Load"')
    assert '"fresh"' in outcome.changes.text
    assert outcome.pending == ()


async def test_a_click_that_does_nothing_says_so(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button>Idle</button><p>text</p>"))
    await session.click('button "Idle"')  # the first click moves the focus, which is a change
    outcome = await session.click('button "Idle"')
    assert outcome.changes.kind == "same"
    assert outcome.changes.tokens < 50
    _, clicked, _, last = as_text(outcome).splitlines()
    assert clicked == 'Clicked button "Idle".'
    assert last.startswith("Nothing changed within ")


async def test_a_page_that_never_stops_changing_does_not_delay_an_action(session: Session, site: Site) -> None:
    ticker = "<p id=clock>0</p><button>Idle</button><script>setInterval(() => clock.textContent++, 15)</script>"
    await session.navigate(site.page("/", ticker))
    await session.click('button "Idle"')
    outcome = await session.click('button "Idle"')
    assert outcome.seconds < BEFORE_GIVING_UP


async def test_a_request_that_is_never_answered_is_reported_as_pending(session: Session, site: Site) -> None:
    site.page("/slow", "", hold=threading.Event())
    await session.navigate(site.page("/", "<button onclick=\"fetch('/slow')\">Go</button>"))
    outcome = await session.click('button "Go"')
    assert outcome.pending == (f"GET {site.url('/slow')}",)


async def test_a_page_that_polls_does_not_delay_an_action(session: Session, site: Site) -> None:
    site.page("/poll", "", hold=threading.Event())
    page = "<button onclick=\"fetch('/poll?' + Math.random())\">Again</button><script>fetch('/poll')</script>"
    await session.navigate(site.page("/", page))
    outcome = await session.click('button "Again"')
    assert outcome.pending == ()
    assert outcome.seconds < BEFORE_GIVING_UP


async def test_a_link_to_a_fragment_waits_for_no_navigation(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", '<a href="#there">Down</a><p style="margin-top:3000px" id=there>There</p>'))
    outcome = await session.click('link "Down"')
    assert outcome.url == site.url("/#there")
    assert outcome.pending == ()
    assert outcome.seconds < BEFORE_GIVING_UP


async def test_a_link_to_a_slow_page_is_followed_to_the_end(session: Session, site: Site) -> None:
    gate = threading.Event()
    site.page("/next", "<h1>Next</h1>", hold=gate)
    await session.navigate(site.page("/", '<a href="/next">Next</a>'))
    threading.Timer(0.4, gate.set).start()
    outcome = await session.click('link "Next"')
    assert outcome.changes.kind == "page"
    assert 'heading "Next"' in outcome.changes.text


async def test_a_link_to_a_204_response_keeps_the_page(session: Session, site: Site) -> None:
    site.page("/nothing", "", status=204)
    await session.navigate(site.page("/", '<a href="/nothing">Nothing</a><p>Still here</p>'))
    outcome = await session.click('link "Nothing"')
    assert outcome.url == site.url("/")
    assert outcome.seconds < BEFORE_GIVING_UP


async def test_a_quiet_call_reports_no_changes(session: Session, site: Site) -> None:
    from rove.actions.input import Click

    await session.navigate(site.page("/", "<button onclick=\"p.textContent = 'new'\">Go</button><p id=p>old</p>"))
    silent = await session.run(Click('button "Go"'), quiet=True)
    assert silent.changes.kind == "silent"
    reported = await session.click('button "Go"')
    assert '"new"' in reported.earlier.text


@pytest.mark.parametrize("kind", ["Worker", "SharedWorker"])
async def test_the_script_of_a_worker_is_not_waited_for(session: Session, site: Site, kind: str) -> None:
    site.page("/w.js", "", kind="text/javascript")
    outcome = await session.navigate(site.page("/", f"<p>Page</p><script>new {kind}('/w.js')</script>"))
    assert outcome.pending == ()


DEFERRED = {
    "a microtask": "Promise.resolve().then(change)",
    "a message": "{ const c = new MessageChannel(); c.port1.onmessage = change; c.port2.postMessage(0) }",
    "a frame": "requestAnimationFrame(change)",
    "a timer behind a frame": "requestAnimationFrame(() => setTimeout(change))",
    "timer after timer": "setTimeout(() => setTimeout(change, 4), 4)",
    "a timer": "setTimeout(change, 10)",
}
CHANGING = """<button onclick='go()'>Go</button><p id=p>old</p><script>
  let took, at; const began = () => { at = performance.now() };
  const change = () => { took = performance.now() - at; p.textContent = 'new' };"""
# Changes that are deferred for longer are not waited for.
MAX_DEFERRAL_MS = 12
ATTEMPTS = 30
PATIENCE = 30


async def deferred_changes(session: Session, act: Callable[[], Awaitable[AnyOutcome]]) -> str:
    """Repeat an action until one whose timers were on time reports its change. On a busy machine they are late."""
    text = "the machine is too busy to tell"
    for _ in range(ATTEMPTS):
        outcome = await act()
        async with asyncio.timeout(PATIENCE):
            while (await session.evaluate("p.textContent")).result.value != "new":
                pass
        if (await session.evaluate("took")).result.value < MAX_DEFERRAL_MS:
            text = outcome.changes.text
            if '"new"' in text:
                break
        await session.evaluate("p.textContent = 'old'")
    return text


@pytest.mark.parametrize("later", DEFERRED.values(), ids=DEFERRED)
async def test_changes_that_a_click_defers_briefly_are_reported(session: Session, site: Site, later: str) -> None:
    await session.navigate(site.page("/", f"{CHANGING} const go = () => {{ began(); {later} }}</script>"))
    assert '"new"' in await deferred_changes(session, lambda: session.click('button "Go"'))


@pytest.mark.parametrize("later", DEFERRED.values(), ids=DEFERRED)
async def test_changes_that_a_script_defers_briefly_are_reported(session: Session, site: Site, later: str) -> None:
    await session.navigate(site.page("/", f"{CHANGING} const go = () => {{ began(); {later} }}</script>"))
    assert '"new"' in await deferred_changes(session, lambda: session.evaluate("go()"))


async def test_changes_of_an_action_right_after_a_click_are_reported(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", f"{CHANGING} const go = () => {{}}</script>"))

    async def act() -> AnyOutcome:
        await session.click('button "Go"')
        return await session.evaluate("began(), setTimeout(change, 10), 0")

    assert '"new"' in await deferred_changes(session, act)


async def test_an_endless_animation_frame_loop_does_not_delay_an_action(session: Session, site: Site) -> None:
    loop = "<button>Idle</button><script>const draw = () => requestAnimationFrame(draw); draw()</script>"
    await session.navigate(site.page("/", loop))
    for _ in range(2):
        assert (await session.click('button "Idle"')).seconds < BEFORE_GIVING_UP
        assert (await session.evaluate("1")).seconds < BEFORE_GIVING_UP


async def test_what_an_older_loop_does_for_a_click_is_waited_for(session: Session, site: Site) -> None:
    # As the ticker of an animation library, which runs from the beginning and has nothing to do until the click.
    page = """<button onclick="left = [...'heard in the hall']">Type</button><p id=line></p><script>
      let left = []
      let frames = 0
      const tick = () => {
        if (left.length && ++frames % 3 === 0) line.textContent += left.shift()
        requestAnimationFrame(tick)
      }
      tick()
    </script>"""
    await session.navigate(site.page("/", page))
    await session.wait(seconds=0.6)
    outcome = await session.click("button")
    assert '"heard in the hall"' in outcome.changes.text
