"""One request in detail: who started it, how long each phase took, and the messages that it carried."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.site import Site
from websockets.asyncio.server import Server, ServerConnection, serve

from rove import Session
from rove.actions.network import RequestDetails, RequestLine
from rove.toolsets.outcome_text import as_text

pytestmark = pytest.mark.one_session

PATIENCE = 10


async def detailed(session: Session, messages: int = 0, **filters: str) -> tuple[RequestLine, RequestDetails]:
    """Return the one request that the filters find, once it has an answer and that many messages."""
    for _ in range(PATIENCE * 20):
        found = (await session.network(**filters)).result.requests  # type: ignore[arg-type]
        if found and found[-1].status is not None:
            details = (await session.network(request=found[-1].request)).result.details
            if details is not None and len(details.messages) >= messages:
                return found[-1], details
        await session.wait(seconds=0.05)
    raise AssertionError(f"waited in vain for {filters}")


@pytest.fixture
async def echo() -> AsyncGenerator[str]:
    """The address of a WebSocket server that answers each message with itself."""

    async def answer(connection: ServerConnection) -> None:
        async for message in connection:
            await connection.send(message)

    server: Server
    async with serve(answer, "127.0.0.1", 0) as server:
        (socket,) = server.sockets
        yield f"ws://127.0.0.1:{socket.getsockname()[1]}/"


@pytest.mark.engines(
    "chromium", reason="WebDriver BiDi does not tell the place in a script that a request was started from"
)
async def test_a_request_says_who_started_it(session: Session, site: Site) -> None:
    site.page("/app.js", "const ask = () =>\n  fetch('/data');\nsetTimeout(ask, 10)", kind="text/javascript")
    site.page("/data", "[]", kind="application/json")
    await session.navigate(site.page("/", "<p>Page</p>\n<script src=/app.js></script>"))
    script, _ = await detailed(session, url="/app.js")
    assert script.initiator == f"parser {site.url('/:3:21')}"
    line, details = await detailed(session, url="/data")
    assert line.initiator == details.initiator == f"script {site.url('/app.js:2:3')}"
    text = as_text(await session.network(request=line.request))
    assert "Initiator:\n<untrusted" in text and "Timing: queued" in text


@pytest.mark.engines(
    "chromium", reason="Firefox does not report how long a request was queued, and how long it took to send"
)
async def test_the_phases_of_a_request_are_timed(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    line, details = await detailed(session, type="document")
    assert {"queued", "send", "wait", "receive"} <= set(details.timing)
    assert all(took >= 0 for took in details.timing.values())
    assert line.ms is not None and sum(details.timing.values()) <= line.ms + 5


@pytest.mark.engines("chromium", reason="WebDriver BiDi does not report the messages of WebSockets")
async def test_frames_of_a_websocket_are_logged(session: Session, site: Site, echo: str) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.evaluate(f"""new Promise((resolve) => {{ const socket = new WebSocket('{echo}'); let left = 2;
      socket.onopen = () => {{ socket.send('tea'); socket.send(new Uint8Array([1, 2, 3])) }};
      socket.onmessage = () => {{ if (!--left) resolve() }} }})""")
    line, details = await detailed(session, 4, type="websocket")
    assert line.initiator.startswith("script")
    assert [(each.direction, each.text, each.size, each.is_binary) for each in details.messages] == [
        ("sent", "tea", 3, False),
        ("sent", "AQID", 3, True),
        ("received", "tea", 3, False),
        ("received", "AQID", 3, True),
    ]
    assert details.messages[0].time[:16] == line.time[:16]
    shown = as_text(await session.network(request=line.request))
    assert ' sent "tea"\n' in shown and ' received "AQID" (3 bytes)' in shown


@pytest.mark.engines("chromium", reason="WebDriver BiDi does not report the messages of WebSockets")
async def test_only_the_latest_messages_are_kept_and_the_others_counted(
    session: Session, site: Site, echo: str
) -> None:
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.evaluate(f"""new Promise((resolve) => {{ const socket = new WebSocket('{echo}'); let left = 80;
      socket.onopen = () => {{ for (let i = 0; i < 80; i++) socket.send('x'.repeat(3000) + i) }};
      socket.onmessage = () => {{ if (!--left) resolve() }} }})""")
    line, details = await detailed(session, 3, type="websocket")
    assert (len(details.messages), details.messages_dropped) == (3, 60)
    assert (len(details.messages[-1].text), details.messages[-1].size) == (2000, 3002)
    text = as_text(await session.network(request=line.request))
    assert "Messages (60 earlier ones were dropped):" in text and len(text) < 10_000
    kept = json.loads(Path(details.messages_path).read_text())
    assert (len(kept), kept[0]["size"], kept[-1]["direction"]) == (100, 3002, "received")
    assert "(read it with: cat " in text


@pytest.mark.engines("chromium", reason="WebDriver BiDi does not report the events of servers")
async def test_events_of_a_server_are_logged(session: Session, site: Site) -> None:
    site.page("/events", "data: one\n\nevent: price\ndata: 42\n\n", kind="text/event-stream")
    await session.navigate(site.page("/", "<p>Page</p>"))
    await session.evaluate("""new Promise((resolve) => { const source = new EventSource('/events');
      source.onerror = () => { source.close(); resolve() } })""")
    _, details = await detailed(session, 2, type="eventsource")
    assert [(each.direction, each.event, each.text) for each in details.messages] == [
        ("received", "message", "one"),
        ("received", "price", "42"),
    ]


@pytest.mark.engines("chromium", reason="rove has switched off that Firefox fetches pages ahead")
async def test_a_response_that_was_fetched_ahead_comes_from_the_prefetch_cache(session: Session, site: Site) -> None:
    headers = {"Cache-Control": "max-age=1000"}
    site.page("/next", "<p>Next</p>", headers=headers)
    await session.navigate(site.page("/", "<link rel=prefetch href=/next><a href=/next>Go</a>"))
    await detailed(session, url="/next")
    await session.click('link "Go"')
    line, _ = await detailed(session, url="/next", type="document")
    assert line.source == "prefetch cache"
    assert len(site.asked("/next")) == 1
