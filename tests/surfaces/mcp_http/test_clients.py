"""The SDK's client over HTTP, in both eras: tools, sessions that outlive connections, and isolation of clients."""

from __future__ import annotations

import asyncio

import anyio
import pytest
from tests.mcp_clients import text_of
from tests.reading import ref_of
from tests.site import Site
from tests.surfaces.mcp_http.serving import connected
from tests.surfaces.test_mcp import error_of

from rove.engine.sessions import Sessions
from rove.owned_names import own_name, without_mark

ERAS = ["legacy", "2026-07-28"]
# For what the revision of the protocol does not change.
ONE_ERA = [pytest.param(ERAS[0], marks=pytest.mark.slow), ERAS[1]]
BEA = "token-of-bea"


@pytest.mark.parametrize("mode", [*ERAS, "auto"])
async def test_an_agent_can_read_and_click_a_page(endpoint: str, site: Site, mode: str) -> None:
    url = site.page("/", "<title>Tea</title><button onclick=\"out.textContent = 'Brewed'\">Brew</button><p id=out></p>")
    async with connected(endpoint, mode) as client:
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        page = await client.call_tool("browser_navigate", {"url": url})
        clicked = await client.call_tool("browser_click", {"target": ref_of(text_of(page), "Brew")})
    assert '+ "Brewed' in text_of(clicked)


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_that_connects_again_finds_its_page(endpoint: str, site: Site, mode: str) -> None:
    async with connected(endpoint, mode) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", "<h1>Still here</h1>")})
    for _ in range(2):
        async with connected(endpoint, mode) as client:
            assert "Still here" in text_of(await client.call_tool("browser_extract", {"target": "h1"}))
    assert len(site.asked("/")) == 1


async def test_a_client_finds_its_page_in_another_revision(endpoint: str, site: Site) -> None:
    async with connected(endpoint, "legacy") as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", "<h1>Still here</h1>")})
    async with connected(endpoint, "2026-07-28") as client:
        assert "Still here" in text_of(await client.call_tool("browser_extract", {"target": "h1"}))


async def test_clients_of_one_token_that_are_connected_at_once_have_a_page_each(endpoint: str, site: Site) -> None:
    one, two = site.page("/1", "<h1>One</h1>"), site.page("/2", "<h1>Two</h1>")
    async with connected(endpoint, "legacy") as first, connected(endpoint, "legacy") as second:
        await first.call_tool("browser_navigate", {"url": one})
        await second.call_tool("browser_navigate", {"url": two})
        assert "One" in text_of(await first.call_tool("browser_extract", {"target": "h1"}))
        assert "Two" in text_of(await second.call_tool("browser_extract", {"target": "h1"}))


@pytest.mark.parametrize("mode", ONE_ERA)
async def test_clients_of_different_names_have_a_page_each(endpoint: str, site: Site, mode: str) -> None:
    async with connected(endpoint, mode, name="one") as first, connected(endpoint, mode, name="two") as second:
        await first.call_tool("browser_navigate", {"url": site.page("/", "<h1>One</h1>")})
        blank = await second.call_tool("browser_snapshot", {})
    assert "One" not in text_of(blank)


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_can_neither_use_nor_list_nor_close_the_sessions_of_another_token(
    endpoint: str, site: Site, sessions: Sessions, mode: str
) -> None:
    async with connected(endpoint, mode) as anna, connected(endpoint, mode, BEA) as bea:
        await anna.call_tool("browser_open_session", {"name": "private"})
        await anna.call_tool("browser_navigate", {"url": site.page("/", "<h1>Secret</h1>"), "session": "private"})
        for tool, arguments in (
            ("browser_snapshot", {"session": "private"}),
            ("browser_close_session", {"name": "private"}),
        ):
            error = error_of(await bea.call_tool(tool, arguments))
            assert error["code"] == "not_open"
            assert "private" not in error["hint"]
        assert "private" not in text_of(await bea.call_tool("browser_status", {}))
        await bea.call_tool("browser_open_session", {"name": "private"})
        blank = await bea.call_tool("browser_snapshot", {"session": "private"})
        assert "Secret" not in text_of(blank)
        assert "Secret" in text_of(await anna.call_tool("browser_extract", {"target": "h1", "session": "private"}))
    for owner in ("anna", "bea"):
        assert sessions.session(own_name("private", owner)).owner == owner


