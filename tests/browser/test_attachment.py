"""Attaching to a browser that a person runs themselves."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.chromium_internals import chromium_browser
from tests.loopback_servers import answering
from tests.person import Person, person_with
from tests.site import Site, serving

from rove import Session
from rove.engine.guard_notice import UNGUARDED
from rove.engine.sessions.sessions import Sessions
from rove.errors import BrowserUnavailable, Denied, InvalidSettings, NotOpen, Unsupported
from rove.render.outcomes import as_text
from rove.settings.tree import Deadlines, Settings, load

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow

WARNING = "NOT GUARDED"
MINE = "<title>Mine</title><h1>Mine</h1><button onclick=\"this.textContent = 'Pressed'\">Press</button>"


@pytest.fixture
def mine(site: Site) -> str:
    """The page that the person has open, which has set a cookie."""
    return site.page("/mine", MINE, headers={"Set-Cookie": "who=person; Path=/"})


@pytest.fixture
def person(tmp_path: Path, mine: str) -> Generator[Person]:
    with person_with(tmp_path / "profile", mine) as person:
        person.until_titled("Mine")
        yield person


@pytest.fixture
def attached(person: Person, site: Site, tmp_path: Path) -> Settings:
    """Settings that attach to the browser and allow only the test site on this machine."""
    return Settings(
        home=tmp_path / "home",
        attach=person.url,
        allow_host=(f"127.0.0.1:{site.port}",),
        deadlines=Deadlines(action=30, launch=60),
    )


@pytest.fixture
async def sessions(attached: Settings) -> AsyncGenerator[Sessions]:
    async with Sessions(attached) as sessions:
        sessions.start_early()
        yield sessions


@pytest.fixture
def session(sessions: Sessions) -> Session:
    """The default session, which uses the person's own browser context."""
    return Session(sessions, None)


@pytest.fixture
def local_server() -> Generator[Site]:
    """A server on this machine that pages are not allowed to reach."""
    with serving() as local_server:
        local_server.page("/", "<h1>Canary</h1>", headers={"Access-Control-Allow-Origin": "*"})
        yield local_server


async def listed(session: Session) -> list[tuple[str, str]]:
    return [(tab.id, tab.url) for tab in (await session.tabs()).result.tabs]


async def open_tab(session: Session, person: Person, url: str) -> str:
    """Open a tab as the person does; return its id."""
    await asyncio.to_thread(person.open, url)
    async with asyncio.timeout(30):
        while not (ids := [identity for identity, address in await listed(session) if address == url]):
            await asyncio.sleep(0.02)
    return ids[0]


async def eventually(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)


# Tabs


async def test_the_persons_tab_is_listed_can_be_used_and_stays_open(
    person: Person, attached: Settings, mine: str
) -> None:
    async with Sessions(attached) as sessions:
        session = Session(sessions, None)
        assert await listed(session) == [("t1", mine)]
        assert 'heading "Mine"' in (await session.using(tab="t1").snapshot()).result.text
        assert '"Pressed"' in (await session.using(tab="t1").click('button "Press"')).changes.text
    assert person.tabs == [mine]
    async with Sessions(attached) as sessions:
        seen = await Session(sessions, None).using(tab="t1").snapshot()
    assert 'button "Pressed"' in seen.result.text, "the page was not reloaded"


async def test_a_call_that_names_no_tab_leaves_the_persons_tab_alone(
    session: Session, person: Person, site: Site, mine: str
) -> None:
    other = site.page("/other", "<h1>Other</h1>")
    assert (await session.navigate(other)).tab == "t2"
    assert person.tabs == sorted([mine, other])


async def test_tabs_and_popups_that_rove_opened_are_closed_at_the_end(
    attached: Settings, person: Person, site: Site, mine: str
) -> None:
    popup = site.page("/popup", "<h1>Popup</h1>")
    async with Sessions(attached) as sessions:
        session = Session(sessions, None)
        await session.navigate(site.page("/", "<button onclick=\"window.open('/popup')\">Open</button>"))
        clicked = await session.click("button")
        assert [event.kind for event in clicked.events] == ["new tab"]
        person.until_tabs_are(popup, site.url("/"), mine)
    person.until_tabs_are(mine)
    assert person.is_running


