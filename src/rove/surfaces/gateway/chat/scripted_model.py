"""A model that plays the built-in script, for newcomers without a key. It takes the same way as every other model."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator

from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from rove.action import registry
from rove.surfaces.gateway.chat.tea_room import NAME, Action, Done, Scene, next_move
from rove.toolsets.listed_actions import TYPES

# Seconds between two words, so that a person sees the text arrive.
PACE = 0.02
BATCH = "browser_batch"


class ScriptedModel(FunctionModel):
    """Says the words of the script one by one, and calls the tools that it asks for."""

    is_scripted = True

    def __init__(self, site: str | None, pace: float = PACE) -> None:
        """`site`: address of the built-in demo site."""
        self._site = site
        self._pace = pace
        super().__init__(stream_function=self._play, model_name=NAME)

    async def _play(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        message, done = _since_last_prompt(messages)
        move = next_move(Scene(message, done, self._site, frozenset(registry())))
        for word in re.findall(r"\s*\S+", move.text):
            yield word
            await asyncio.sleep(self._pace)
        if move.actions:
            tools = {tool.name for tool in info.function_tools}
            yield {0: _call(move.actions, tools)}


def _since_last_prompt(messages: list[ModelMessage]) -> tuple[str, tuple[Done, ...]]:
    """Return the last message of the person, and what came of each call since."""
    message, done = "", list[Done]()
    for request in (each for each in messages if isinstance(each, ModelRequest)):
        results = [part for part in request.parts if isinstance(part, ToolReturnPart)]
        done += [Done(part.outcome == "success", str(part.content)) for part in results]
        prompts = [part.content for part in request.parts if isinstance(part, UserPromptPart)]
        if prompts and not results:  # the pictures of a result come as a prompt beside it
            message, done = str(prompts[-1]), []
    return message, tuple(done)


def _call(actions: tuple[Action, ...], tools: set[str]) -> DeltaToolCall:
    """Return a call of the one tool for lists of actions, whichever of the two the toolset has."""
    name, arguments = ("browser", {"actions": actions}) if BATCH not in tools else (BATCH, {"steps": _steps(actions)})
    return DeltaToolCall(name, json.dumps(arguments), tool_call_id=str(uuid.uuid4()))


def _steps(actions: tuple[Action, ...]) -> list[Action]:
    """Return actions in the words of the catalogue."""
    return [{"action": _verb(action), **_arguments(action)} for action in actions]


def _verb(action: Action) -> str:
    kind = TYPES.get(action["type"])
    return kind.verb if kind else action["type"]


def _arguments(action: Action) -> Action:
    kind = TYPES.get(action["type"])
    names = kind.fields if kind else {}
    return {names.get(name, name): value for name, value in action.items() if name != "type"}
