"""G1: What stops, kills or cuts off rove's own proxy is noticed and mended, and is not blamed on the server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest
from tests.loopback_servers import Handler, answering
from tests.processes import eventually
from tests.site import Site

from rove import Session
from rove.actions.fetch import WebFetch
from rove.actions.input import Click
from rove.actions.navigation import Navigate
from rove.browser.shared.tab import Tab
from rove.engine.sessions import Sessions
from rove.errors import BrowserUnavailable, DeadlineExceeded, NavigationFailed
from rove.guard.network import proxy_watch
from rove.outcome import AnyOutcome
from rove.settings.tree import Deadlines, Settings

pytestmark = pytest.mark.one_session

PAGE = "<h1>Before</h1><a href=/next>Next</a>"
SERVICE = b"network.mojom.NetworkService"
ENGINE = """
import asyncio, sys
from pathlib import Path
from rove.engine.network_access import EgressSettings
from rove.settings.tree import Settings
async def main():
    egress = EgressSettings(Settings(home=Path(sys.argv[1])))
    _, ready = egress.for_session().open()
    await ready
    print(egress.process.pid, flush=True)
    await asyncio.sleep(100)
asyncio.run(main())
"""


@pytest.fixture
async def proxy(session: Session, sessions: Sessions, site: Site) -> AsyncGenerator[Callable[[], int]]:
    """The id of the proxy process now; a page is open."""
    site.page("/next", "<h1>After</h1>")
    await session.navigate(site.page("/", PAGE))

    def pid() -> int:
        found = sessions._egress_settings.process.pid
        assert found is not None
        return found

    yield pid
    assert await asyncio.to_thread(eventually, lambda: sessions._egress_settings.process.pid is not None, 10)


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """End a proxy that does not answer after 1 s instead of 4 s."""
    monkeypatch.setattr(proxy_watch, "_INTERVAL", 0.125)


def kinds(outcome: AnyOutcome) -> list[str]:
    return [str(event.kind) for event in outcome.events]


@pytest.mark.usefixtures("_impatient")
async def test_a_stopped_proxy_is_replaced_and_the_navigation_repeated(
    session: Session, site: Site, proxy: Callable[[], int]
) -> None:
    stopped = proxy()
    os.kill(stopped, signal.SIGSTOP)
    outcome = await session.navigate(site.url("/next"))
    assert "After" in outcome.changes.text
    (event,) = [event for event in outcome.events if event.kind == "proxy restarted"]
    assert "did not answer" in event.text
    assert proxy() != stopped
    assert not Path(f"/proc/{stopped}").exists()
    assert kinds(await session.snapshot()) == [], "it is told once"


@pytest.mark.usefixtures("_impatient")
async def test_a_click_whose_page_waits_for_a_stopped_proxy_tells_of_the_proxy(
    session: Session, proxy: Callable[[], int]
) -> None:
    os.kill(proxy(), signal.SIGSTOP)
    assert "proxy restarted" in kinds(await session.click("text=Next"))


async def test_a_call_that_ends_before_a_stopped_proxy_is_replaced_does_not_blame_the_server(
    session: Session, site: Site, proxy: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy_watch, "_INTERVAL", 0.1)
    monkeypatch.setattr(proxy_watch, "_UNANSWERED_LIMIT", 10_000)
    stopped = proxy()
    os.kill(stopped, signal.SIGSTOP)
    try:
        with pytest.raises(DeadlineExceeded) as raised:
            await session.run(Navigate(site.url("/next")), timeout=2)
        assert "rove's own proxy does not answer" in raised.value.message
        assert "server has not answered" not in raised.value.hint
        with pytest.raises(DeadlineExceeded) as fetched:
            await session.run(WebFetch(site.url("/next")), timeout=2)
        assert "rove's own proxy does not answer" in fetched.value.message
        clicked = await session.run(Click("text=Next"), timeout=2)
        assert any("rove's own proxy does not answer" in text for text in clicked.pending)
    finally:
        os.kill(stopped, signal.SIGCONT)
    assert "After" in (await session.navigate(site.url("/next"))).changes.text
    assert proxy() == stopped


async def test_a_proxy_that_answers_is_not_replaced_while_a_server_is_silent(
    session: Session, proxy: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy_watch, "_INTERVAL", 0.05)
    running, hold = proxy(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await hold.wait()

    async with answering(silent) as port:
        with pytest.raises(DeadlineExceeded) as raised:
            await session.run(Navigate(f"http://127.0.0.1:{port}/"), timeout=2)
        hold.set()
    assert "proxy" not in raised.value.message
    assert proxy() == running


@pytest.mark.parametrize("head", [b"HTTP/1.0 200 OK", b"HTTP/1.1 200 OK\r\nContent-Length: 9000"])
async def test_a_page_that_was_cut_by_the_death_of_the_proxy_is_told_as_cut(
    session: Session, sessions: Sessions, proxy: Callable[[], int], head: bytes
) -> None:
    async with answering(_half_a_page(head)) as port:
        tab = await (await sessions.session(session.name).context(lambda message: None)).tab(None)
        assert isinstance(tab, Tab)
        load_state = tab.page.load_state
        commits = load_state.commits
        loading = asyncio.ensure_future(session.navigate(f"http://127.0.0.1:{port}/"))
        await load_state.wait_for_commit(commits)
        # Browsers do not tell of all data that arrives while a document is committed.
        while "Half" not in str(await tab.evaluate("document.body?.innerText")):
            assert not loading.done()
            await asyncio.sleep(0.01)
        os.kill(proxy(), signal.SIGKILL)
        with pytest.raises(NavigationFailed) as raised:
            await loading
    assert "rove's own proxy process ended" in raised.value.message
    assert "partly loaded" in raised.value.message
    assert "snapshot" in raised.value.hint
    shown = await session.snapshot()
    assert "Half" in str(shown.result)
    assert "proxy restarted" in kinds(shown)


async def test_a_page_that_is_cut_after_the_call_that_loads_it_is_told_as_cut_by_the_next(
    session: Session, proxy: Callable[[], int]
) -> None:
    async with answering(_half_a_page(b"HTTP/1.0 200 OK")) as port:
        await session.run(Navigate(f"http://127.0.0.1:{port}/", wait_until="commit"), timeout=20)
        killed = proxy()
        os.kill(killed, signal.SIGKILL)
        assert await asyncio.to_thread(eventually, lambda: not Path(f"/proc/{killed}/fd/0").exists(), 5)
        told = set[str]()
        async with asyncio.timeout(30):
            while not {"proxy restarted", "request failed"} <= told:
                told.update(kinds(await session.snapshot()))


def _half_a_page(head: bytes) -> Handler:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head + b"\r\nContent-Type: text/html\r\n\r\n<h1>Half</h1>" + b" " * 4096)
        await reader.read()

    return serve


async def test_a_connection_that_the_proxy_resets_is_not_blamed_on_the_server(
    session: Session, sessions: Sessions, proxy: Callable[[], int]
) -> None:
    async def hello(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Hello</h1>")

    network, ended = sessions.session(session.name).network, proxy()
    os.kill(ended, signal.SIGKILL)  # a browser may keep connections, over which the proxy still serves it
    assert await asyncio.to_thread(eventually, lambda: sessions._egress_settings.process.pid not in (None, ended), 10)
    running = proxy()
    async with answering(hello) as port:
        url = f"http://127.0.0.1:{port}/"
        await network.trust(1, loads_now=True)  # so that the browser is a stranger to the proxy
        with pytest.raises(NavigationFailed) as raised:
            await session.navigate(url)
        assert "The connection to rove's own proxy ended" in raised.value.message
        await network.trust(browser_of(sessions), loads_now=True)
        assert "Hello" in (await session.navigate(url)).changes.text
    assert proxy() == running


def test_a_stopped_proxy_ends_with_the_engine(tmp_path: Path) -> None:
    engine = subprocess.Popen([sys.executable, "-c", ENGINE, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert engine.stdout is not None
    proxy = int(engine.stdout.readline())
    os.kill(proxy, signal.SIGSTOP)
    engine.kill()
    engine.wait()
    assert eventually(lambda: not Path(f"/proc/{proxy}/fd/0").exists(), 5)


def test_a_proxy_whose_engine_ended_before_the_kernel_was_asked_ends_at_once() -> None:
    program = "from rove.guard.network.parent_death import end_with_parent; end_with_parent({}); print('lives')"
    for engine, printed in ((os.getpid(), "lives\n"), (1, "")):
        command = [sys.executable, "-c", program.format(engine)]
        assert subprocess.run(command, capture_output=True, text=True).stdout == printed


@pytest.mark.engines("chromium", reason="Firefox has no network process of its own")
async def test_a_browser_that_lost_its_network_process_fails_no_navigation_and_tells_it_otherwise(
    home: Path, site: Site
) -> None:
    site.page("/next", "<h1>After</h1>")
    deadlines = Deadlines(action=30, launch=60)
    settings = Settings(home=home / "network", allow_host=(f"127.0.0.1:{site.port}",), deadlines=deadlines)
    async with Sessions(settings) as sessions:
        session = Session(sessions, None)
        await session.navigate(site.page("/", PAGE))
        kill_network_service(browser_of(sessions))
        outcome = await session.navigate(site.url("/"))
        assert "browser restarted" in kinds(outcome)
        group = browser_of(sessions)
        killed = kill_network_service(group)
        # The browser has noticed it, so that the click is no request of the process that died.
        assert await asyncio.to_thread(eventually, lambda: bool(network_services(group) - killed), 20)
        with pytest.raises(BrowserUnavailable) as raised:
            await session.click("text=Next")
        assert raised.value.message == "The browser lost its network process during this call."
        assert "browser restarted" in kinds(await session.snapshot())


def browser_of(sessions: Sessions) -> int:
    """Return the process group of the browser that sessions share."""
    browser = sessions._browsers.shared.current
    assert browser is not None
    group = browser.process_group
    assert group is not None
    return group


def kill_network_service(group: int) -> set[int]:
    killed = network_services(group)
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    return killed


def network_services(group: int) -> set[int]:
    """Return the processes of a browser's network service."""
    found = set[int]()
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):  # it has ended, or is no process
            if os.getpgid(int(entry.name)) == group and SERVICE in (entry / "cmdline").read_bytes():
                found.add(int(entry.name))
    return found
