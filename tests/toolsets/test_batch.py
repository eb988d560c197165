"""The toolset `batch` over MCP: contract A where there is no gateway."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp_types import ImageContent
from tests.mcp_clients import text_of
from tests.site import Site
from tests.surfaces.approving_clients import ACCEPT, DECLINE, Person, connected

PAGE = """<title>Tea</title><h1>Tea room</h1><input id=name aria-label=Name>
  <button onclick="document.querySelector('p').textContent = 'Brewed for ' + document.querySelector('#name').value">
  Brew</button><p></p>"""


@pytest.mark.contract("A1", "A2", "A4", "A5")
async def test_a_call_is_asked_about_once_then_runs_all_of_its_actions(home: Path, site: Site) -> None:
    person = Person(ACCEPT)
    actions = [
        {"type": "navigate", "url": site.page("/", PAGE)},
        {"type": "type", "selector": "#name", "text": "Ann", "url": ""},
        {"type": "click", "selector": "button"},
        {"type": "screenshot"},
        {"type": "extract", "selector": "p"},
    ]
    async with connected(home, "legacy", person, "--toolset", "batch", policy="") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["browser"]
        result = await client.call_tool("browser", {"actions": actions})
        assert not result.is_error
        text = text_of(result)
        assert "Brewed for Ann" in text
        assert [line for line in text.splitlines() if line.startswith("5. extract")]
        assert [part.mime_type for part in result.content if isinstance(part, ImageContent)] == ["image/png"]
        (shown,) = person.shown
        assert "Action: batch" in shown.message
        assert result.structured_content is not None
        session = result.structured_content["sessionId"]
        assert text.endswith(f"\nsessionId: {session}")
        again = await client.call_tool("browser", {"actions": [{"type": "extract"}], "sessionId": session})
        assert "Tea room" in text_of(again)
        assert len(person.shown) == 2


@pytest.mark.contract("A1", "A2", "A6")
async def test_a_denied_call_and_a_bad_action_touch_nothing(home: Path, site: Site) -> None:
    person = Person(DECLINE)
    url = site.page("/", PAGE)
    async with connected(home, "2026-07-28", person, "--toolset", "batch", policy="") as client:
        denied = await client.call_tool("browser", {"actions": [{"type": "navigate", "url": url}]})
        assert denied.is_error
        assert text_of(denied).startswith("denied:")
        for bad, where in (
            ({"type": "click"}, "`actions[1].selector` is missing"),
            ({"type": "fly"}, "`actions[1].type`: there is no action `fly`"),
            ({"type": "navigate", "url": "file:///etc/passwd"}, "`actions[1].url`: rove does not open `file:`"),
        ):
            refused = await client.call_tool("browser", {"actions": [{"type": "navigate", "url": url}, bad]})
            assert where in text_of(refused)
        assert len(person.shown) == 1
    assert not site.asked("/")