async def test_closing_the_session_closes_its_tabs_and_the_next_call_opens_it_again(
    session: Session, person: Person, site: Site, mine: str
) -> None:
    await session.navigate(site.page("/", "<h1>Hi</h1>"))
    await session.using(tab="t1").snapshot()
    await session.close_session()
    person.until_tabs_are(mine)
    assert 'heading "Mine"' in (await session.using(tab="t1").snapshot()).result.text


async def test_closing_a_tab_of_the_person_is_denied(session: Session, person: Person, mine: str) -> None:
    with pytest.raises(Denied):
        await session.tabs("close", tab="t1")
    assert person.tabs == [mine]


async def test_tabs_that_the_person_opens_and_closes_appear_and_disappear(
    session: Session, sessions: Sessions, person: Person, site: Site, mine: str
) -> None:
    assert await listed(session) == [("t1", mine)]
    assert await open_tab(session, person, site.page("/later", "<h1>Later</h1>")) == "t2"
    assert 'heading "Later"' in (await session.using(tab="t2").snapshot()).result.text
    await asyncio.to_thread(person.close, site.url("/later"))
    await eventually(lambda: len(sessions.sessions()[0]["tabs"]) == 1)
    assert await listed(session) == [("t1", mine)]
    with pytest.raises(NotOpen):
        await session.using(tab="t2").snapshot()


async def test_a_tab_with_a_file_url_is_not_listed(session: Session, person: Person, tmp_path: Path, mine: str) -> None:
    (tmp_path / "diary.html").write_text("<h1>Dear diary</h1>")
    await asyncio.to_thread(person.open, (tmp_path / "diary.html").as_uri())
    assert await listed(session) == [("t1", mine)]
    with pytest.raises(NotOpen):
        await session.using(tab="t2").snapshot()


async def test_frames_that_were_loaded_before_rove_attached_can_be_used(
    session: Session, person: Person, site: Site
) -> None:
    site.page("/inner", "<button onclick=\"this.textContent = 'Yes'\">In</button>")
    other = site.url("/inner", "localhost")
    outer = site.page("/outer", f'<iframe src="/inner"></iframe><iframe src="{other}"></iframe>')
    framed = session.using(tab=await open_tab(session, person, outer))
    await framed.wait(text="In")
    assert (await framed.snapshot()).result.text.count('button "In"') == 2
    assert '"Yes"' in (await framed.click("f1e1")).changes.text


async def test_password_fields_of_a_page_loaded_before_rove_attached_are_guarded(
    session: Session, person: Person, site: Site
) -> None:
    page = site.page("/login", "<label>Password <input type=password></label>")
    login = session.using(tab=await open_tab(session, person, page))
    for typing in (login.fill("input", "hunter2"), login.type("hunter2", "input")):
        with pytest.raises(Denied):
            await typing
    assert (await login.evaluate("document.querySelector('input').value")).result.value == ""


async def test_a_download_is_reported_and_left_to_the_browser(session: Session, site: Site, attached: Settings) -> None:
    site.page("/file.bin", "abc", kind="application/octet-stream", headers={"Content-Disposition": "attachment"})
    await session.navigate(site.page("/", '<a href="/file.bin">File</a>'))
    kinds = [event.kind for event in (await session.click("a")).events]
    async with asyncio.timeout(30):
        while not any(kind.startswith("download") for kind in kinds):
            kinds += [event.kind for event in (await session.snapshot()).events]
    assert not (attached.workspace_folder / "downloads").exists()


# Cookies


async def test_the_default_session_has_the_persons_cookies_and_a_named_session_has_none(
    session: Session, site: Site
) -> None:
    echo = site.page("/echo", "<h1>Echo</h1>")
    await session.navigate(echo)
    await (await session.another("beside")).navigate(echo)
    assert [request.headers.get("Cookie") for request in site.asked("/echo")] == ["who=person", None]


