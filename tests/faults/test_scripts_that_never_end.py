"""Scripts that never end, pages that redefine built-ins, and clocks that jump."""

from __future__ import annotations

import ast
import asyncio
import os
import signal
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.faults.recovery_checks import RECOVERY, answered_within, assert_next_page_loads, event_text, eventually
from tests.faults.servers import HTML, read_head, serving
from tests.processes import helpers
from tests.site import OWN_SITES, Site

import rove
from rove import Action, Session
from rove.actions.console import Evaluate
from rove.actions.input import Click
from rove.actions.navigation import Navigate, Reload
from rove.actions.screenshot import Screenshot
from rove.actions.snapshot import Snapshot
from rove.engine.sessions import Sessions
from rove.errors import DeadlineExceeded
from rove.settings.tree import Deadlines, Settings

pytestmark = pytest.mark.one_session


async def test_01_a_page_whose_script_never_ends_is_reported_busy_and_can_be_navigated_away_from(
    session: Session, site: Site
) -> None:
    url = site.page("/", "<h1>Stuck</h1><script>for (;;) {}</script>")
    actions: tuple[Action[Any], ...] = (Navigate(url), Snapshot(), Screenshot())
    for action in actions:
        with answered_within(0.8), pytest.raises(DeadlineExceeded) as caught:
            await session.run(action, timeout=0.8)
        assert "busy" in caught.value.message
        assert "session.navigate()" in caught.value.hint
    await assert_next_page_loads(session, site)


async def test_01_a_script_that_cannot_be_terminated_loses_its_page_but_keeps_its_tab(
    session: Session, site: Site
) -> None:
    # One long call of a built-in, in which V8 cannot terminate the script.
    slow = "/(a*)*b/.test('a'.repeat(40))"
    await session.navigate(site.page("/", "<h1>Stuck</h1>"))
    with pytest.raises(DeadlineExceeded):
        await session.run(Evaluate(slow), timeout=0.8)
    outcome = await assert_next_page_loads(session, site)
    assert outcome.tab == "t1"


async def test_01_unload_handlers_that_never_end_are_terminated(session: Session, site: Site) -> None:
    traps = "for (const name of ['beforeunload', 'visibilitychange', 'pagehide', 'unload'])"
    stuck = f"<h1>Stuck</h1><script>{traps} addEventListener(name, () => {{ for (;;) {{}} }})</script>"
    await session.navigate(site.page("/", stuck))
    outcome = await assert_next_page_loads(session, site)
    assert outcome.tab == "t1"
    await session.navigate(site.page("/", stuck))
    assert "Stuck" in (await session.run(Reload(), timeout=RECOVERY)).changes.text


async def test_01_the_scripts_of_a_page_from_a_slow_server_are_not_terminated(session: Session, site: Site) -> None:
    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_head(reader)
        await asyncio.sleep(1.5)  # the fault: slower than unload handlers may be
        writer.write(HTML + b"\r\n<h1>Late</h1><script>document.write('<p>and whole</p>')</script>")

    await session.navigate(site.page("/", "<h1>Before</h1>"))
    async with serving(late) as place:
        outcome = await session.run(Navigate(f"http://{place}/"), timeout=10)
    assert "and whole" in outcome.changes.text


async def test_01_an_action_that_makes_the_page_hang_reports_it_as_busy(session: Session, site: Site) -> None:
    page = "<button onclick='setTimeout(() => { for (;;) {} })'>Go</button>"
    await session.navigate(site.page("/", page))
    with answered_within(1.5):
        try:
            outcome = await session.run(Click("button"), timeout=1.5)
            said = " ".join(outcome.pending)
        except DeadlineExceeded as error:  # the page hung before rove had read what was clicked
            said = error.message
    assert "busy" in said
    await assert_next_page_loads(session, site)


async def test_01_a_stuck_page_delays_no_other_session(session: Session, site: Site) -> None:
    other = await session.another("beside")
    with pytest.raises(DeadlineExceeded):
        await session.run(Navigate(site.page("/", "<script>for (;;) {}</script>")), timeout=0.8)
    for _ in range(3):
        await assert_next_page_loads(other, site)
    await assert_next_page_loads(session, site)


async def test_02_a_worker_that_is_always_busy_leaves_the_page_usable(session: Session, site: Site) -> None:
    page = """<h1>Working</h1><button onclick="this.textContent = 'Pressed'">Press</button><script>
      new Worker(window.URL.createObjectURL(new Blob(['for (;;) {}'])))</script>"""
    with answered_within(10):
        outcome = await session.run(Navigate(site.page("/", page)), timeout=10)
        assert 'heading "Working"' in outcome.changes.text
        assert "Pressed" in (await session.run(Click("button"), timeout=10)).changes.text
    await assert_next_page_loads(session, site)


async def test_02_a_worker_that_is_always_busy_is_reported_once(session: Session, site: Site) -> None:
    busy = "<h1>Working</h1><script>new Worker(URL.createObjectURL(new Blob(['for (;;) {}'])))</script>"
    await session.navigate(site.page("/", busy))
    reported: list[str] = []
    async with asyncio.timeout(15):
        while "busy worker" not in reported:
            reported += [event.kind for event in (await session.wait(seconds=0.2)).events]
    reported += [event.kind for event in (await session.wait(seconds=1)).events]
    assert reported.count("busy worker") == 1


