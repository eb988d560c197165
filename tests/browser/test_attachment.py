"""Working in a browser that a person runs themselves."""

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
from rove.errors import BrowserUnavailable, Denied, InvalidSettings, NotOpen
from rove.render.outcomes import as_text
from rove.settings import Deadlines, Settings, load

LOUD = "NOT GUARDED"
MINE = "<title>Mine</title><h1>Mine</h1><button onclick=\"this.textContent = 'Pressed'\">Press</button>"


@pytest.fixture
def mine(site: Site) -> str:
    """The page that the person has open, and that gave them a cookie."""
    return site.page("/mine", MINE, headers={"Set-Cookie": "who=person; Path=/"})


@pytest.fixture
def person(tmp_path: Path, mine: str) -> Generator[Person]:
    with person_with(tmp_path / "profile", mine) as person:
        person.until_titled("Mine")
        yield person


@pytest.fixture
def attached(person: Person, site: Site, tmp_path: Path) -> Settings:
    """Opened is the site and nothing else of this machine."""
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
    """The default one, which works where the person does."""
    return Session(sessions, None)


@pytest.fixture
def canary() -> Generator[Site]:
    """Something on this machine that nobody has opened to pages."""
    with serving() as canary:
        canary.page("/", "<h1>Canary</h1>", headers={"Access-Control-Allow-Origin": "*"})
        yield canary


async def listed(session: Session) -> list[tuple[str, str]]:
    return [(tab.id, tab.url) for tab in (await session.tabs()).result.tabs]


async def opened(session: Session, person: Person, url: str) -> str:
    """The id of a tab that the person has opened just now."""
    await asyncio.to_thread(person.open, url)
    async with asyncio.timeout(30):
        while not (ids := [identity for identity, address in await listed(session) if address == url]):
            await asyncio.sleep(0.02)
    return ids[0]


async def eventually(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.02)


# Whose tabs they are


