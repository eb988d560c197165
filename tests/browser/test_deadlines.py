"""Every call answers by its deadline, even on a page that hangs."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from pathlib import Path

import pytest
from tests.batches import stopped
from tests.site import OWN_SITES, Site

from rove import RoveError, Session, Settings
from rove.action import AnyAction
from rove.actions.batch import Batch
from rove.actions.console import Evaluate
from rove.actions.extract import Extract
from rove.actions.forms import Fill
from rove.actions.input import Click, Hover, Press
from rove.actions.navigation import Navigate, Reload
from rove.actions.screenshot import Screenshot
from rove.actions.snapshot import Snapshot
from rove.actions.wait import Wait
from rove.engine.sessions import Sessions
from rove.errors import DeadlineExceeded
from rove.settings.tree import Deadlines

pytestmark = pytest.mark.one_session

STUCK = "<button>Go</button><input id=n>"
# Seconds that a busy machine may add.
SLACK = 5.0


async def hang(session: Session, site: Site) -> None:
    """Start an endless loop in the page."""
    await session.navigate(site.page("/", STUCK))
    with pytest.raises(DeadlineExceeded):
        await session.run(Evaluate("while (true) {}"), timeout=0.5)


async def wait_until_busy(session: Session) -> None:
    """Wait until a call holds the front tab."""
    context = await session._engine.context(lambda _: None)
    async with asyncio.timeout(20):
        while not (context.current and context.current.lock.locked()):
            await asyncio.sleep(0)


@pytest.mark.parametrize(
    "action",
    [Click("button"), Snapshot(), Wait(text="Never"), *(pytest.param(action, marks=pytest.mark.slow) for action in (
        Hover("button"), Fill("#n", "x"), Press("a"), Extract(), Evaluate("1"), Screenshot(),
    ))],
    ids=lambda action: action.verb,
)  # fmt: skip
async def test_a_call_on_a_page_that_hangs_answers_by_its_deadline(
    session: Session, site: Site, action: AnyAction
) -> None:
    await hang(session, site)
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        await session.run(action, timeout=1)
    assert time.monotonic() - began < 1 + SLACK


async def test_an_action_that_makes_the_page_hang_answers_by_its_deadline(session: Session, site: Site) -> None:
    page = "<button onclick='setTimeout(() => { while (true) {} }, 20)'>Go</button>"
    await session.navigate(site.page("/", page))
    began = time.monotonic()
    with contextlib.suppress(RoveError):  # the result depends on when the page began to hang
        await session.run(Click("button"), timeout=6)
    assert time.monotonic() - began < 6 + SLACK


async def test_the_agent_can_navigate_away_from_a_page_that_hangs(session: Session, site: Site) -> None:
    await hang(session, site)
    await session.tabs("new", url=site.page("/other", "<h1>Fine</h1>"))
    assert (await session.extract("h1")).result.content == ("Fine",)
    await session.tabs("close", "t1")


async def test_navigating_to_a_server_that_never_answers_fails_at_the_deadline(session: Session, site: Site) -> None:
    hold = threading.Event()
    url = site.page("/slow", "<p>Late</p>", hold=hold)
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        await session.run(Navigate(url), timeout=1)
    assert time.monotonic() - began < 1 + SLACK
    hold.set()
    assert "Fine" in str((await session.navigate(site.page("/", "<title>Fine</title>"))).title)


async def test_reloading_a_page_whose_server_hangs_fails_at_the_deadline(session: Session, site: Site) -> None:
    url = site.page("/", "<p>Quick</p>")
    await session.navigate(url)
    hold = threading.Event()
    site.page("/", "<p>Slow</p>", hold=hold)
    with pytest.raises(DeadlineExceeded):
        await session.run(Reload(), timeout=1)
    hold.set()


async def test_a_cancelled_call_frees_its_tab(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Page</h1>"))
    waiting = asyncio.ensure_future(session.wait(text="Never"))
    await wait_until_busy(session)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (await session.extract("h1")).result.content == ("Page",)


async def test_a_call_behind_a_slow_one_waits_no_longer_than_its_own_deadline(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Page</h1>"))
    slow = asyncio.ensure_future(session.run(Wait(text="Never"), timeout=20))
    await wait_until_busy(session)
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        await session.run(Extract("h1"), timeout=0.5)
    assert time.monotonic() - began < 0.5 + SLACK
    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)


async def test_a_page_that_always_changes_is_returned_and_marked_as_changing(session: Session, site: Site) -> None:
    page = "<p id=p>0</p><button>Go</button><script>setInterval(() => { p.textContent = Math.random() }, 10)</script>"
    await session.navigate(site.page("/", page))
    began = time.monotonic()
    await session.run(Click("button"), timeout=3)
    assert time.monotonic() - began < 3 + SLACK


async def test_all_steps_of_a_batch_share_its_deadline(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Text</p>"))
    began = time.monotonic()
    batch = (await stopped(session.run(Batch(({"action": "wait", "seconds": 1},) * 10), timeout=2.5))).result
    assert time.monotonic() - began < 2.5 + SLACK
    assert batch.error is not None
    assert batch.error.code == "deadline_exceeded"
    assert "2.5" in batch.error.message
    assert 1 <= len(batch.done) <= 2
    assert len(batch.done) + 1 + len(batch.not_run) == 10


@pytest.mark.slow  # waits for several deadlines
async def test_without_a_timeout_each_step_of_a_batch_has_its_own_deadline(home: Path, site: Site) -> None:
    own = Settings(allow_host=OWN_SITES, home=home / "steps", deadlines=Deadlines(action=4, launch=60))
    pause = {"action": "evaluate", "expression": "new Promise(done => setTimeout(done, 1500))"}
    async with Sessions(own) as sessions:
        session = Session(sessions, None)
        await session.navigate(site.page("/", "<p>Text</p>"))
        began = time.monotonic()
        assert (await session.batch((pause,) * 3)).result.error is None
        assert time.monotonic() - began > 4, "longer than one action may take"
        began = time.monotonic()
        never = {"action": "evaluate", "expression": "new Promise(() => {})"}
        stuck = (await stopped(session.batch((never, pause, pause, pause)))).result
        assert stuck.error is not None
        assert stuck.error.code == "deadline_exceeded"
        assert time.monotonic() - began < 4 + SLACK, "a step does not use up the time of the others"
