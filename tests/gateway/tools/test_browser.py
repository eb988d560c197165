"""The tool `browser`, called as the chat and clients of the gateway call it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.gateway.desk import Desk
from tests.gateway.tools.conftest import CallTool
from tests.site import Site

from rove import Session
from rove.surfaces.gateway.tokens import Scope, Token
from rove.surfaces.gateway.tools.tool import Tools
from rove.toolsets.listed_actions import TYPES

OWNER = Token("owner", "", frozenset({Scope.OWN}), "", 0.0, None)
pytestmark = pytest.mark.one_session

PNG = b"\x89PNG\r\n\x1a\n"
PAGE = """<title>Tea</title><h1>The tea room</h1><p>First</p><p>Second</p>
<input id=user aria-label=User value=old><input id=word type=password aria-label=Password>
<button id=go onclick="this.textContent='Gone'">Go</button>"""


@pytest.mark.contract("A2", "A3", "A4")
async def test_a_call_navigates_and_takes_a_screenshot(call: CallTool, desk: Desk, site: Site) -> None:
    url = site.page("/", PAGE)
    result = await call("browser", actions=[{"type": "navigate", "url": url}, {"type": "screenshot"}])
    assert not result.is_error, result.text
    (picture,) = result.attachments
    assert (picture.type, picture.mime_type) == ("image", "image/png")
    assert picture.data.startswith(PNG)
    assert f"1. navigate: {url}" in result.text
    assert "2. screenshot: Screenshot, " in result.text
    (question,) = desk.questions
    assert question.summary == f"2 browser action(s) — first: Navigate to {url}"
    assert question.details == {"actions": [{"type": "navigate", "url": url}, {"type": "screenshot"}]}
    assert [data["message"] for data in desk.all("tool.progress")] == [
        f"Navigating to {url}...",
        "Taking screenshot...",
    ]
    assert {(data["runId"], data["tool"]) for data in desk.all("tool.progress")} == {("run-1", "browser")}
    names = [name for name, _ in desk.seen]
    assert names == ["tool.call", "exec.approval_request", "tool.progress", "tool.progress", "tool.result"]
    told = desk.all("tool.result")[0]
    assert told["ok"] is True
    assert told["attachments"][0].keys() == {"type", "mimeType", "data", "name"}


@pytest.mark.contract("A1")
async def test_type_replaces_a_value_and_click_clicks(call: CallTool, session: Session, site: Site) -> None:
    url = site.page("/", PAGE)
    actions = [
        {"type": "navigate", "url": url},
        {"type": "type", "selector": "#user", "text": "Bea"},
        {"type": "click", "selector": "#go"},
    ]
    result = await call("browser", actions=actions)
    assert not result.is_error, result.text
    assert (await session.evaluate("document.querySelector('#user').value")).result.value == "Bea"
    assert 'button "Gone"' in result.text


@pytest.mark.contract("A1", "A3")
async def test_progress_and_summaries_of_all_five_types(call: CallTool, desk: Desk, site: Site) -> None:
    url = site.page("/", PAGE)
    await call(
        "browser",
        actions=[
            {"type": "navigate", "url": url},
            {"type": "type", "selector": "#user", "text": "Bea"},
            {"type": "click", "selector": "#go"},
            {"type": "extract", "selector": "h1"},
            {"type": "extract"},
            {"type": "screenshot"},
        ],
    )
    assert [data["message"] for data in desk.all("tool.progress")] == [
        f"Navigating to {url}...",
        "Typing into #user...",
        "Clicking #go...",
        "Extracting text from h1...",
        "Extracting text from the page...",
        "Taking screenshot...",
    ]


@pytest.mark.contract("A4")
async def test_extract_gives_the_text_of_the_first_match_or_of_the_page(call: CallTool, site: Site) -> None:
    actions: list[dict[str, Any]] = [{"type": "navigate", "url": site.page("/", PAGE)}]
    one = await call("browser", actions=[*actions, {"type": "extract", "selector": "p"}])
    assert "First" in one.text.partition("2. extract")[2].partition("\n</")[0]
    assert "Second" not in one.text.partition("2. extract")[2].partition("\n</")[0]
    every = await call("browser", actions=[*actions, {"type": "extract"}])
    assert "The tea room\nFirst\nSecond" in every.text


@pytest.mark.parametrize(
    ("action", "named"),
    [
        ({"type": "click"}, "`actions[1].selector`"),
        ({"type": "type", "selector": "#user"}, "`actions[1].text`"),
        ({"type": "navigate"}, "`actions[1].url`"),
        ({"type": "navigate", "url": 7}, "`actions[1].url`"),
        ({"type": "click", "selector": "#go", "speed": 2}, "`actions[1].speed`"),
        ({"type": "clikc", "selector": "#go"}, "`actions[1].type`"),
        ({"selector": "#go"}, "`actions[1].type`"),
        ({"type": "press", "target": "#user"}, "`actions[1].key`"),
        ({"type": "hover", "selector": ""}, "`actions[1].selector`"),
        ({"type": "batch", "steps": []}, "`actions[1].type`"),
        ({"type": ["click"], "selector": "#go"}, "`actions[1].type` must be a string"),
        ("click", "`actions[1]` must be an object"),
    ],
)  # fmt: skip
@pytest.mark.contract("A1")
async def test_a_bad_action_is_refused_before_anything_runs(
    call: CallTool, desk: Desk, site: Site, action: Any, named: str
) -> None:
    result = await call("browser", actions=[{"type": "navigate", "url": site.page("/", PAGE)}, action])
    assert (result.is_error, result.code) == (True, "invalid_arguments")
    assert named in result.text
    assert not desk.questions
    assert not site.requests


@pytest.mark.parametrize("arguments", [{}, {"actions": []}, {"actions": "navigate"}, {"actions": [], "speed": 1}])
async def test_a_call_without_a_list_of_actions_is_refused(call: CallTool, arguments: dict[str, Any]) -> None:
    assert (await call("browser", **arguments)).code == "invalid_arguments"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "chrome://version", "about:blank", "view-source:http://x/"])
@pytest.mark.contract("A6")
async def test_an_address_that_is_not_of_the_web_is_refused_unasked(call: CallTool, desk: Desk, url: str) -> None:
    result = await call("browser", actions=[{"type": "screenshot"}, {"type": "navigate", "url": url}])
    assert result.code == "denied"
    assert "`actions[1].url`" in result.text
    assert not desk.questions


@pytest.mark.contract("A6")
async def test_a_password_field_is_refused_and_its_text_is_not_recorded(call: CallTool, site: Site) -> None:
    url = site.page("/", PAGE)
    actions = [{"type": "navigate", "url": url}, {"type": "type", "selector": "input:last-of-type", "text": "hunter2"}]
    result = await call("browser", actions=actions)
    assert (result.is_error, result.code, result.conceals) == (True, "denied", True)
    assert "hunter2" not in result.text
    assert "\n2. type: failed." in result.text  # as the caller calls it


@pytest.mark.contract("A2")
async def test_a_no_touches_nothing(call: CallTool, desk: Desk, site: Site) -> None:
    desk.answers_yes = False
    result = await call("browser", actions=[{"type": "navigate", "url": site.page("/", PAGE)}])
    assert (result.is_error, result.code) == (True, "denied")
    assert "not today" in result.text
    assert not site.requests
    assert not desk.all("tool.progress")
    assert desk.all("tool.result")[0]["ok"] is False


async def test_an_action_that_fails_stops_the_rest_and_keeps_what_was_done(call: CallTool, site: Site) -> None:
    result = await call(
        "browser",
        actions=[
            {"type": "navigate", "url": site.page("/", PAGE)},
            {"type": "screenshot"},
            {"type": "click", "selector": "#missing"},
            {"type": "click", "selector": "#go"},
        ],
    )
    assert (result.is_error, result.code) == (True, "element_not_found")
    assert len(result.attachments) == 1
    assert "3. click: failed." in result.text
    assert "4. not run" in result.text
    assert "Take a snapshot" in result.text  # the hint, in the words of this tool


async def test_other_actions_of_the_catalogue_are_accepted(call: CallTool, desk: Desk, site: Site) -> None:
    url = site.page("/", PAGE)
    result = await call(
        "browser",
        actions=[
            {"type": "navigate", "url": url},
            {"type": "hover", "selector": "#go"},
            {"type": "press", "target": "#user", "key": "End"},
            {"type": "snapshot"},
        ],
    )
    assert not result.is_error, result.text
    assert [data["message"] for data in desk.all("tool.progress")] == [
        f"Navigating to {url}...",
        "Hover: #go...",
        "Press: End, #user...",
        "Snapshot...",
    ]


@pytest.mark.contract("A1", "A5")
async def test_a_session_id_goes_on_with_an_open_session(
    call: CallTool, desk: Desk, session: Session, site: Site
) -> None:
    other = await session.another()
    await other.navigate(site.page("/", PAGE))
    result = await call("browser", actions=[{"type": "extract", "selector": "h1"}], sessionId=other.name)
    assert "The tea room" in result.text
    assert desk.questions[0].details["sessionId"] == other.name
    # What the answer names can be passed again, and is told to clients too.
    assert result.structured == {"sessionId": other.name}
    assert result.text.endswith(f"\nsessionId: {other.name}")
    assert desk.all("tool.result")[0]["structured"] == result.structured
    elsewhere = await call("browser", actions=[{"type": "extract"}])
    assert elsewhere.structured == {"sessionId": session.name}
    again = await call("browser", actions=[{"type": "extract"}], sessionId=other.name)
    assert "The tea room" in again.text
    unknown = await call("browser", actions=[{"type": "screenshot"}], sessionId="7d7c")
    assert unknown.code == "not_open"
    assert "Leave `sessionId` out" in unknown.text


async def test_a_yes_for_the_session_is_bound_to_session_origin_and_types(
    call: CallTool, desk: Desk, session: Session, site: Site
) -> None:
    url = site.page("/", PAGE)
    await call("browser", actions=[{"type": "navigate", "url": url}])
    await call("browser", actions=[{"type": "click", "selector": "#go"}])
    await call("browser", actions=[{"type": "navigate", "url": url.replace("127.0.0.1", "localhost")}])
    origin = url.removesuffix("/")
    first, second, third = (question.key for question in desk.questions)
    assert first == ("browser", f"navigate in {session.name}", (origin,))
    assert second == ("browser", f"click in {session.name}", (origin,))
    assert third == ("browser", f"navigate in {session.name}", (origin.replace("127.0.0.1", "localhost"),))


async def test_a_page_that_leaves_its_origin_before_the_answer_is_asked_about_again(
    tools: Tools, desk: Desk, session: Session, site: Site
) -> None:
    url = site.page("/", PAGE)
    await session.navigate(url)
    desk.may_answer.clear()
    calling = tools.call("browser", {"actions": [{"type": "click", "selector": "#go"}]}, session.name)
    task = asyncio.create_task(calling)
    await desk.until("exec.approval_request")
    await session.navigate(url.replace("127.0.0.1", "localhost"))
    desk.may_answer.set()
    assert not (await task).is_error
    assert [question.origins for question in desk.questions] == [
        (url.removesuffix("/"),),
        (url.replace("127.0.0.1", "localhost").removesuffix("/"),),
    ]


def test_the_schema_names_the_five_types(tools: Tools) -> None:
    (browser,) = [tool for tool in tools.describe(OWNER) if tool["name"] == "browser"]
    assert browser["asks"] is True
    step = browser["inputSchema"]["properties"]["actions"]["items"]
    assert all(kind in step["properties"]["type"]["description"] for kind in TYPES)
    assert {field for kind in TYPES.values() for field in kind.fields} <= {*step["properties"]}
    json.dumps(browser)
