"""Tools for a model: their schemas, the dispatcher, and the frameworks that rove has adapters for."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.site import OWN_SITES, Site

import rove

PAGE = "<h1>Tea</h1><button onclick=\"document.body.append('Brewing')\">Order</button>"
NAME = "browser_click"


@pytest.fixture
async def session(home: Path) -> AsyncGenerator[rove.Session]:
    async with rove.open(home=home, allow_host=OWN_SITES) as session:
        yield session


def calls(site: Site) -> list[tuple[str, dict[str, str]]]:
    """What the played models call: a page, an element that is not there, and one that is."""
    opened = ("browser_navigate", {"url": site.page("/", PAGE)})
    return [opened, (NAME, {"target": "nope"}), (NAME, {"target": "button"})]


async def test_schemas_come_in_the_form_of_each_api(session: rove.Session) -> None:
    tools = rove.tools(session)
    assert len(tools) == len(tools.schemas()) > 20
    keys = {
        "mcp": "inputSchema",
        "anthropic": "input_schema",
        "gemini": "parameters_json_schema",
        "openai": "parameters",
    }
    for form, key in keys.items():
        click = next(tool for tool in tools.schemas(form) if tool["name"] == NAME)  # type: ignore[arg-type]
        assert "target" in click[key]["properties"]
    assert tools.schemas("openai-chat")[0]["function"]["parameters"]["type"] == "object"
    assert "untrusted" in tools.instructions


async def test_the_dispatcher_answers_every_call(session: rove.Session, site: Site) -> None:
    tools = rove.tools(session)
    address = site.page("/", PAGE)
    opened = await tools.call("browser_navigate", json.dumps({"url": address}))
    assert not opened.is_error
    assert "<untrusted" in opened.text
    assert "Brewing" in (await tools.call(NAME, {"target": "button"})).text
    assert (await tools.call("browser_screenshot")).attachments[0].kind == "image"
    for name, arguments, code in (
        (NAME, {"target": "nope"}, "element_not_found"),
        (NAME, {}, "invalid_arguments"),
        (NAME, "not JSON", "invalid_arguments"),
        (NAME, "[1]", "invalid_arguments"),
        ("browser_clik", {}, "invalid_arguments"),
    ):
        answer = await tools.call(name, arguments)
        assert (answer.is_error, answer.code) == (True, code)
    assert "Did you mean browser_click?" in (await tools.call("browser_clik")).text


async def test_openai_agents_runs_the_tools(session: rove.Session, site: Site) -> None:
    from agents import Agent, Model, ModelResponse, Runner, Usage
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    script = iter(calls(site))
    told: list[str] = []

    class Played(Model):  # type: ignore[misc]  # mypy does not read `agents`
        async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
            told.append(json.dumps(kwargs["input"], default=str))
            called = next(script, None)
            if called is None:
                text = ResponseOutputText(text="Done.", type="output_text", annotations=[])
                message = ResponseOutputMessage(
                    id="m", content=[text], role="assistant", status="completed", type="message"
                )
                return ModelResponse(output=[message], usage=Usage(), response_id=None)
            name, arguments = called
            call = ResponseFunctionToolCall(
                arguments=json.dumps(arguments), call_id=f"c{len(told)}", name=name, type="function_call"
            )
            return ModelResponse(output=[call], usage=Usage(), response_id=None)

        def stream_response(self, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

    agent = Agent("Browser", tools=rove.adapters.openai_agents.tools(session), model=Played())
    result = await Runner.run(agent, "Order tea", run_config=_without_tracing())
    assert result.final_output == "Done."
    assert "element_not_found" in told[2]
    assert "Brewing" in told[3]


def _without_tracing() -> Any:
    from agents import RunConfig

    return RunConfig(tracing_disabled=True)


async def test_pydantic_ai_runs_the_tools_of_an_open_session(session: rove.Session, site: Site) -> None:
    from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    script = iter([("browser_navigate", {"url": site.page("/", PAGE)}), (NAME, {"target": "button"})])
    told: list[str] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        told.append(str(messages[-1]))
        called = next(script, None)
        return ModelResponse(parts=[ToolCallPart(*called) if called else TextPart("Done.")])

    agent = Agent(FunctionModel(answer), tools=rove.adapters.pydantic_ai.tools(session))
    assert (await agent.run("Order tea")).output == "Done."
    assert "Brewing" in told[-1]


@pytest.mark.slow  # they are installed for the slow tests only
async def test_langchain_runs_the_tools(session: rove.Session, site: Site) -> None:
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    class Played(GenericFakeChatModel):  # type: ignore[misc]
        def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
            return self

    def replies() -> Iterator[AIMessage]:
        for number, (name, arguments) in enumerate(
            [
                ("browser_navigate", {"url": site.page("/", PAGE)}),
                (NAME, {"target": "nope"}),
                (NAME, {"target": "button"}),
            ]
        ):
            yield AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": str(number)}])
        yield AIMessage("Done.")

    agent = create_agent(Played(messages=replies()), tools=rove.adapters.langchain.tools(session))
    messages = (await agent.ainvoke({"messages": [("user", "Order tea")]}))["messages"]
    texts = [str(message.content) for message in messages]
    assert any("element_not_found" in text for text in texts)
    assert "Brewing" in texts[-2]


@pytest.mark.slow  # they are installed for the slow tests only
async def test_claude_agent_sdk_serves_the_tools(session: rove.Session, site: Site) -> None:
    tools = {tool.name: tool for tool in rove.adapters.claude_agent_sdk.tools(session)}
    await tools["browser_navigate"].handler({"url": site.page("/", PAGE)})
    assert "Brewing" in (await tools[NAME].handler({"target": "button"}))["content"][0]["text"]
    assert (await tools[NAME].handler({"target": "nope"}))["is_error"]
    assert (await tools["browser_screenshot"].handler({}))["content"][1]["type"] == "image"
    assert rove.adapters.claude_agent_sdk.server(session)["name"] == "rove"


@pytest.mark.slow  # they are installed for the slow tests only
async def test_browser_use_registers_the_tools(session: rove.Session, site: Site) -> None:
    registry = rove.adapters.browser_use.tools(session).registry
    assert "click" not in registry.registry.actions
    await registry.execute_action("browser_navigate", {"url": site.page("/", PAGE)})
    clicked = await registry.execute_action(NAME, {"target": "button"})
    assert "Brewing" in clicked.extracted_content
    assert "element_not_found" in (await registry.execute_action(NAME, {"target": "nope"})).error
