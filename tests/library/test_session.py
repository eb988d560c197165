"""The Python library as its users meet it: signatures, defaults, errors, several sessions."""

from __future__ import annotations

import asyncio
import inspect
import threading
import traceback
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.site import OWN_SITES, Site

import rove
from rove.action import registry
from rove.surfaces.library.blocking_methods import BlockingMethods


@pytest.fixture
def settings(home: Path) -> dict[str, Any]:
    return {"home": home, "allow_host": OWN_SITES}


@pytest.fixture
async def session(settings: dict[str, Any]) -> AsyncGenerator[rove.Session]:
    async with rove.open(**settings) as session:
        yield session


def test_every_action_is_a_coroutine_function_with_its_own_signature_and_docstring() -> None:
    for verb, action in registry().items():
        method = getattr(rove.Session, verb)
        assert inspect.iscoroutinefunction(method)
        assert not inspect.iscoroutinefunction(getattr(BlockingMethods, verb))
        assert method.__qualname__.endswith(f".{verb}")
        assert method.__doc__.startswith((action.__doc__ or "").strip()[:20])
    click = inspect.signature(rove.Session.click)
    assert list(click.parameters) == ["self", "target", "button", "count", "modifiers", "hold"]
    assert click.parameters["button"].default == "left"


def test_public_names_are_listed_before_they_are_imported() -> None:
    assert {"open", "sync", "adapters", "tools", "Session"} <= {*dir(rove)}
    assert "openai_agents" in dir(rove.adapters)


async def test_using_keeps_what_was_set_before(session: rove.Session, site: Site) -> None:
    await session.navigate(site.page("/", "<button onclick='this.textContent=1'>Go</button>"))
    quiet = session.using(quiet=True).using(timeout=20)
    assert (await quiet.click("button")).changes.kind == "silent"
    assert (await quiet.using(quiet=False).reload()).changes.kind != "silent"


async def test_a_traceback_shows_the_code_and_a_hint_in_the_words_of_python(session: rove.Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    with pytest.raises(rove.RoveError) as caught:
        await session.click('button "Save"')
    shown = traceback.format_exception(caught.value)
    assert "element_not_found" in shown[-1]
    assert "session.snapshot()" in shown[-1]
    assert len(shown) < 12


async def test_start_and_close_work_beside_the_context_manager(settings: dict[str, Any], site: Site) -> None:
    opening = rove.open(**settings)
    with pytest.raises(rove.RoveError, match="not open"):
        await opening.session("early")
    session = await opening.start()
    await session.navigate(site.page("/", "<p>Page</p>"))
    second = await opening.session("second")
    await second.navigate(site.url("/"))
    await second.close()
    await second.close()  # closing twice does nothing
    await session.close()
    await opening.close()
    with pytest.raises(rove.RoveError):
        await session.navigate(site.url("/"))


async def test_sessions_of_one_browser_work_at_once_and_leave_no_file_behind(
    session: rove.Session, site: Site, home: Path
) -> None:
    address = site.page("/", "<p>Page</p>")
    async with await session.another("left") as left, await session.another("right") as right:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each.navigate(address)) for each in (left, right)]
        assert [task.result().result.status for task in tasks] == [200, 200]
    await session.close()
    assert [path.name for path in home.rglob("*~underway*") if path.name.startswith(("left", "right"))] == []


async def test_lists_are_taken_where_tuples_are_declared(session: rove.Session, site: Site) -> None:
    await session.navigate(site.page("/", "<select multiple><option>A<option>B</select>"))
    chosen = await session.select("select", ["A", "B"])
    assert "A" in str(chosen.result)


def test_the_blocking_session_works_without_a_loop(settings: dict[str, Any], site: Site) -> None:
    with rove.sync.open(**settings) as session:
        assert session.navigate(site.page("/", "<p>Page</p>")).result.status == 200
        with session.another("second") as second:
            second.navigate(site.url("/"))
            assert second.using(quiet=True).extract("p").result.content == ("Page",)
        with pytest.raises(rove.RoveError):
            session.click("e99")
        tools = rove.sync.tools(session)
        assert len(tools.schemas("openai")) == len(tools)
        assert "Page" in tools.call("browser_snapshot").text
    assert tools.call("browser_snapshot").code == "not_open"


async def test_the_blocking_session_works_where_a_loop_runs(settings: dict[str, Any], site: Site) -> None:
    address = site.page("/", "<p>Page</p>")
    opening = rove.sync.open(**settings)
    session = opening.start()
    try:
        # A loop that is blocked cannot serve the page, so another thread waits for it.
        assert (await asyncio.to_thread(session.navigate, address)).result.status == 200
        assert session.extract("p").result.content == ("Page",)
    finally:
        session.close()


def test_a_call_of_another_thread_ends_when_the_blocking_session_is_closed(
    settings: dict[str, Any], site: Site, home: Path
) -> None:
    held = threading.Event()
    slow = site.page("/held", "<p>Late</p>", hold=held)
    caught: list[BaseException] = []

    def load(session: rove.sync.Session) -> None:
        try:
            session.navigate(slow)
        except rove.RoveError as error:
            caught.append(error)

    with rove.sync.open(**settings) as session:
        session.navigate(site.page("/", "<p>Page</p>"))
        thread = threading.Thread(target=load, args=[session])
        thread.start()
        while all(request.path != "/held" for request in site.requests):
            thread.join(0.02)
    thread.join(20)
    held.set()
    assert not thread.is_alive()
    assert len(caught) == 1
    with pytest.raises(rove.RoveError, match="closed"):
        session.reload()


async def test_a_call_under_way_ends_with_not_open_when_the_browser_is_closed(
    settings: dict[str, Any], site: Site
) -> None:
    opening = rove.open(**settings)
    session = await opening.start()
    opened = await session.navigate(site.page("/", "<p>Page</p>"))
    assert len(repr(opened)) < 200
    held = threading.Event()
    running = asyncio.create_task(session.navigate(site.page("/held", "<p>Late</p>", hold=held)))
    while not site.asked("/held"):
        await asyncio.sleep(0.02)
    await session.close()
    held.set()
    with pytest.raises(rove.RoveError) as caught:
        await running
    assert caught.value.code == "not_open"


def test_a_session_says_that_it_works_in_one_event_loop_only(settings: dict[str, Any]) -> None:
    opening = rove.open(**settings)
    runner = asyncio.Runner()
    try:
        session = runner.run(opening.start())
        for use in (session.status, opening.close):
            with pytest.raises(rove.RoveError, match="event loop") as caught:
                asyncio.run(use())
            assert caught.value.code == "not_open"
        runner.run(opening.close())
    finally:
        runner.close()


async def test_slips_of_beginners_are_told_what_to_write(session: rove.Session, settings: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"rove\.sync\.open"), rove.open(**settings):
        pass
    with pytest.raises(TypeError, match="start"):
        await rove.open(**settings)
    with pytest.raises(rove.RoveError, match="timeout"):
        session.using(timeout=-1)
    with pytest.raises(rove.RoveError, match="no setting") as caught:
        rove.open(allow_hst="a")
    assert "invalid_settings" in caught.value.__notes__[0]
    await session.another("guest")
    for name in ("guest", "default"):
        with pytest.raises(rove.RoveError, match="open already"):
            await session.another(name)
    with pytest.raises(TypeError, match=r"rove\.sync"):
        rove.tools(rove.sync.Session(session, None))  # type: ignore[arg-type]