# Guarding


async def test_pages_can_reach_this_machine_in_the_default_session_but_not_in_a_named_one(
    session: Session, site: Site, local_server: Site
) -> None:
    page = site.page(
        "/",
        f"<h1>Trying</h1><script>fetch('{local_server.url()}').then(() => 'reached', () => 'kept away')"
        ".then(said => document.querySelector('h1').textContent = said)</script>",
    )
    named = await session.another("beside")
    await named.navigate(page)
    await named.wait(text="kept away")
    assert local_server.requests == []
    await session.navigate(page)
    await session.wait(text="reached")
    assert [request.path for request in local_server.requests] == ["/"]


async def test_an_address_that_the_agent_navigates_to_is_still_checked(session: Session, local_server: Site) -> None:
    with pytest.raises(Denied):
        await session.navigate(local_server.url())
    assert local_server.requests == []


async def test_a_page_behind_a_redirect_to_a_forbidden_address_is_not_read(
    session: Session, site: Site, local_server: Site
) -> None:
    away = site.page("/away", "", status=302, headers={"Location": local_server.url()})
    outcome = await session.navigate(away)
    assert "Canary" not in as_text(outcome)
    assert "not shown" in [event.kind for event in outcome.events]
    with pytest.raises(Denied):
        await session.snapshot()


async def test_the_logins_of_the_persons_browser_are_neither_saved_nor_replaced(session: Session, mine: str) -> None:
    for attempt in (session.save_state("x"), session.load_state("x"), session.open_session("y", state="x")):
        with pytest.raises(Unsupported):
            await attempt
    assert (await session.states()).result.states == ()


async def test_navigating_to_the_browsers_debugging_port_is_denied(
    attached: Settings, person: Person, site: Site, tmp_path: Path
) -> None:
    everything = Settings(home=tmp_path / "home", attach=person.url, allow_host=("127.0.0.1", "localhost"))
    async with Sessions(everything) as sessions:
        session = Session(sessions, None)
        for each in (session, await session.another()):
            for host in ("127.0.0.1", "localhost"):
                with pytest.raises(Denied):
                    await each.navigate(f"http://{host}:{person.port}/json/list")


# Warnings


async def test_the_first_outcome_warns_that_the_session_is_not_guarded_and_status_warns_every_time(
    session: Session, mine: str
) -> None:
    first, second = await session.using(tab="t1").snapshot(), await session.using(tab="t1").snapshot()
    assert [event.kind for event in first.events] == ["not guarded"]
    assert str(UNGUARDED) in as_text(first)
    assert second.events == ()
    for _ in range(2):
        assert WARNING in as_text(await session.status())


async def test_a_batch_warns_that_the_session_is_not_guarded(session: Session, site: Site) -> None:
    done = await session.batch(({"action": "navigate", "url": site.page("/", "<h1>Hi</h1>")},))
    assert WARNING in as_text(done)


async def test_every_journal_entry_records_what_is_guarded(session: Session, attached: Settings) -> None:
    await session.tabs()
    await (await session.another("beside")).tabs()
    entries = {
        name: [json.loads(line) for line in (attached.journal_folder / f"{name}.jsonl").read_text().splitlines()]
        for name in ("default", "beside")
    }
    assert {entry["guard"] for entry in entries["default"]} == {"not guarded"}
    assert {entry["guard"] for entry in entries["beside"]} == {"guarded in part"}
    assert "not guarded" in rove(attached.home, "journal", "show", "default").stdout