async def test_02_a_worker_that_answers_messages_is_not_reported_busy(session: Session, site: Site) -> None:
    work = "onmessage = () => postMessage(Array.from({length: 1e5}, Math.random).sort().length)"
    page = f"""<script>const one = new Worker(URL.createObjectURL(new Blob([`{work}`])));
      one.onmessage = () => one.postMessage(0); one.postMessage(0)</script>"""
    await session.navigate(site.page("/", page))
    assert "busy worker" not in [event.kind for event in (await session.wait(seconds=3)).events]


async def test_03_a_snapshot_of_a_page_that_always_changes_is_consistent(session: Session, site: Site) -> None:
    page = """<h1>Churning</h1><ul id=u></ul><script>let turn = 0;
      const churn = () => { turn++; u.innerHTML = Array.from({length: 20}, () => `<li>turn ${turn}</li>`).join('');
        setTimeout(churn, 0) }; churn()</script>"""
    await session.run(Navigate(site.page("/", page)), timeout=10)
    for _ in range(5):
        with answered_within(5):
            text = (await session.run(Snapshot(), timeout=5)).result.text
        turns = {line.split("turn ")[1] for line in text.splitlines() if "turn " in line}
        assert len(turns) == 1 and text.count("turn ") == 20
    await assert_next_page_loads(session, site)


REDEFINED = {
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


@pytest.mark.parametrize("name", REDEFINED)
async def test_52_a_page_that_redefines_built_ins_does_not_change_what_rove_does(
    session: Session, site: Site, name: str
) -> None:
    page = f"""<script>{REDEFINED[name]}</script><h1>Redefined</h1><label>Name <input id=i></label>
      <button onclick="i.value += ' pressed'">Press</button>"""
    outcome = await session.run(Navigate(site.page("/", page)), timeout=10)
    assert 'heading "Redefined"' in outcome.changes.text
    await session.fill("#i", "Ada")
    await session.click('button "Press"')
    assert "Ada pressed" in (await session.snapshot()).result.text
    await assert_next_page_loads(session, site)


# 55: clocks


async def test_55_a_page_that_redefines_its_clock_delays_no_call(session: Session, site: Site) -> None:
    page = """<h1>Timeless</h1><button>Go</button><script>let jump = 0;
      performance.now = () => 0; Date.now = () => (jump += 1e12); Event.prototype.__defineGetter__('timeStamp', () => 0)
      </script>"""
    with answered_within(10):
        await session.run(Navigate(site.page("/", page)), timeout=5)
        outcome = await session.run(Click("button"), timeout=5)
    assert outcome.pending == ()


# How often files show a time of day, record it, or compare it with the time of a file or a frame.
TIMES_OF_DAY = {
    "browser/chromium/capture.py": 1,
    "browser/chromium/console.py": 1,
    "browser/shared/process.py": 1,
    "engine/gate.py": 2,
    "engine/journal.py": 2,
    "engine/live_view.py": 1,
    "engine/people.py": 1,
    "engine/session.py": 1,
    "engine/step_recorder.py": 3,
    "engine/videos/recorder.py": 7,
    "engine/web_client.py": 1,
    "engine/whole_page.py": 2,
}


def test_55_deadlines_are_measured_with_the_monotonic_clock() -> None:
    """The time of day can jump, so durations must not be measured with time.time()."""
    package = Path(rove.__file__).parent
    found = Counter(
        str(file.relative_to(package))
        for folder in ("browser/chromium", "browser/shared", "engine")
        for file in sorted((package / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (node.value.id, node.attr) == ("time", "time")
    )
    assert found == TIMES_OF_DAY


@pytest.fixture
async def own(home: Path) -> AsyncGenerator[Session]:
    """A session with a browser of its own, whose processes are stopped."""
    async with Sessions(
        Settings(allow_host=OWN_SITES, home=home / "stopped", deadlines=Deadlines(launch=60))
    ) as sessions:
        yield Session(sessions, None)


async def test_55_a_page_whose_process_is_stopped_and_continued_works_again(
    own: Session, site: Site, home: Path
) -> None:
    await own.navigate(site.page("/", "<h1>Drowsy</h1>"))
    stopped = helpers(home / "stopped", "renderer")
    try:
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        with answered_within(0.8), pytest.raises(DeadlineExceeded):
            await own.run(Snapshot(), timeout=0.8)
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
    assert "Drowsy" in (await own.run(Snapshot(), timeout=10)).result.text
    await assert_next_page_loads(own, site)


async def test_55_a_page_whose_process_stays_stopped_is_replaced(own: Session, site: Site, home: Path) -> None:
    await own.navigate(site.page("/", "<h1>Drowsy</h1>"))
    stopped = helpers(home / "stopped", "renderer")
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(DeadlineExceeded):
            await own.run(Snapshot(), timeout=0.8)
        # A new process is started for the page, and Chromium ends the old one by a timer of its own: on a machine with
        # two busy cores, both together have taken 10 seconds, and two on one at rest.
        outcome = await assert_next_page_loads(own, site, seconds=60)
        assert "did not answer" in event_text(outcome, "tab reset")
        await eventually(lambda: not set(stopped) & set(helpers(home / "stopped", "renderer")), timeout=60)
    finally:
        for pid in set(stopped) & set(helpers(home / "stopped", "renderer")):
            os.kill(pid, signal.SIGCONT)
