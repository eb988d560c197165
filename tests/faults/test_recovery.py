"""A browser that dies or hangs is noticed, reported once, and replaced with the state of its sessions."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest
from tests.chromium_internals import chromium_browser, chromium_tab
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.extract import Extract
from rove.browser.chromium.connection import PipeTransport
from rove.browser.shared.watchdog import processes_of
from rove.engine.network_access import NetworkAccess
from rove.engine.sessions import Sessions
from rove.errors import BrowserUnavailable, NavigationFailed, RoveError
from rove.settings.tree import Deadlines, Settings

PAGE = "<h1>Good</h1><script>localStorage.kept = 'yes'; document.cookie = 'a=b; max-age=999'</script>"


@pytest.fixture
async def own(home: Path) -> AsyncGenerator[Session]:
    """A session with a browser of its own, which tests kill or stop."""
    settings = Settings(allow_host=OWN_SITES, home=home / "own", deadlines=Deadlines(action=30, launch=60))
    async with Sessions(settings) as sessions:
        yield Session(sessions, None)


async def eventually_async(condition: Callable[[], bool]) -> bool:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)
    return True


def browser_pids(home: Path) -> list[int]:
    (folder,) = (home / "own" / "run").iterdir()
    found: list[int] = []
    for pid in processes_of(folder):
        words = Path(f"/proc/{pid}/cmdline").read_text()
        if "--type=" not in words:
            found.append(pid)
    return found


@pytest.mark.parametrize("signal_sent", [signal.SIGKILL, signal.SIGSTOP])
async def test_33_the_call_after_the_browser_was_killed_or_stopped_has_its_page_cookies_and_storage(
    own: Session, site: Site, home: Path, signal_sent: signal.Signals
) -> None:
    await own.navigate(site.page("/", PAGE))
    engine = own._engine
    assert await eventually_async(lambda: engine.backup.saved is not None)
    for pid in browser_pids(home):
        os.kill(pid, signal_sent)
    began = time.monotonic()
    with pytest.raises(BrowserUnavailable) as caught:
        await own.evaluate("1")
    assert time.monotonic() - began < 10  # five seconds on an idle machine
    has_frozen = signal_sent == signal.SIGSTOP
    assert ("froze" if has_frozen else "died") in caught.value.message
    restored = await own.snapshot()
    assert [event.kind for event in restored.events] == ["browser restarted"]
    assert ("froze and was replaced" in restored.events[0].advice) is has_frozen
    assert 'heading "Good"' in restored.result.text
    answer = await own.evaluate("[localStorage.kept, document.cookie]")
    assert answer.result.value == ["yes", "a=b"]
    assert answer.events == ()


async def test_33_what_the_last_of_several_quick_calls_stored_is_restored_too(
    own: Session, site: Site, home: Path
) -> None:
    def is_kept() -> bool:
        saved = own._engine.backup.saved
        return (
            saved is not None and saved.state is not None and any(each.local for each in saved.state.origins.values())
        )

    await own.navigate(site.page("/", "<h1>Plain</h1>"))
    assert await eventually_async(lambda: own._engine.backup.saved is not None)
    await own.evaluate("localStorage.kept = 'later'; document.cookie = 'a=c; max-age=999'")
    assert await eventually_async(is_kept)  # although no call follows that would save it
    for pid in browser_pids(home):
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(BrowserUnavailable):
        await own.evaluate("1")
    assert (await own.evaluate("[localStorage.kept, document.cookie]")).result.value == ["later", "a=c"]


@pytest.mark.parametrize("signal_sent", [signal.SIGKILL, pytest.param(signal.SIGSTOP, marks=pytest.mark.slow)])
async def test_33_every_session_gets_its_tabs_cookies_and_storage_back_and_one_event(
    own: Session, site: Site, home: Path, signal_sent: signal.Signals
) -> None:
    other = await own.another("other")
    for session, name in ((own, "own"), (other, "other")):
        page = f"<h1>{name}</h1><script>localStorage.kept = '{name}'; document.cookie = 'whose={name}'</script>"
        await session.navigate(site.page(f"/{name}", page))
        await session.tabs("new", url=site.page(f"/{name}/second", f"<h1>{name} second</h1>"))
        await session.tabs("switch", tab="t1")
    engines = [own._engine, other._engine]
    for engine in engines:
        engine.backup._last_save = 0.0
    await asyncio.gather(own.snapshot(), other.snapshot())
    assert await eventually_async(
        lambda: all(engine.backup._save_task and engine.backup._save_task.done() for engine in engines)
    )
    for pid in browser_pids(home):
        os.kill(pid, signal_sent)
    with pytest.raises(BrowserUnavailable):
        await own.evaluate("1")
    for session, name in ((own, "own"), (other, "other")):
        restored = await session.snapshot()
        assert [event.kind for event in restored.events] == ["browser restarted"]
        assert f'heading "{name}"' in restored.result.text
        stored = await session.evaluate("[localStorage.kept, document.cookie]")
        assert stored.result.value == [name, f"whose={name}"]
        assert stored.events == ()
        tabs = (await session.tabs()).result.tabs
        assert [(tab.id, tab.is_current) for tab in tabs] == [("t1", True), ("t2", False)]
        assert (await session.using(tab="t2").extract("h1")).result.content == (f"{name} second",)
    assert len(list((home / "own" / "run").iterdir())) == 1


async def test_34_when_its_pipe_is_closed_the_browser_is_replaced(own: Session, site: Site, home: Path) -> None:
    await own.navigate(site.page("/", PAGE))
    browser = chromium_browser(own._sessions._browsers.shared._browser)
    transport = browser._connection._transport
    assert isinstance(transport, PipeTransport) and transport._output is not None
    waiting = asyncio.ensure_future(own.wait(text="Never"))
    transport._output.abort()
    with pytest.raises(BrowserUnavailable):
        await asyncio.wait_for(waiting, 20)
    assert 'heading "Good"' in (await own.snapshot()).result.text
    assert len(list((home / "own" / "run").iterdir())) == 1


@pytest.mark.parametrize("kind", ["--utility-sub-type=network", "--type=gpu-process"])
async def test_33_a_browser_works_again_after_its_network_or_gpu_process_is_killed(
    own: Session, site: Site, home: Path, kind: str
) -> None:
    await own.navigate(site.page("/", PAGE))
    engine = own._engine
    assert await eventually_async(lambda: engine.backup.saved is not None)
    (folder,) = (home / "own" / "run").iterdir()
    pids = [pid for pid in processes_of(folder) if kind in Path(f"/proc/{pid}/cmdline").read_text()]
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    for _ in range(3):  # the call during which it dies, and the one that finds it dead
        with contextlib.suppress(NavigationFailed, BrowserUnavailable):
            outcome = await own.navigate(site.page("/next", "<h1>Next</h1>"))
            break
    assert 'heading "Next"' in outcome.changes.text
    assert (await own.evaluate("[localStorage.kept, document.cookie]")).result.value == ["yes", "a=b"]


@pytest.mark.parametrize("way", ["killed", pytest.param("suspended", marks=pytest.mark.slow)])
async def test_33_a_session_that_was_offline_is_restored_offline(
    own: Session, site: Site, home: Path, way: str
) -> None:
    await own.navigate(site.page("/", PAGE))
    await own.clipboard("kept")
    await own.offline()
    asked = len(site.requests)
    if way == "suspended":
        assert await own._engine.suspend()
    else:
        for pid in browser_pids(home):
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(BrowserUnavailable):
            await own.evaluate("1")
    assert (await own.clipboard()).result.text == "kept"
    assert (await own.evaluate("navigator.onLine")).result.value is False
    assert len(site.requests) == asked


async def test_31_a_crashed_page_is_reset_and_reported(own: Session, site: Site, home: Path) -> None:
    await own.navigate(site.page("/", PAGE))
    context = own._engine._context
    assert context is not None
    crashing = asyncio.ensure_future(chromium_tab(context.current).page.cdp.send("Page.crash"))
    with pytest.raises(RoveError):
        await own.run(Extract("h1"), timeout=3)
    crashing.cancel()
    outcome = await own.navigate(site.url("/"))
    assert "tab reset" in [event.kind for event in outcome.events]
    assert 'heading "Good"' in outcome.changes.text


async def test_58_a_browser_that_cannot_start_is_not_started_again_and_again(home: Path, site: Site) -> None:
    broken = home / "broken-browser"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    settings = Settings(allow_host=OWN_SITES, home=home / "own", browser=broken, deadlines=Deadlines(launch=20))
    async with Sessions(settings) as sessions:
        session = Session(sessions, None)
        hints: list[str] = []
        for _ in range(4):
            with pytest.raises(BrowserUnavailable) as raised:
                await session.navigate(site.url("/"))
            hints.append(raised.value.hint)
    assert "another try is made in" in hints[-1]
    assert list((home / "own" / "run").iterdir()) == []


async def test_33_a_browser_that_dies_while_a_session_opens_fails_one_call_only(
    own: Session, home: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session has no pages yet, so no event reports them as lost."""
    applied = NetworkAccess.applied

    async def apply_then_kill_browser(network: NetworkAccess) -> None:
        await applied(network)
        browsers = own._engine.directory._sessions._browsers.shared  # type: ignore[attr-defined]
        await eventually_async(lambda: browsers._browser is not None and bool(browsers._browser._contexts))
        browser = browsers._browser
        (context,) = browser._contexts.values()
        await eventually_async(lambda: context.current is not None)
        os.kill(browser_pids(home)[0], signal.SIGKILL)
        await eventually_async(lambda: not browser._connection.is_open)
        monkeypatch.undo()

    monkeypatch.setattr(NetworkAccess, "applied", apply_then_kill_browser)
    url = site.page("/", PAGE)
    with pytest.raises(BrowserUnavailable):
        await own.navigate(url)
    assert (await own.navigate(url)).result.status == 200