def rove(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rove", *words, "--home", str(home)],
        capture_output=True, text=True, timeout=100, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_the_server_doctor_and_config_show_warn_that_it_is_not_guarded(
    person: Person, tmp_path: Path, mine: str
) -> None:
    served = rove(tmp_path, "mcp", "--attach", person.url)
    assert served.stdout == "" and WARNING in served.stderr
    assert not (tmp_path / "run").exists(), "no browser of our own was started"
    looked_at = rove(tmp_path, "doctor", "--attach", person.url)
    assert looked_at.returncode == 0 and WARNING in looked_at.stdout
    assert WARNING in rove(tmp_path, "config", "show", "--attach", person.url).stdout
    unattached = rove(tmp_path, "config", "show").stdout
    assert WARNING not in unattached and "attach" in unattached
    assert person.tabs == [mine]


def test_the_doctor_says_how_to_start_a_browser_where_there_is_none(tmp_path: Path, unused_port: int) -> None:
    done = rove(tmp_path, "doctor", "--attach", f"http://127.0.0.1:{unused_port}")
    assert done.returncode == 1
    assert f"--remote-debugging-port={unused_port}" in done.stdout


def test_an_attach_address_that_is_not_a_browser_on_this_machine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings):
        load(home=tmp_path, attach="https://example.com")


# Processes and files


async def test_processes_of_the_persons_browser_are_not_measured_or_killed(
    session: Session, sessions: Sessions
) -> None:
    await session.tabs()
    browser = sessions._browsers.shared.current
    assert browser is not None
    assert browser.memory_in_use() is None
    assert not browser.kill_largest_page()
    assert not sessions.session().is_idle


async def test_nothing_is_left_in_the_run_folder(attached: Settings) -> None:
    async with Sessions(attached) as sessions:
        await Session(sessions, None).tabs()
        assert len(list((attached.home_folder / "run").iterdir())) == 1
    assert list((attached.home_folder / "run").iterdir()) == []


class Server:
    """`rove mcp --attach` as a process of its own."""

    def __init__(self, settings: Settings) -> None:
        words = ["mcp", "--attach", str(settings.attach), "--allow-host", settings.allow_host[0]]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rove", *words, "--home", str(settings.home)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._asked = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test"}})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self._asked += 1
        question = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        self.process.stdin.write(json.dumps(question).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer: dict[str, Any] = json.loads(self.process.stdout.readline())
            if answer.get("id") == self._asked:
                return answer

    def call(self, tool: str, **arguments: Any) -> str:
        text: str = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]["content"][0]["text"]
        return text

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


@pytest.fixture
def server(attached: Settings) -> Generator[Server]:
    server = Server(attached)
    yield server
    server.close()


def test_after_the_client_disconnects_the_browser_has_only_the_persons_tabs(
    server: Server, person: Person, mine: str
) -> None:
    assert WARNING in server.call("browser_navigate", url=mine)
    server.call("browser_open_session", name="beside")
    server.call("browser_navigate", url=mine, session="beside")
    assert person.tabs == [mine] * 3
    assert server.process.stdin is not None
    server.process.stdin.close()
    assert server.process.wait(30) == 0
    person.until_tabs_are(mine)
    assert person.is_running


def test_the_browser_keeps_running_when_rove_is_killed(
    server: Server, person: Person, attached: Settings, site: Site, mine: str
) -> None:
    other = site.page("/other", "<h1>Other</h1>")
    server.call("browser_navigate", url=other)
    server.call("browser_open_session", name="beside")
    server.call("browser_navigate", url=other, session="beside")
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    # The tabs of a named session are closed with it; a tab in the person's context stays open.
    person.until_tabs_are(mine, other)
    assert person.is_running
    person.open(site.page("/next", "<h1>Next</h1>"))
    again = Server(attached)
    try:
        assert site.url("/next") in again.call("browser_tabs")
        assert len(list((attached.home_folder / "run").iterdir())) == 1, "what was left behind is swept"
    finally:
        again.close()


# Lost browsers and connections


async def test_a_lost_browser_is_an_error_until_it_is_back_and_tab_ids_are_not_reused(
    session: Session, sessions: Sessions, person: Person, site: Site, mine: str
) -> None:
    await session.navigate(site.page("/", "<h1>Hi</h1>"))
    await session.tabs("new")
    await session.tabs("close", tab="t3")
    person.end()
    await eventually(lambda: not sessions.session().has_pages)
    with pytest.raises(BrowserUnavailable):
        await session.tabs()
    with pytest.raises(BrowserUnavailable) as refused:
        await session.tabs()
    assert f"--remote-debugging-port={person.port}" in refused.value.hint
    person.start(mine)
    person.until_tabs_are(mine)
    assert await listed(session) == [("t4", mine)], "an id is not given twice"


