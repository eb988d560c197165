"""The MCP server as a real process, with the SDK's client, in both eras of the protocol."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ImageContent
from tests.mcp_clients import ROVE, environment, held_open, text_of
from tests.reading import ref_of
from tests.site import Site

from rove.action import CORE, registry

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


@asynccontextmanager
async def connected(home: Path, mode: str) -> AsyncGenerator[Client]:
    parameters = StdioServerParameters(command=ROVE, args=["mcp"], env=environment(home))
    async with Client(parameters, mode=mode, read_timeout_seconds=60) as client:
        yield client


@pytest.fixture(
    scope="module", params=[pytest.param(era, marks=[pytest.mark.slow] if era == "auto" else []) for era in ERAS]
)
async def client(request: pytest.FixtureRequest, home: Path) -> AsyncGenerator[Client]:
    """A client with its own server process for each era, opened and closed by one task, as anyio requires."""
    async with held_open(connected(home / "mcp", request.param)) as client:
        yield client


def error_of(result: CallToolResult) -> dict[str, Any]:
    assert result.is_error
    assert isinstance(result.structured_content, dict)
    error: dict[str, Any] = result.structured_content["error"]
    return error


async def test_the_server_answers_in_the_protocol_revision_of_the_client(
    client: Client, request: pytest.FixtureRequest
) -> None:
    assert client.protocol_version == ERAS[request.node.callspec.params["client"]]
    assert client.server_info is None or client.server_info.name == "rove"


async def test_every_action_is_listed_as_a_tool_with_annotations(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert list(tools) == [f"browser_{verb}" for verb, cls in registry().items() if cls.group == CORE]
    snapshot, click = tools["browser_snapshot"].annotations, tools["browser_click"].annotations
    assert snapshot is not None
    assert click is not None
    assert snapshot.read_only_hint is True
    assert (click.read_only_hint, click.destructive_hint) == (False, True)


async def test_an_agent_can_read_fill_and_click_a_page(client: Client, site: Site) -> None:
    url = site.page("/", "<title>Tea</title><button onclick=\"out.textContent = 'Brewed'\">Brew</button><p id=out></p>")
    page = await client.call_tool("browser_navigate", {"url": url})
    assert not page.is_error
    assert page.structured_content is None  # some clients would show it to their model without a wrapper
    assert f'" {url}' in text_of(page)

    clicked = await client.call_tool("browser_click", {"target": ref_of(text_of(page), "Brew")})
    assert '+ "Brewed' in text_of(clicked)

    pictured = await client.call_tool("browser_screenshot", {"format": "jpeg"})
    (image,) = [part for part in pictured.content if isinstance(part, ImageContent)]
    assert image.mime_type == "image/jpeg"
    assert base64.b64decode(image.data).startswith(b"\xff\xd8\xff")

    quiet = await client.call_tool("browser_click", {"target": "button", "snapshot": "none"})
    assert "changed" not in text_of(quiet)


async def test_errors_carry_code_message_and_hint(client: Client, site: Site) -> None:
    await client.call_tool("browser_navigate", {"url": site.page("/", "<button>Go</button>")})
    for name, arguments, code in (
        ("browser_click", {"target": "#missing"}, "element_not_found"),
        ("browser_click", {"target": "button", "colour": "red"}, "invalid_arguments"),
        ("browser_click", {}, "invalid_arguments"),
        ("browser_click", {"target": "button", "timeout": "soon"}, "invalid_arguments"),
        ("browser_navigate", {"url": "file:///etc/passwd"}, "denied"),
        ("browser_snapshot", {"session": "unknown"}, "not_open"),
        ("browser_snapshot", {"tab": "t99"}, "not_open"),
        ("browser_evaluate", {"expression": "missing.thing"}, "script_failed"),
        ("browser_wait", {"text": "Never", "timeout": 1}, "deadline_exceeded"),
    ):
        result = await client.call_tool(name, arguments)
        error = error_of(result)
        assert error["code"] == code, f"{name} {arguments}: {error}"
        assert error["message"]
        assert error["hint"]
        assert code in text_of(result)


async def test_sessions_and_tabs_can_be_named_in_every_call(client: Client, site: Site) -> None:
    one, two = site.page("/1", "<h1>One</h1>"), site.page("/2", "<h1>Two</h1>")
    opened = await client.call_tool("browser_open_session", {"name": "second"})
    assert "session second" in text_of(opened)
    await client.call_tool("browser_navigate", {"url": one})
    await client.call_tool("browser_navigate", {"url": two, "session": "second"})
    await client.call_tool("browser_tabs", {"operation": "new", "url": one, "session": "second"})
    heading = {"target": "h1"}
    for where, said in (({}, "One"), ({"session": "second"}, "One"), ({"session": "second", "tab": "t1"}, "Two")):
        result = await client.call_tool("browser_extract", {**heading, **where})
        assert said in text_of(result).splitlines()
    await client.call_tool("browser_close_session", {"name": "second"})
    assert error_of(await client.call_tool("browser_snapshot", {"session": "second"}))["code"] == "not_open"


async def test_a_batch_reports_progress_and_where_it_failed(client: Client, site: Site) -> None:
    url = site.page("/", "<p>Text</p>")
    heard: list[tuple[float, float | None, str | None]] = []

    async def receive_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    steps = [{"action": "navigate", "url": url}, {"action": "extract", "target": "p"}, {"action": "back"}]
    steps.append({"action": "click", "target": "#missing"})
    result = await client.call_tool("browser_batch", {"steps": steps}, progress_callback=receive_progress)
    assert "4. click: failed.\nelement_not_found: " in text_of(result)
    assert [total for _, total, _ in heard if total] == [4] * 4
    assert [progress for progress, _, _ in heard] == sorted({progress for progress, _, _ in heard})


async def test_a_batch_that_was_stopped_is_an_error(client: Client, site: Site) -> None:
    steps = [{"action": "navigate", "url": site.page("/", "<p>Hi</p>")}, {"action": "click", "target": "#no"}]
    result = await client.call_tool("browser_batch", {"steps": steps})
    assert result.is_error
    assert error_of(result)["code"] == "element_not_found"
    assert "1. navigate" in text_of(result)


async def test_a_cancelled_call_stops_and_the_next_one_works(client: Client, site: Site) -> None:
    await client.call_tool("browser_navigate", {"url": site.page("/", "<h1>Page</h1>")})
    with anyio.move_on_after(0.5) as scope:
        await client.call_tool("browser_wait", {"text": "Never", "timeout": 30})
    assert scope.cancelled_caught
    with anyio.fail_after(15):
        result = await client.call_tool("browser_extract", {"target": "h1", "timeout": 10})
    assert "Page" in text_of(result).splitlines()


async def test_a_slow_call_does_not_hold_up_another(client: Client, site: Site) -> None:
    await client.call_tool("browser_navigate", {"url": site.page("/", "<h1>Page</h1>")})
    slow = asyncio.ensure_future(client.call_tool("browser_wait", {"text": "Never", "timeout": 30}))
    assert not (await client.call_tool("browser_status", {})).is_error
    assert not slow.done()
    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)


async def test_an_unknown_tool_is_a_protocol_error(client: Client) -> None:
    with pytest.raises(MCPError):
        await client.call_tool("browser_fly", {})
