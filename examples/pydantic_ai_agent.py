"""Give an agent of pydantic-ai a browser, and let it order tea at the built-in demo site.

With a model of your own, `Agent("anthropic:claude-sonnet-5-5", toolsets=[toolset])` is all that it takes. So that this
example runs without a key, a function plays the model here.
"""

import asyncio
from collections.abc import Iterator

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from rove.adapters.pydantic_ai import RoveToolset
from rove.surfaces.cli.demo import tea_room


def played(address: str) -> FunctionModel:
    """Return a model that orders a Sencha, step by step."""

    def steps() -> Iterator[ModelResponse]:
        yield call("browser_navigate", url=address)
        yield call("browser_fill", target='textbox "Your name"', value="Bea")
        yield call("browser_select", target='combobox "Tea"', values=["Sencha"])
        yield call("browser_click", target='button "Place order"')
        yield call("browser_extract", target="[role=status]")

    script = steps()

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        told = [part.content for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        return next(script, None) or ModelResponse(parts=[TextPart(f"The page says:\n{told[-1]}")])

    return FunctionModel(answer)


def call(tool: str, **arguments: object) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart(tool, dict(arguments))])


async def order(address: str) -> None:
    # The demo site is on this machine, which pages cannot reach unless it is allowed.
    toolset: RoveToolset[None] = RoveToolset(allow_host="127.0.0.1")
    agent = Agent(played(address), deps_type=type(None), toolsets=[toolset])
    async with agent:  # keeps the browser, and its page, open between runs
        result = await agent.run("Order a Sencha for Bea")
    print(result.output)


def main() -> None:
    with tea_room() as address:
        asyncio.run(order(address))


if __name__ == "__main__":
    main()
