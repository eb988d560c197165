"""The toolset for pydantic-ai, used by an agent whose model is a function of the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import (
    Agent,
    BinaryContent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from tests.site import Site

from rove import Allow, Ask
from rove.action import AnyAction
from rove.adapters.pydantic_ai import RoveToolset
from rove.guard.policy import Decision, Place

PAGE = "<h1>Tea</h1><button onclick=\"document.body.append('Brewing')\">Order</button><input type=password>"
OpenToolset = Callable[..., "RoveToolset[None]"]


class AsksToClick:
    """A policy that asks a person about every click."""

    def decide(self, action: AnyAction, place: Place) -> Decision:
        return Ask(f"May the agent {action.describe()}?") if action.verb == "click" else Allow()


@pytest.fixture
def open_toolset(home: Path) -> OpenToolset:
    def open_toolset(**options: Any) -> RoveToolset[None]:
        return RoveToolset(home=home, allow_host="127.0.0.1", **options)

    return open_toolset


def plays(*calls: tuple[str, dict[str, Any]]) -> FunctionModel:
    """Return a model that calls these tools in order, then says that it is done."""
    left = iter(calls)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        called = next(left, None)
        return ModelResponse(parts=[ToolCallPart(*called) if called else TextPart("Done.")])

    return FunctionModel(answer)


def results(messages: list[ModelMessage]) -> Iterator[ToolReturnPart]:
    return (part for message in messages for part in message.parts if isinstance(part, ToolReturnPart))


async def test_an_agent_uses_the_browser_and_keeps_its_page_between_runs(open_toolset: OpenToolset, site: Site) -> None:
    url = site.page("/", PAGE)
    agent = Agent(deps_type=type(None), toolsets=[open_toolset()])
    async with agent:
        first = await agent.run("Go", model=plays(("browser_navigate", {"url": url}), ("browser_screenshot", {})))
        page, picture = results(first.all_messages())
        assert 'heading "Tea"' in str(page.content)
        assert "Screenshot, " in str(picture.content)
        prompts = [
            part for message in first.all_messages() for part in message.parts if part.part_kind == "user-prompt"
        ]
        assert isinstance(prompts[-1], UserPromptPart)
        (image,) = list(prompts[-1].content)
        assert isinstance(image, BinaryContent)
        assert image.data.startswith(b"\x89PNG")

        failing = plays(
            ("browser_click", {"button": "Order"}),
            ("browser_click", {"target": "#missing", "timeout": 4}),
            ("browser_fill", {"target": "input", "value": "hunter2"}),
            ("browser_extract", {"target": "h1"}),
        )
        second = await agent.run("Try", model=failing)
        wrong, missing, password, text = results(second.all_messages())
        assert (wrong.outcome, missing.outcome, password.outcome, text.outcome) == (
            "retried",
            "failed",
            "failed",
            "success",
        )
        assert "`target` is missing" in str(wrong.content)
        assert "browser_snapshot" in str(missing.content)
        assert "denied" in str(password.content)
        assert "Tea" in str(text.content)  # the page of the first run


async def test_without_an_approver_a_question_is_a_no(open_toolset: OpenToolset, site: Site) -> None:
    url = site.page("/", PAGE)
    agent = Agent(deps_type=type(None), toolsets=[open_toolset(policy=AsksToClick())])
    model = plays(("browser_navigate", {"url": url}), ("browser_click", {"target": "button"}))
    answer = await agent.run("Go", model=model)
    assert [result.outcome for result in results(answer.all_messages())] == ["success", "failed"]


async def test_approval_by_the_framework_holds_for_what_was_shown(open_toolset: OpenToolset, site: Site) -> None:
    url = site.page("/", PAGE)
    toolset = open_toolset(policy=AsksToClick(), approval="pydantic-ai")
    agent = Agent(deps_type=type(None), toolsets=[toolset], output_type=[str, DeferredToolRequests])
    model = plays(("browser_navigate", {"url": url}), ("browser_click", {"target": "button"}), ("browser_snapshot", {}))
    async with agent:
        asked = await agent.run("Go", model=model)
        assert isinstance(asked.output, DeferredToolRequests)
        (call,) = asked.output.approvals
        shown = asked.output.metadata[call.tool_call_id]
        assert shown["question"] == "May the agent Click button?"
        assert shown["origins"] == [url.removesuffix("/")]
        answers = DeferredToolResults(approvals={call.tool_call_id: True})
        done = await agent.run(message_history=asked.all_messages(), deferred_tool_results=answers, model=model)
        assert done.output == "Done."
        assert "Brewing" in str([*results(done.all_messages())][-1].content)
