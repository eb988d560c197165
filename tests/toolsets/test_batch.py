"""The toolset `batch` over MCP: contract A where there is no gateway."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp_types import ImageContent
from tests.batches import POLICY
from tests.mcp_clients import text_of
from tests.site import Site
from tests.surfaces.approving_clients import ACCEPT, DECLINE, ERAS, Person, connected

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


@pytest.mark.contract("A2")
@pytest.mark.parametrize("mode", ERAS)
async def test_the_yes_to_a_call_answers_for_its_steps_as_far_as_they_were_shown(
    home: Path, site: Site, mode: str
) -> None:
    person = Person(ACCEPT)
    navigate = {"type": "navigate", "url": site.page("/", PAGE)}
    script = {"type": "evaluate", "expression": "1 + 1"}
    async with connected(home, mode, person, "--toolset", "batch", policy=POLICY) as client:
        assert not (await client.call_tool("browser", {"actions": [navigate, script]})).is_error
        assert len(person.shown) == 1
        again = {"type": "click", "selector": "button"}  # which element that is was not shown
        assert not (await client.call_tool("browser", {"actions": [again]})).is_error
        assert len(person.shown) == 3
        denied = await client.call_tool("browser", {"actions": [navigate, {"type": "hover", "selector": "button"}]})
        assert "does not allow `hover`" in text_of(denied)
        assert len(person.shown) == 4


@pytest.mark.contract("A3")
@pytest.mark.parametrize("mode", ERAS)
async def test_progress_is_told_before_each_action_in_the_words_of_the_contract(
    home: Path, site: Site, mode: str
) -> None:
    heard: list[str | None] = []

    async def receive_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    url = site.page("/", PAGE)
    actions = [{"type": "navigate", "url": url}, {"type": "screenshot"}]
    policy = '[[rule]]\ndecide = "allow"\naction = "batch"\n'
    async with connected(home, mode, Person(ACCEPT), "--toolset", "batch", policy=policy) as client:
        await client.call_tool("browser", {"actions": actions}, progress_callback=receive_progress)
    assert heard == [f"Navigating to {url}...", "Taking screenshot..."]


@pytest.mark.contract("A1", "A5")
async def test_a_session_that_an_action_opens_is_named_with_the_argument_of_the_tool(home: Path, site: Site) -> None:
    async with connected(home, "2026-07-28", Person(ACCEPT), "--toolset", "batch", policy="") as client:
        opened = await client.call_tool("browser", {"actions": [{"type": "open_session", "name": "tea"}]})
        assert "1. open_session: Opened session tea: pass it as `sessionId`." in text_of(opened)
        actions = [{"type": "navigate", "url": site.page("/", PAGE)}]
        assert text_of(await client.call_tool("browser", {"actions": actions, "sessionId": "tea"})).endswith("tea")
        unknown = text_of(await client.call_tool("browser", {"actions": actions, "sessionId": "milk"}))
        assert "There is no session milk" in unknown and "(type open_session)" in unknown


@pytest.mark.contract("A2")
@pytest.mark.parametrize("mode", ERAS)
async def test_25_approved_calls_in_a_row_all_run(home: Path, site: Site, mode: str) -> None:
    person = Person(ACCEPT)
    actions = [{"type": "navigate", "url": site.page("/", PAGE)}]
    async with connected(home, mode, person, "--toolset", "batch", policy="") as client:
        for _ in range(25):
            result = await client.call_tool("browser", {"actions": actions})
            assert not result.is_error, text_of(result)
            actions = [{"type": "extract", "selector": "h1"}]
    assert len(person.shown) == 25


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