async def test_the_tab_of_the_person_is_listed_can_be_used_and_survives(
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
    assert 'button "Pressed"' in seen.result.text, "it was not loaded anew"


async def test_without_a_tab_being_named_the_one_of_the_person_is_left_alone(
    session: Session, person: Person, site: Site, mine: str
) -> None:
    other = site.page("/other", "<h1>Other</h1>")
    assert (await session.navigate(other)).tab == "t2"
    assert person.tabs == sorted([mine, other])


async def test_what_rove_opened_is_closed_at_the_end_popups_included(
    attached: Settings, person: Person, site: Site, mine: str
) -> None:
    popup = site.page("/popup", "<h1>Popup</h1>")
    async with Sessions(attached) as sessions:
        session = Session(sessions, None)
        await session.navigate(site.page("/", "<button onclick=\"window.open('/popup')\">Open</button>"))
        opened = await session.click("button")
        assert [event.kind for event in opened.events] == ["new tab"]
        person.until_tabs_are(popup, site.url("/"), mine)
    person.until_tabs_are(mine)
    assert person.is_running


async def test_closing_the_session_closes_its_tabs_and_the_next_call_begins_anew(
    session: Session, person: Person, site: Site, mine: str
) -> None:
    await session.navigate(site.page("/", "<h1>Hi</h1>"))
    await session.using(tab="t1").snapshot()
    await session.close_session()
    person.until_tabs_are(mine)
    assert 'heading "Mine"' in (await session.using(tab="t1").snapshot()).result.text


async def test_a_tab_of_the_person_is_not_closed(session: Session, person: Person, mine: str) -> None:
    with pytest.raises(Denied):
        await session.tabs("close", tab="t1")
    assert person.tabs == [mine]


async def test_what_the_person_opens_and_closes_meanwhile_is_known(
    session: Session, sessions: Sessions, person: Person, site: Site, mine: str
) -> None:
    assert await listed(session) == [("t1", mine)]
    assert await opened(session, person, site.page("/later", "<h1>Later</h1>")) == "t2"
    assert 'heading "Later"' in (await session.using(tab="t2").snapshot()).result.text
    await asyncio.to_thread(person.close, site.url("/later"))
    await eventually(lambda: len(sessions.sessions()[0]["tabs"]) == 1)
    assert await listed(session) == [("t1", mine)]
    with pytest.raises(NotOpen):
        await session.using(tab="t2").snapshot()


async def test_pages_that_are_not_of_the_web_are_not_for_agents(
    session: Session, person: Person, tmp_path: Path, mine: str
) -> None:
    (tmp_path / "diary.html").write_text("<h1>Dear diary</h1>")
    await asyncio.to_thread(person.open, (tmp_path / "diary.html").as_uri())
    assert await listed(session) == [("t1", mine)]
    with pytest.raises(NotOpen):
        await session.using(tab="t2").snapshot()


async def test_frames_that_were_there_before_rove_can_be_used(session: Session, person: Person, site: Site) -> None:
    site.page("/inner", "<button onclick=\"this.textContent = 'Yes'\">In</button>")
    other = site.url("/inner", "localhost")
    outer = site.page("/outer", f'<iframe src="/inner"></iframe><iframe src="{other}"></iframe>')
    framed = session.using(tab=await opened(session, person, outer))
    await framed.wait(text="In")
    assert (await framed.snapshot()).result.text.count('button "In"') == 2
    assert '"Yes"' in (await framed.click("f1e1")).changes.text


async def test_passwords_are_kept_from_a_page_that_was_there_before_rove(
    session: Session, person: Person, site: Site
) -> None:
    page = site.page("/login", "<label>Password <input type=password></label>")
    login = session.using(tab=await opened(session, person, page))
    for typing in (login.fill("input", "hunter2"), login.type("hunter2", "input")):
        with pytest.raises(Denied):
            await typing
    assert (await login.evaluate("document.querySelector('input').value")).result.value == ""


async def test_a_download_is_told_of_and_left_to_the_browser(session: Session, site: Site, attached: Settings) -> None:
    site.page("/file.bin", "abc", kind="application/octet-stream", headers={"Content-Disposition": "attachment"})
    await session.navigate(site.page("/", '<a href="/file.bin">File</a>'))
    kinds = [event.kind for event in (await session.click("a")).events]
    async with asyncio.timeout(30):
        while not any(kind.startswith("download") for kind in kinds):
            kinds += [event.kind for event in (await session.snapshot()).events]
    assert not (attached.workspace_folder / "downloads").exists()


# Whose cookies they are


async def test_cookies_are_those_of_the_person_and_a_named_session_has_none_of_them(
    session: Session, site: Site
) -> None:
    echo = site.page("/echo", "<h1>Echo</h1>")
    await session.navigate(echo)
    await (await session.another("beside")).navigate(echo)
    assert [request.headers.get("Cookie") for request in site.asked("/echo")] == ["who=person", None]


# What is guarded, and what is not


async def test_a_page_in_the_default_session_reaches_what_this_machine_reaches_and_one_in_a_named_session_does_not(
    session: Session, site: Site, canary: Site
) -> None:
    page = site.page(
        "/",
        f"<h1>Trying</h1><script>fetch('{canary.url()}').then(() => 'reached', () => 'kept away')"
        ".then(said => document.querySelector('h1').textContent = said)</script>",
    )
    named = await session.another("beside")
    await named.navigate(page)
    await named.wait(text="kept away")
    assert canary.requests == []
    await session.navigate(page)
    await session.wait(text="reached")
    assert [request.path for request in canary.requests] == ["/"]


async def test_an_address_that_the_agent_asks_for_is_still_checked(session: Session, canary: Site) -> None:
    with pytest.raises(Denied):
        await session.navigate(canary.url())
    assert canary.requests == []


async def test_a_page_behind_a_redirect_to_a_forbidden_address_is_not_read(
    session: Session, site: Site, canary: Site
) -> None:
    away = site.page("/away", "", status=302, headers={"Location": canary.url()})
    outcome = await session.navigate(away)
    assert "Canary" not in as_text(outcome)
    assert "not shown" in [event.kind for event in outcome.events]
    with pytest.raises(Denied):
        await session.snapshot()


async def test_the_port_of_the_browsers_own_commands_is_closed_to_agents(
    attached: Settings, person: Person, site: Site, tmp_path: Path
) -> None:
    everything = Settings(home=tmp_path / "home", attach=person.url, allow_host=("127.0.0.1", "localhost"))
    async with Sessions(everything) as sessions:
        session = Session(sessions, None)
        for each in (session, await session.another()):
            for host in ("127.0.0.1", "localhost"):
                with pytest.raises(Denied):
                    await each.navigate(f"http://{host}:{person.port}/json/list")


# Said loudly


async def test_the_first_outcome_says_that_it_is_not_guarded_and_status_says_so_every_time(
    session: Session, mine: str
) -> None:
    first, second = await session.using(tab="t1").snapshot(), await session.using(tab="t1").snapshot()
    assert [event.kind for event in first.events] == ["not guarded"]
    assert str(UNGUARDED) in as_text(first)
    assert second.events == ()
    for _ in range(2):
        assert LOUD in as_text(await session.status())


async def test_a_batch_says_so_too(session: Session, site: Site) -> None:
    done = await session.batch(({"action": "navigate", "url": site.page("/", "<h1>Hi</h1>")},))
    assert LOUD in as_text(done)


async def test_every_entry_of_the_journal_says_so(session: Session, attached: Settings) -> None:
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


def test_the_server_the_doctor_and_the_settings_say_so(person: Person, tmp_path: Path, mine: str) -> None:
    served = rove(tmp_path, "mcp", "--attach", person.url)
    assert served.stdout == "" and LOUD in served.stderr
    assert not (tmp_path / "run").exists(), "no browser of our own was started"
    looked_at = rove(tmp_path, "doctor", "--attach", person.url)
    assert looked_at.returncode == 0 and LOUD in looked_at.stdout
    assert LOUD in rove(tmp_path, "config", "show", "--attach", person.url).stdout
    unattached = rove(tmp_path, "config", "show").stdout
    assert LOUD not in unattached and "attach" in unattached
    assert person.tabs == [mine]


def test_the_doctor_says_how_to_start_a_browser_where_there_is_none(tmp_path: Path, unused_port: int) -> None:
    done = rove(tmp_path, "doctor", "--attach", f"http://127.0.0.1:{unused_port}")
    assert done.returncode == 1
    assert f"--remote-debugging-port={unused_port}" in done.stdout


def test_an_address_that_is_no_browsers_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings):
        load(home=tmp_path, attach="https://example.com")


