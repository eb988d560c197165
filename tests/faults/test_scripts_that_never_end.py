"""Scripts that take all there is, and pages that bend what scripts stand on."""

from __future__ import annotations

import ast
import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.faults.servers import HTML, asked, serving
from tests.faults.survival import RECOVERY, answered_within, eventually, goes_on, told
from tests.processes import helpers
from tests.site import OWN_SITES, Site

import rove
from rove import Action, Session
from rove.actions.navigation import Navigate, Reload
from rove.actions.pointer import Click
from rove.actions.screenshot import Screenshot
from rove.actions.script import Evaluate
from rove.actions.snapshot import Snapshot
from rove.engine.sessions.sessions import Sessions
from rove.errors import DeadlineExceeded
from rove.settings import Deadlines, Settings


async def test_01_a_page_whose_script_never_ends_is_said_to_be_busy_and_can_be_left(
    session: Session, site: Site
) -> None:
    url = site.page("/", "<h1>Stuck</h1><script>for (;;) {}</script>")
    actions: tuple[Action[Any], ...] = (Navigate(url), Snapshot(), Screenshot())
    for action in actions:
        with answered_within(0.8), pytest.raises(DeadlineExceeded) as caught:
            await session.run(action, timeout=0.8)
        assert "busy" in caught.value.message
        assert "session.navigate()" in caught.value.hint
    await goes_on(session, site)


async def test_01_a_script_that_cannot_be_broken_off_costs_its_page_and_not_its_tab(
    session: Session, site: Site
) -> None:
    # Nothing that a script could be stopped in: the time goes into one call of the browser's own.
    slow = "/(a*)*b/.test('a'.repeat(40))"
    await session.navigate(site.page("/", "<h1>Stuck</h1>"))
    with pytest.raises(DeadlineExceeded):
        await session.run(Evaluate(slow), timeout=0.8)
    outcome = await goes_on(session, site)
    assert outcome.tab == "t1"


async def test_01_scripts_that_never_end_once_the_page_is_left_are_broken_off_each(
    session: Session, site: Site
) -> None:
    traps = "for (const name of ['beforeunload', 'visibilitychange', 'pagehide', 'unload'])"
    stuck = f"<h1>Stuck</h1><script>{traps} addEventListener(name, () => {{ for (;;) {{}} }})</script>"
    await session.navigate(site.page("/", stuck))
    outcome = await goes_on(session, site)
    assert outcome.tab == "t1"
    await session.navigate(site.page("/", stuck))
    assert "Stuck" in (await session.run(Reload(), timeout=RECOVERY)).changes.text


async def test_01_a_server_that_is_slow_to_answer_costs_the_next_page_none_of_its_scripts(
    session: Session, site: Site
) -> None:
    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked(reader)
        await asyncio.sleep(1.5)  # longer than a page may keep the browser waiting when it is left
        writer.write(HTML + b"\r\n<h1>Late</h1><script>document.write('<p>and whole</p>')</script>")

    await session.navigate(site.page("/", "<h1>Before</h1>"))
    async with serving(late) as place:
        outcome = await session.run(Navigate(f"http://{place}/"), timeout=10)
    assert "and whole" in outcome.changes.text


async def test_01_an_act_that_makes_the_page_stick_says_so_whether_or_not_it_was_done(
    session: Session, site: Site
) -> None:
    page = "<button onclick='setTimeout(() => { for (;;) {} })'>Go</button>"
    await session.navigate(site.page("/", page))
    with answered_within(1.5):
        try:
            outcome = await session.run(Click("button"), timeout=1.5)
            said = " ".join(outcome.pending)
        except DeadlineExceeded as error:  # stuck before it could say what was pressed
            said = error.message
    assert "busy" in said
    await goes_on(session, site)


async def test_01_a_stuck_page_delays_no_other_session(session: Session, site: Site) -> None:
    other = await session.another("beside")
    with pytest.raises(DeadlineExceeded):
        await session.run(Navigate(site.page("/", "<script>for (;;) {}</script>")), timeout=0.8)
    for _ in range(3):
        await goes_on(other, site)
    await goes_on(session, site)


async def test_02_a_worker_that_never_rests_leaves_the_page_usable(session: Session, site: Site) -> None:
    page = """<h1>Working</h1><button onclick="this.textContent = 'Pressed'">Press</button><script>
      new Worker(window.URL.createObjectURL(new Blob(['for (;;) {}'])))</script>"""
    with answered_within(10):
        outcome = await session.run(Navigate(site.page("/", page)), timeout=10)
        assert 'heading "Working"' in outcome.changes.text
        assert "Pressed" in (await session.run(Click("button"), timeout=10)).changes.text
    await goes_on(session, site)


async def test_02_a_worker_that_never_rests_is_told_of_once(session: Session, site: Site) -> None:
    busy = "<h1>Working</h1><script>new Worker(URL.createObjectURL(new Blob(['for (;;) {}'])))</script>"
    await session.navigate(site.page("/", busy))
    told: list[str] = []
    async with asyncio.timeout(15):
        while "busy worker" not in told:
            told += [event.kind for event in (await session.wait(seconds=0.2)).events]
    told += [event.kind for event in (await session.wait(seconds=1)).events]
    assert told.count("busy worker") == 1


async def test_02_a_worker_that_does_its_work_is_not(session: Session, site: Site) -> None:
    work = "onmessage = () => postMessage(Array.from({length: 1e5}, Math.random).sort().length)"
    page = f"""<script>const one = new Worker(URL.createObjectURL(new Blob([`{work}`])));
      one.onmessage = () => one.postMessage(0); one.postMessage(0)</script>"""
    await session.navigate(site.page("/", page))
    assert "busy worker" not in [event.kind for event in (await session.wait(seconds=3)).events]


