"""The network log as a HAR file, and the recorder that has all requests of a session."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT6
from tests.site import Site
from websockets.asyncio.server import ServerConnection, serve

from rove import Session
from rove.settings.tree import Settings

pytestmark = pytest.mark.one_session

SCHEMAS = Path(__file__).parents[2] / ".venv" / "har" / "node_modules" / "har-schema" / "lib"
PAGE = """
<title>Shop</title><img src=/missing.png>
<form action=/order method=post><input name=item value=tea><button>Order</button></form>
<script>
  const results = [];
  const note = (result) => results.push(result) === 2 && document.body.append('All is there.');
  const socket = new WebSocket('SOCKET');
  socket.onopen = () => socket.send('hello');
  socket.onmessage = (event) => note(event.data);
  fetch('/api?q=tea&page=2', { method: 'POST', body: '{"a": 1}', headers: { 'X-Token': 'abc123' } })
    .then((answer) => answer.json()).then((json) => note(json.ok));
</script>
"""


@pytest.fixture
async def echo() -> AsyncGenerator[str]:
    """The address of a WebSocket server that answers each message with itself."""

    async def answer(connection: ServerConnection) -> None:
        async for message in connection:
            await connection.send(message)

    async with serve(answer, "127.0.0.1", 0) as server:
        (socket,) = server.sockets
        yield f"ws://127.0.0.1:{socket.getsockname()[1]}/"


async def open_shop(session: Session, site: Site, echo: str) -> None:
    """Load a page by a redirect, and wait for all that it asks for."""
    site.page("/start", "", status=302, headers={"Location": "/"})
    site.page("/api", '{"ok": "yes"}', kind="application/json", headers={"Set-Cookie": "sid=very-private; Path=/"})
    site.page("/", PAGE.replace("SOCKET", echo))
    await session.navigate(site.url("/start"))
    await session.wait(text="All is there.")


def read(path: str) -> dict[str, Any]:
    """Return the log of a file that is valid HAR 1.2, and that Chrome's importer takes."""
    data = json.loads(Path(path).read_text("utf-8"))
    schemas = {file.name: json.loads(file.read_text("utf-8")) for file in SCHEMAS.glob("*.json")}
    known = [(name, Resource.from_contents(schema, DRAFT6)) for name, schema in schemas.items()]
    registry: Registry[Any] = Registry().with_resources(known)
    errors = Draft7Validator(schemas["har.json"], registry=registry).iter_errors(data)
    assert [f"{list(error.absolute_path)}: {error.message}" for error in errors] == []
    for entry in data["log"]["entries"]:
        assert isinstance(entry["_initiator"], dict)  # Chrome's importer fails at null
        assert isinstance(entry["_resourceType"], str) and isinstance(entry["response"]["_transferSize"], int)
        assert entry.get("pageref") in {None, *(page["id"] for page in data["log"]["pages"])}
    log: dict[str, Any] = data["log"]
    return log


def entry_for(log: dict[str, Any], ending: str) -> dict[str, Any]:
    """Return the last entry for an address."""
    found: list[dict[str, Any]] = [entry for entry in log["entries"] if entry["request"]["url"].endswith(ending)]
    return found[-1]


async def test_a_har_file_has_pages_redirects_failures_and_timings(session: Session, site: Site, echo: str) -> None:
    await open_shop(session, site, echo)
    saved = (await session.save_har(name="shop")).result
    log = read(saved.path)
    assert Path(saved.path).parent.name == "har" and saved.entries == len(log["entries"])
    page = log["pages"][-1]
    assert page["title"] == site.url("/start") and page["pageTimings"]["onContentLoad"] > 0
    start = entry_for(log, "/start")
    assert (start["response"]["status"], start["response"]["redirectURL"]) == (302, "/")
    assert start["pageref"] == page["id"] == entry_for(log, "/missing.png")["pageref"]
    assert entry_for(log, "/missing.png")["response"]["status"] == 404
    api = entry_for(log, "/api?q=tea&page=2")
    assert api["request"]["queryString"] == [{"name": "q", "value": "tea"}, {"name": "page", "value": "2"}]
    assert api["timings"]["wait"] >= 0 and api["time"] > 0


@pytest.mark.engines("chromium", reason="WebDriver BiDi does not report the messages of WebSockets")
async def test_a_har_file_has_the_messages_of_websockets_and_what_started_requests(
    session: Session, site: Site, echo: str
) -> None:
    await open_shop(session, site, echo)
    log = read((await session.save_har()).result.path)
    assert entry_for(log, "/api?q=tea&page=2")["_initiator"]["type"] == "script"
    messages = entry_for(log, echo)["_webSocketMessages"]
    assert [(each["type"], each["opcode"], each["data"]) for each in messages] == [
        ("send", 1, "hello"),
        ("receive", 1, "hello"),
    ]


async def test_credentials_are_masked_and_bodies_are_kept_on_request(session: Session, site: Site, echo: str) -> None:
    await open_shop(session, site, echo)
    path = (await session.save_har(bodies=True)).result.path
    api = entry_for(read(path), "/api?q=tea&page=2")
    assert api["request"]["postData"]["text"] == '{"a": 1}' and api["response"]["content"]["text"] == '{"ok": "yes"}'
    assert "very-private" not in Path(path).read_text("utf-8") and "abc123" not in json.dumps(api)
    assert api["response"]["cookies"] == [{"name": "sid", "value": "***"}]
    assert "text" not in entry_for(read(path), "/start")["response"]["content"]
    without = (await session.save_har()).result.path
    assert "text" not in entry_for(read(without), "/api?q=tea&page=2")["response"]["content"]


async def test_a_refused_request_is_in_the_file_with_its_error(session: Session, site: Site) -> None:
    await session.navigate(
        site.page("/", "<body><script>fetch('http://10.0.0.1/').catch(() => document.body.append('No.'))</script>")
    )
    await session.wait(text="No.")
    failed = entry_for(read((await session.save_har()).result.path), "http://10.0.0.1/")
    # Firefox tells scripts that it failed, and rove the answer of the proxy, which says why.
    assert failed["response"]["_error"].startswith(("net::ERR_FAILED", "not allowed"))


async def test_a_recorded_session_has_requests_of_closed_tabs_and_is_whole_at_any_moment(
    session: Session, site: Site, settings: Settings
) -> None:
    site.page("/first", "<title>First</title>")
    site.page("/second", "<title>Second</title>")
    recorded = await session.another("recorded", har=True)
    await recorded.navigate(site.url("/first"))
    await recorded.tabs("new", url=site.url("/second"))
    await recorded.tabs("close", tab="t2")
    (path,) = [
        str(each)
        for facts in (await recorded.status()).result.sessions
        if facts["session"] == "recorded"
        for each in facts["recording"]
    ]
    assert Path(path).parent == settings.workspace_folder / "har"
    async with asyncio.timeout(20):  # requests are written in the background
        while len(read(path)["entries"]) < 2:
            await session.wait(seconds=0.05)
    await recorded.close()
    log = read(path)
    assert {page["title"] for page in log["pages"]} == {site.url("/first"), site.url("/second")}
    assert {entry["request"]["url"] for entry in log["entries"]} >= {site.url("/first"), site.url("/second")}