# What rove holds of it


async def test_no_process_of_the_person_is_measured_or_ended(session: Session, sessions: Sessions) -> None:
    await session.tabs()
    browser = sessions._browsers.current
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


def test_a_client_that_leaves_leaves_the_browser_as_it_was(server: Server, person: Person, mine: str) -> None:
    assert LOUD in server.call("browser_navigate", url=mine)
    server.call("browser_open_session", name="beside")
    server.call("browser_navigate", url=mine, session="beside")
    assert person.tabs == [mine] * 3
    assert server.process.stdin is not None
    server.process.stdin.close()
    assert server.process.wait(30) == 0
    person.until_tabs_are(mine)
    assert person.is_running


def test_the_browser_outlives_a_rove_that_is_killed(
    server: Server, person: Person, attached: Settings, site: Site, mine: str
) -> None:
    other = site.page("/other", "<h1>Other</h1>")
    server.call("browser_navigate", url=other)
    server.call("browser_open_session", name="beside")
    server.call("browser_navigate", url=other, session="beside")
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    # What a named session had is gone with it; a tab beside the person's own is theirs to close now.
    person.until_tabs_are(mine, other)
    assert person.is_running
    person.open(site.page("/next", "<h1>Next</h1>"))
    again = Server(attached)
    try:
        assert site.url("/next") in again.call("browser_tabs")
        assert len(list((attached.home_folder / "run").iterdir())) == 1, "what was left behind is swept"
    finally:
        again.close()


# Losing it


async def test_a_browser_that_went_away_is_told_of_once_and_found_again_when_it_is_back(
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


async def test_a_call_under_way_is_told_and_the_next_one_connects_again(
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


async def test_tabs_are_known_again_when_only_the_line_was_lost(
    session: Session, sessions: Sessions, person: Person, site: Site, mine: str
) -> None:
    other = site.page("/", "<h1>Hi</h1>")
    await session.navigate(other)
    chromium_browser(sessions._browsers._browser)._connection.close()
    await eventually(lambda: not sessions.session().has_pages)
    with pytest.raises(BrowserUnavailable):
        await session.tabs()
    assert await listed(session) == [("t1", mine), ("t2", other)]
    assert 'heading "Hi"' in (await session.snapshot()).result.text, "ours is still the one in front"
    await session.close_session()
    person.until_tabs_are(mine)


async def test_a_named_session_goes_on_where_it_was(
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
async def inspected(person: Person, status: int = 101) -> AsyncGenerator[tuple[str, list[str]]]:
    """The person's browser as such a Chrome shows itself: 404 for everything but a WebSocket without an id.

    Gives its address and the requests that were made of it.
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


async def test_a_browser_without_discovery_is_attached_to_at_its_path_without_an_id(
    person: Person, attached: Settings, mine: str
) -> None:
    async with inspected(person) as (url, requests):
        async with Sessions(replace(attached, attach=url)) as sessions:
            session = Session(sessions, None)
            assert await listed(session) == [("t1", mine)]
            assert '"Pressed"' in (await session.using(tab="t1").click('button "Press"')).changes.text
        assert requests == ["GET /json/version HTTP/1.1", "GET /devtools/browser HTTP/1.1"]
    assert person.is_running and person.tabs == [mine]


async def test_one_whose_user_has_not_allowed_it_says_who_can(person: Person, attached: Settings) -> None:
    async with (
        inspected(person, status=403) as (url, _),
        Sessions(replace(attached, attach=url)) as sessions,
    ):
        with pytest.raises(BrowserUnavailable) as caught:
            await Session(sessions, None).tabs()
    assert "chrome://inspect" in caught.value.hint