async def test_03_a_page_that_rebuilds_itself_all_the_time_is_seen_at_one_moment(session: Session, site: Site) -> None:
    page = """<h1>Churning</h1><ul id=u></ul><script>let turn = 0;
      const churn = () => { turn++; u.innerHTML = Array.from({length: 20}, () => `<li>turn ${turn}</li>`).join('');
        setTimeout(churn, 0) }; churn()</script>"""
    await session.run(Navigate(site.page("/", page)), timeout=10)
    for _ in range(5):
        with answered_within(5):
            text = (await session.run(Snapshot(), timeout=5)).result.text
        turns = {line.split("turn ")[1] for line in text.splitlines() if "turn " in line}
        assert len(turns) == 1 and text.count("turn ") == 20
    await goes_on(session, site)


BENT = {
    "JSON": "JSON.stringify = JSON.parse = () => { throw 1 }",
    "arrays": "for (const k of ['map', 'push', 'join', 'filter', 'forEach', Symbol.iterator]) "
    "Array.prototype[k] = function () { throw 2 }",
    "promises": "window.Promise = function () { throw 3 }; Promise.prototype = null",
    "queries": "document.querySelector = document.querySelectorAll = Document.prototype.querySelector = "
    "Element.prototype.querySelectorAll = () => { throw 4 }",
    "getters": "for (const [o, k] of [[Node.prototype, 'childNodes'], [Element.prototype, 'tagName'], "
    "[Node.prototype, 'textContent'], [HTMLElement.prototype, 'innerText']]) "
    "Object.defineProperty(o, k, { get() { for (;;) {} } })",
    "timers": "window.setTimeout = window.requestAnimationFrame = window.queueMicrotask = () => 0; "
    "window.MutationObserver = window.MessageChannel = undefined",
    "clock": "Date.now = performance.now = () => { throw 5 }; window.Date = function () { for (;;) {} }",
    "maps": "WeakMap.prototype.get = Map.prototype.get = Set.prototype.has = () => { throw 6 }",
    "names": "window.rove = null; Object.freeze(window.rove); window.roveTell = () => { throw 7 }",
}


@pytest.mark.parametrize("name", BENT)
async def test_52_a_page_that_bends_its_own_world_does_not_bend_ours(session: Session, site: Site, name: str) -> None:
    page = f"""<script>{BENT[name]}</script><h1>Bent</h1><label>Name <input id=i></label>
      <button onclick="i.value += ' pressed'">Press</button>"""
    outcome = await session.run(Navigate(site.page("/", page)), timeout=10)
    assert 'heading "Bent"' in outcome.changes.text
    await session.fill("#i", "Ada")
    await session.click('button "Press"')
    assert "Ada pressed" in (await session.snapshot()).result.text
    await goes_on(session, site)


# 55: clocks


async def test_55_a_page_whose_clock_stands_still_or_jumps_delays_nothing(session: Session, site: Site) -> None:
    page = """<h1>Timeless</h1><button>Go</button><script>let jump = 0;
      performance.now = () => 0; Date.now = () => (jump += 1e12); Event.prototype.__defineGetter__('timeStamp', () => 0)
      </script>"""
    with answered_within(5):
        await session.run(Navigate(site.page("/", page)), timeout=5)
        outcome = await session.run(Click("button"), timeout=5)
    assert outcome.pending == ()


def test_55_no_deadline_hangs_on_the_clock_on_the_wall() -> None:
    """The time of day jumps; what measures how long something took must not."""
    package = Path(rove.__file__).parent
    offenders = [
        f"{file.relative_to(package)}:{node.lineno}"
        for folder in ("chromium", "engine")
        for file in sorted((package / folder).glob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (node.value.id, node.attr) == ("time", "time")
        # Times of day that are shown, written down, or compared with those that others wrote down.
        and file.name not in ("approvals.py", "journal.py", "runfolder.py")
    ]
    assert offenders == []


@pytest.fixture
async def own(home: Path) -> AsyncGenerator[Session]:
    """A browser of its own, to be put to sleep."""
    async with Sessions(
        Settings(allow_host=OWN_SITES, home=home / "asleep", deadlines=Deadlines(launch=60))
    ) as sessions:
        yield Session(sessions, None)


async def test_55_a_page_that_sleeps_and_wakes_is_busy_and_then_goes_on(own: Session, site: Site, home: Path) -> None:
    await own.navigate(site.page("/", "<h1>Drowsy</h1>"))
    sleeping = helpers(home / "asleep", "renderer")
    try:
        for pid in sleeping:
            os.kill(pid, signal.SIGSTOP)
        with answered_within(0.8), pytest.raises(DeadlineExceeded):
            await own.run(Snapshot(), timeout=0.8)
    finally:
        for pid in sleeping:
            os.kill(pid, signal.SIGCONT)
    assert "Drowsy" in (await own.run(Snapshot(), timeout=10)).result.text
    await goes_on(own, site)


async def test_55_a_page_that_never_wakes_is_left_behind(own: Session, site: Site, home: Path) -> None:
    await own.navigate(site.page("/", "<h1>Drowsy</h1>"))
    sleeping = helpers(home / "asleep", "renderer")
    for pid in sleeping:
        os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(DeadlineExceeded):
            await own.run(Snapshot(), timeout=0.8)
        outcome = await goes_on(own, site)
        assert "did not answer" in told(outcome, "tab reset")
        await eventually(lambda: not set(sleeping) & set(helpers(home / "asleep", "renderer")))
    finally:
        for pid in set(sleeping) & set(helpers(home / "asleep", "renderer")):
            os.kill(pid, signal.SIGCONT)
