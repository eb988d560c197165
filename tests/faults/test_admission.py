"""Limits on sessions, tabs and memory: requests wait in order, and refusals say when to retry."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.chromium_internals import chromium_browser, chromium_tab
from tests.site import OWN_SITES, Site

from rove import Session
from rove.engine import admission, memory
from rove.engine.memory import Memory
from rove.engine.sessions import Sessions
from rove.errors import LimitReached, NotOpen, RoveError
from rove.settings.tree import Deadlines, Limits, Settings

PATIENT = Deadlines(action=30, launch=60)


@asynccontextmanager
async def sessions_with(home: Path, **limits: float) -> AsyncGenerator[Sessions]:
    """Start sessions with a browser of their own and these limits."""
    narrow = Limits(**limits)  # type: ignore[arg-type]
    settings = Settings(home=home / "admission", allow_host=OWN_SITES, deadlines=PATIENT, limits=narrow)
    async with Sessions(settings) as sessions:
        yield sessions


async def until(condition: Callable[[], bool], timeout: float = 30) -> None:
    async with asyncio.timeout(timeout):
        while not condition():
            await asyncio.sleep(0.02)


def waiting(sessions: Sessions) -> int:
    return sessions.admission._slots.waiting


async def queue_session(sessions: Sessions, name: str) -> asyncio.Task[str]:
    """Ask for one more session, and return when the request is in the queue."""
    before = waiting(sessions)
    task = asyncio.ensure_future(sessions.open_session(name))
    await until(lambda: waiting(sessions) > before)
    return task


def names(sessions: Sessions) -> set[str]:
    return {known["session"] for known in sessions.sessions()}


async def test_38_of_a_hundred_sessions_five_open_and_the_others_are_told_when_to_retry(home: Path) -> None:
    async with sessions_with(home, sessions=5, queue=10, queue_seconds=0.3, idle=600) as sessions:
        began = time.monotonic()
        asked = [sessions.open_session(f"n{number}") for number in range(100)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        seconds = time.monotonic() - began
        refused = [answer for answer in answers if isinstance(answer, LimitReached)]
        assert answers[:5] == [  # in the order of the requests, although all were made at once
            f"n{number}" for number in range(5)
        ]
        assert len(refused) == 95
        assert 0.3 <= seconds < 10
        for refusal in refused:
            assert refusal.as_dict()["retryable"] is True
            assert refusal.retry_after is not None
            assert 580 < refusal.retry_after <= 600


async def test_38_a_closed_session_makes_room_for_the_one_that_waited_longest(home: Path) -> None:
    async with sessions_with(home, sessions=1, queue_seconds=30) as sessions:
        await sessions.open_session("first")
        second, third = [await queue_session(sessions, name) for name in ("second", "third")]
        await sessions.close_session("first")
        assert await asyncio.wait_for(second, 10) == "second"
        assert not third.done()
        assert names(sessions) == {"second"}
        await sessions.close_session("second")
        assert await asyncio.wait_for(third, 10) == "third"


async def test_38_a_cancelled_request_leaves_the_queue(home: Path) -> None:
    async with sessions_with(home, sessions=1, queue_seconds=30) as sessions:
        await sessions.open_session("first")
        gone, patient = [await queue_session(sessions, name) for name in ("gone", "patient")]
        gone.cancel()
        await asyncio.wait({gone})
        await sessions.close_session("first")
        assert await asyncio.wait_for(patient, 10) == "patient"
        assert names(sessions) == {"patient"}


async def test_38_the_default_session_waits_in_the_same_queue(home: Path, site: Site) -> None:
    url = site.page("/", "<p>Page</p>")
    async with sessions_with(home, sessions=1, queue_seconds=30) as sessions:
        await sessions.open_session("first")
        default = asyncio.ensure_future(Session(sessions, None).navigate(url))
        await until(lambda: waiting(sessions) == 1)
        named = await queue_session(sessions, "named")
        await sessions.close_session("first")
        assert (await asyncio.wait_for(default, 60)).result.status == 200
        assert not named.done()
        await sessions.close_session("default")
        assert await asyncio.wait_for(named, 10) == "named"


async def test_38_the_default_session_is_refused_like_any_other_and_can_still_list_open_sessions(home: Path) -> None:
    async with sessions_with(home, sessions=1, queue_seconds=0.1, idle=600) as sessions:
        await sessions.open_session("first")
        default = Session(sessions, None)
        with pytest.raises(LimitReached) as refused:
            await default.snapshot()
        assert refused.value.retry_after is not None
        assert "first" in {known["session"] for known in (await default.status()).result.sessions}
        await default.close_session("first")
        assert await sessions.open_session("second") == "second"


async def test_38_two_requests_for_one_name_share_the_session(home: Path) -> None:
    async with sessions_with(home, sessions=2, queue_seconds=30) as sessions:
        for name in ("one", "two"):
            await sessions.open_session(name)
        both = [await queue_session(sessions, "shared") for _ in range(2)]
        third = await queue_session(sessions, "third")
        await sessions.close_session("one")
        await sessions.close_session("two")
        assert await asyncio.wait_for(asyncio.gather(*both), 10) == ["shared", "shared"]
        assert await asyncio.wait_for(third, 10) == "third"
        assert names(sessions) == {"shared", "third"}


async def test_38_a_waiting_request_fails_when_rove_closes(home: Path) -> None:
    async with sessions_with(home, sessions=1, queue_seconds=30) as sessions:
        await sessions.open_session("first")
        late = await queue_session(sessions, "second")
    with pytest.raises(NotOpen):
        await asyncio.wait_for(late, 10)


async def test_38_an_idle_session_that_expires_makes_room(home: Path) -> None:
    async with sessions_with(home, sessions=1, queue_seconds=20, idle=0.5) as sessions:
        await sessions.open_session("forgotten")
        assert await sessions.open_session("next") == "next"


async def test_40_a_session_that_is_closed_while_its_browser_starts_leaves_no_pages(home: Path, site: Site) -> None:
    url = site.page("/", "<p>Page</p>")
    async with sessions_with(home, sessions=2) as sessions:
        call = asyncio.ensure_future(Session(sessions, await sessions.open_session("brief")).navigate(url))
        await until(lambda: any(session.running_calls for session in sessions._open.values()))
        await sessions.close_session("brief")
        with pytest.raises(RoveError):
            await asyncio.wait_for(call, 60)
        browser = sessions._browsers.shared._browser
        assert browser is None or chromium_browser(browser)._contexts == {}


async def test_38_a_refused_tab_names_the_tab_that_was_unused_longest(session: Session, site: Site) -> None:
    url = site.page("/", "<p>Page</p>")
    await session.navigate(url)
    for _ in range(session._engine.settings.limits.tabs - 1):
        await session.tabs("new", url=url)
    for tab in ("t1", "t3", "t4"):
        await session.using(tab=tab).extract("p")
    with pytest.raises(LimitReached) as refused:
        await session.tabs("new")
    assert f"t2 is longest unused: {url}" in refused.value.message
    assert "such as t2" in refused.value.hint


# Memory: an empty page fits, a page with a large array does not


LARGE_PAGE = (
    "<p>{name}</p><script>held = new Uint8Array({megabytes} << 20).fill(7); localStorage.kept = '{name}'</script>"
)


@pytest.fixture
def short_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "CHECK_INTERVAL", 0.1)
    monkeypatch.setattr(admission, "IDLE_SECONDS", 0.2)


async def test_39_an_idle_session_is_suspended_when_the_machine_is_short_of_memory(
    home: Path, site: Site, short_intervals: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sessions_with(home) as sessions:
        idle = Session(sessions, await sessions.open_session("idle"))
        await idle.navigate(site.page("/", "<p>Page</p>"))
        monkeypatch.setattr(memory, "available_memory", lambda: Memory(8 << 30, 100 << 20))
        await until(lambda: not idle._engine.has_pages)
        monkeypatch.setattr(memory, "available_memory", lambda: Memory(8 << 30, 4 << 30))
        restored = await idle.snapshot()
        assert "Page" in restored.result.text
        assert [event.kind for event in restored.events] == ["session restored"]


@pytest.mark.slow  # hundreds of megabytes
async def test_39_when_memory_is_short_the_longest_idle_session_is_suspended_and_restored_by_its_next_call(
    home: Path, site: Site, short_intervals: None
) -> None:
    heavy = [site.page(f"/{name}", LARGE_PAGE.format(name=name, megabytes=400)) for name in ("one", "two")]
    async with sessions_with(home, memory_megabytes=800) as sessions:
        one, two = [Session(sessions, await sessions.open_session(name)) for name in ("one", "two")]
        await one.navigate(heavy[0])
        # If memory runs short before the first session counts as idle, rove kills the page instead.
        await until(lambda: time.monotonic() - one._engine.last_used > admission.IDLE_SECONDS)
        await two.navigate(heavy[1])
        await until(lambda: not one._engine.has_pages)
        assert two._engine.has_pages
        # The session stays open, and its tabs are still listed.
        kept = next(known for known in sessions.sessions() if known["session"] == "one")
        assert kept["tabs"] == [{"id": "t1", "url": heavy[0], "is_current": True}]
        restored = await one.snapshot()
        assert "one" in restored.result.text
        assert [event.kind for event in restored.events] == ["session restored"]
        assert "memory was short" in restored.events[0].advice
        assert (await one.evaluate("localStorage.kept")).result.value == "one"


async def test_39_a_new_tab_and_a_new_session_are_refused_when_memory_is_short(
    home: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "CHECK_INTERVAL", 60)
    async with sessions_with(home, memory_megabytes=500) as sessions:
        session = Session(sessions, None)
        await session.navigate(site.page("/", LARGE_PAGE.format(name="heavy", megabytes=400)))
        for more in (session.tabs("new"), session.open_session("another")):
            with pytest.raises(LimitReached) as refused:
                await more
            assert "its limit is 500 MB" in refused.value.message
            assert refused.value.retry_after is not None
        # The open page keeps working; once it uses less memory, a new session is accepted.
        assert (await session.evaluate("held.length")).result.value == 400 << 20
        site.page("/light", "<p>Light</p>")
        await session.navigate(site.url("/light", host="localhost"))  # another site, so another process
        await until(lambda: memory.memory_shortage(500, memory_in_use(sessions)) is None)
        assert (await session.open_session("another")).result.session == "another"


def memory_in_use(sessions: Sessions) -> int | None:
    browser = sessions._browsers.shared.current
    return browser.memory_in_use() if browser is not None else None


@pytest.mark.slow  # hundreds of megabytes
async def test_39_a_page_whose_memory_keeps_growing_is_killed_and_the_others_are_not(
    home: Path, site: Site, short_intervals: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "IDLE_SECONDS", 60)
    # It begins to grow when the navigation has been answered.
    grow = """<p>Greedy</p><script>
        const held = [], grow = () => setInterval(() => held.push(new Uint8Array(2e7).fill(7)), 50)
        setTimeout(grow, 3000)</script>"""
    async with sessions_with(home, memory_megabytes=700) as sessions:
        greedy, modest = [Session(sessions, await sessions.open_session(name)) for name in ("greedy", "modest")]
        await modest.navigate(site.page("/modest", "<p>Modest</p>"))
        await greedy.navigate(site.page("/greedy", grow))
        tab = await (await greedy._engine.context(print)).tab()
        await until(lambda: chromium_tab(tab).page.is_crashed)
        assert memory.memory_shortage(1500, memory_in_use(sessions)) is None
        outcome = await greedy.navigate(site.url("/modest"))
        assert "tab reset" in [event.kind for event in outcome.events]
        assert (await modest.extract("p")).result.content == ("Modest",)


async def test_39_a_session_is_refused_when_the_machine_is_short_of_memory(
    home: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: Memory(8 << 30, 100 << 20))
    async with sessions_with(home) as sessions:
        session = Session(sessions, None)
        with pytest.raises(LimitReached) as refused:
            await session.navigate(site.page("/", "<p>Page</p>"))
        assert "only 100 MB of memory left" in refused.value.message
        monkeypatch.setattr(memory, "available_memory", lambda: Memory(8 << 30, 4 << 30))
        assert (await session.navigate(site.url("/"))).result.status == 200
