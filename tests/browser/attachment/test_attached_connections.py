"""Attaching to a browser that a person runs: lost browsers and connections, and browsers without discovery."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from tests.browser.attachment.tabs import eventually, listed
from tests.chromium_internals import chromium_browser
from tests.loopback_servers import answering
from tests.person import Person
from tests.site import Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.errors import BrowserUnavailable
from rove.settings.tree import Settings

# The whole run must stay short; `make test-all` runs these too.
pytestmark = pytest.mark.slow


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
