"""Calls of tools: one way for every tool, and what clients are told of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from tests.gateway.desk import Desk
from tests.gateway.tools.conftest import CallTool
from tests.site import Site

from rove import Session
from rove.engine.sessions import Sessions
from rove.errors import InvalidArguments, NotOpen
from rove.surfaces.gateway.tools.tool import ToolContext, ToolResult, Tools

pytestmark = pytest.mark.one_session


class Greet:
    """A tool as a contributor would write it."""

    name = "greet"
    description = "Greet a person."
    schema: Mapping[str, Any] = {"type": "object", "properties": {"who": {"type": "string"}}}
    asks = True

    def read(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        return str(arguments["who"])

    def summary(self, request: str) -> str:
        return f"Greet {request}"

    def details(self, request: str) -> dict[str, Any]:
        return {"who": request}

    async def run(self, request: str, context: ToolContext) -> ToolResult:
        context.report("Greeting...")
        return ToolResult(f"Hello, {request}.")


@pytest.mark.contract("A9")
async def test_a_new_tool_is_asked_about_and_reported_like_the_others(
    desk: Desk, sessions: Sessions, session: Session
) -> None:
    tools = Tools([Greet()], desk, desk, sessions)
    result = await tools.call("greet", {"who": "Ann"}, session.name, "run-1", "call-1")
    assert result.text == "Hello, Ann."
    assert [name for name, _ in desk.seen] == ["tool.call", "exec.approval_request", "tool.progress", "tool.result"]
    facts = {"sessionKey": session.name, "runId": "run-1", "callId": "call-1"}
    for event in ("tool.call", "tool.progress", "tool.result"):
        assert facts.items() <= desk.all(event)[0].items()


async def test_a_tool_that_fails_is_an_error_for_the_caller_and_not_the_end(
    desk: Desk, sessions: Sessions, session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    result = await Tools([Greet()], desk, desk, sessions).call("greet", {}, session.name)
    assert (result.is_error, result.code) == (True, "internal")
    assert "the tool greet failed" in caplog.text


async def test_a_tool_or_a_session_that_is_not_there_raises(tools: Tools, session: Session) -> None:
    with pytest.raises(InvalidArguments, match="browser"):
        await tools.call("brwser", {}, session.name)
    with pytest.raises(NotOpen):
        await tools.call("browser", {"actions": [{"type": "screenshot"}]}, "nowhere")


async def test_a_call_can_be_cancelled_while_it_waits_for_a_person(tools: Tools, desk: Desk, session: Session) -> None:
    desk.may_answer.clear()
    calling = asyncio.create_task(tools.call("browser", {"actions": [{"type": "screenshot"}]}, session.name))
    await desk.until("exec.approval_request")
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert desk.all("tool.result")[0]["code"] == "aborted"


async def test_the_actions_of_the_catalogue_are_tools(call: CallTool, desk: Desk, session: Session, site: Site) -> None:
    url = site.page("/", "<h1>Tea</h1><button>Go</button>")
    shown = await call("browser_navigate", url=url)
    assert 'button "Go"' in shown.text
    assert session.name == (await session.status()).session
    assert (await call("browser_screenshot")).attachments[0].mime_type == "image/png"
    missing = await call("browser_click", target="#missing", timeout=5)
    assert missing.code == "element_not_found"
    assert "browser_snapshot" in missing.text
    assert not desk.questions
    assert desk.all("tool.progress")[0]["message"] == f"Navigate to {url}..."