@pytest.mark.parametrize("mode", ONE_ERA)
async def test_a_named_session_outlives_the_connection(endpoint: str, site: Site, mode: str) -> None:
    async with connected(endpoint, mode, name="one") as client:
        await client.call_tool("browser_open_session", {"name": "work"})
        await client.call_tool("browser_navigate", {"url": site.page("/", "<h1>Here</h1>"), "session": "work"})
    async with connected(endpoint, mode, name="another") as client:
        assert "Here" in text_of(await client.call_tool("browser_extract", {"target": "h1", "session": "work"}))
        await client.call_tool("browser_close_session", {"name": "work"})
        assert error_of(await client.call_tool("browser_snapshot", {"session": "work"}))["code"] == "not_open"


@pytest.mark.parametrize("mode", ONE_ERA)
async def test_the_url_can_name_the_default_session(endpoint: str, site: Site, sessions: Sessions, mode: str) -> None:
    named = f"{endpoint}?session=research"
    async with connected(named, mode, name="one") as first, connected(named, mode, name="two") as second:
        await first.call_tool("browser_navigate", {"url": site.page("/", "<h1>Shared</h1>")})
        assert "Shared" in text_of(await second.call_tool("browser_extract", {"target": "h1"}))
    assert [known["session"] for known in sessions.sessions()] == [own_name("research", "anna")]
    async with connected(named, mode, BEA) as other:
        assert "Shared" not in text_of(await other.call_tool("browser_snapshot", {}))


@pytest.mark.parametrize("mode", ONE_ERA)
async def test_a_client_is_told_the_name_of_its_default_session(
    endpoint: str, site: Site, sessions: Sessions, mode: str
) -> None:
    async with connected(endpoint, mode) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", "<h1>Mine</h1>")})
        (name,) = [known["session"] for known in sessions.sessions()]
        if mode == "legacy":
            assert client.instructions is not None
            assert f"`{without_mark(name)}`" in client.instructions
        found = await client.call_tool("browser_extract", {"target": "h1", "session": name})
    assert "Mine" in text_of(found)


@pytest.mark.parametrize("mode", ONE_ERA)
async def test_a_batch_reports_progress(endpoint: str, site: Site, mode: str) -> None:
    heard: list[str | None] = []

    async def receive_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    steps = [{"action": "navigate", "url": site.page("/", "<p>Text</p>")}, {"action": "extract", "target": "p"}]
    async with connected(endpoint, mode) as client:
        result = await client.call_tool("browser_batch", {"steps": steps}, progress_callback=receive_progress)
    assert "Text" in text_of(result)
    assert len(heard) >= 2


@pytest.mark.parametrize("mode", ERAS)
async def test_a_cancelled_call_stops_and_the_next_one_works(
    endpoint: str, site: Site, sessions: Sessions, mode: str
) -> None:
    async with connected(endpoint, mode) as client:
        await client.call_tool("browser_navigate", {"url": site.page("/", "<h1>Page</h1>")})
        (name,) = [known["session"] for known in sessions.sessions()]
        with anyio.move_on_after(0.5) as scope:
            await client.call_tool("browser_wait", {"text": "Never", "timeout": 60})
        assert scope.cancelled_caught
        with anyio.fail_after(15):
            while sessions.session(name).running_calls:
                await asyncio.sleep(0.01)
            result = await client.call_tool("browser_extract", {"target": "h1"})
    assert "Page" in text_of(result)


async def test_the_argument_session_is_marked_to_be_sent_as_a_header(endpoint: str) -> None:
    async with connected(endpoint, "2026-07-28") as client:
        tools = (await client.list_tools()).tools
        assert {tool.input_schema["properties"]["session"].get("x-mcp-header") for tool in tools} == {"Session"}
        error = error_of(await client.call_tool("browser_snapshot", {"session": "naïve"}))
        assert error["code"] == "not_open"  # so the header, which is encoded, was accepted
    async with connected(endpoint, "legacy") as client:
        tools = (await client.list_tools()).tools
        assert all("x-mcp-header" not in tool.input_schema["properties"]["session"] for tool in tools)