async def test_a_running_call_fails_when_the_browser_ends_and_the_next_one_connects_again(
    session: Session, person: Person, mine: str
) -> None:
    waiting = asyncio.ensure_future(session.using(tab="t1").wait(text="Never"))
    await session.tabs()
    person.end()
    with pytest.raises(BrowserUnavailable):
        await waiting
    person.start(mine)
    person.until_tabs_are(mine)
    assert [url for _, url in await listed(session)] == [mine]


async def test_tabs_keep_their_ids_when_only_the_connection_was_lost(
    session: Session, sessions: Sessions, person: Person, site: Site, mine: str
) -> None:
    other = site.page("/", "<h1>Hi</h1>")
    await session.navigate(other)
    chromium_browser(sessions._browsers.shared._browser)._connection.close()
    await eventually(lambda: not sessions.session().has_pages)
    with pytest.raises(BrowserUnavailable):
        await session.tabs()
    assert await listed(session) == [("t1", mine), ("t2", other)]
    assert 'heading "Hi"' in (await session.snapshot()).result.text, "ours is still the one in front"
    await session.close_session()
    person.until_tabs_are(mine)


async def test_a_named_session_gets_its_page_back_when_the_browser_is_back(
    session: Session, sessions: Sessions, person: Person, site: Site, mine: str
) -> None:
    named = await session.another("beside")
    await named.navigate(site.page("/", "<h1>Hi</h1>"))
    person.end()
    person.start(mine)
    await eventually(lambda: not sessions.session("beside").has_pages)
    assert 'heading "Hi"' in (await named.snapshot()).result.text


# Chrome 144 and newer, switched on in chrome://inspect


@asynccontextmanager
async def without_discovery(person: Person, status: int = 101) -> AsyncGenerator[tuple[str, list[str]]]:
    """Serve the person's browser as such a Chrome does: 404 for everything but a WebSocket without an id.

    Yield its address and the requests that it received.
    """
    named = person.socket_path
    requests: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        request, _, headers = head.partition(b"\r\n")
        requests.append(request.decode())
        if request != b"GET /devtools/browser HTTP/1.1" or status != 101:
            refusal = status if request.startswith(b"GET /devtools/browser ") else 404
            writer.write(f"HTTP/1.1 {refusal} No\r\nContent-Length: 0\r\n\r\n".encode())
            await writer.drain()
            return
        their_reader, their_writer = await asyncio.open_connection("127.0.0.1", person.port)
        their_writer.write(f"GET {named} HTTP/1.1\r\n".encode() + headers)
        await asyncio.gather(_relay(reader, their_writer), _relay(their_reader, writer))

    async with answering(answer) as port:
        yield f"http://127.0.0.1:{port}", requests


async def _relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(2**16):
        writer.write(data)
        await writer.drain()
    writer.close()


async def test_a_browser_without_json_version_is_attached_to_at_devtools_browser(
    person: Person, attached: Settings, mine: str
) -> None:
    async with without_discovery(person) as (url, requests):
        async with Sessions(replace(attached, attach=url)) as sessions:
            session = Session(sessions, None)
            assert await listed(session) == [("t1", mine)]
            assert '"Pressed"' in (await session.using(tab="t1").click('button "Press"')).changes.text
        assert requests == ["GET /json/version HTTP/1.1", "GET /devtools/browser HTTP/1.1"]
    assert person.is_running and person.tabs == [mine]


async def test_a_browser_that_refuses_the_connection_names_the_page_where_it_is_allowed(
    person: Person, attached: Settings
) -> None:
    async with (
        without_discovery(person, status=403) as (url, _),
        Sessions(replace(attached, attach=url)) as sessions,
    ):
        with pytest.raises(BrowserUnavailable) as caught:
            await Session(sessions, None).tabs()
    assert "chrome://inspect" in caught.value.hint
