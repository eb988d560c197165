"""The tools of a session for a model: their JSON schemas, and a dispatcher for the model's calls.

tools = rove.tools(session)
reply = await client.responses.create(model=..., tools=tools.schemas("openai"), input=...)
answer = await tools.call(item.name, item.arguments)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from rove.advice import insert_names, nearest
from rove.errors import InvalidArguments, RoveError
from rove.outcome import AnyOutcome
from rove.surfaces.library.session import Session
from rove.toolsets.catalogue import PREFIX, group_of
from rove.toolsets.outcome_text import error_data, error_text
from rove.toolsets.tool import Answer, Tool
from rove.toolsets.toolset import Toolset, toolset_from

SchemaForm = Literal["mcp", "openai", "openai-chat", "anthropic", "gemini"]


class SessionTools(Mapping[str, Tool]):
    """The tools that a model may call in a session, by name. The settings of the session say which there are."""

    def __init__(self, session: Session, toolset: Toolset | None = None) -> None:
        if not isinstance(session, Session):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                "tools need a session of `rove.open()`; for one of `rove.sync` there is `rove.sync.tools()`"
            )
        self._session = session
        self._toolset = toolset or toolset_from(session.settings)

    @property
    def instructions(self) -> str:
        """What a model should be told of the tools, for its system prompt."""
        return self._toolset.instructions

    def schemas(self, form: SchemaForm = "mcp") -> list[dict[str, Any]]:
        """Return the tools as a provider's API takes them: name, description and JSON schema of the arguments.

        form: "openai" is for the Responses API, "openai-chat" for Chat Completions, "gemini" for function declarations.
        """
        return [_described(tool, form) for tool in self._toolset.values()]

    async def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> Answer:
        """Run a call that a model made, and return what the model is to be told: an error is an answer too.

        arguments: As an object, or as the JSON text that some APIs give; None where there are none.
        """
        called = str(name)  # a model wrote it
        tool = self._toolset.get(called)
        if tool is None:
            return error_answer(self._unknown(called))
        try:
            given = _object_of(arguments)
        except InvalidArguments as error:
            return error_answer(error)
        try:
            outcome = await self._run(tool, given)
        except RoveError as error:
            error.hint = insert_names(error.hint, tool.names)
            return tool.error_answer(tool.request(given), error)
        return await tool.answer(tool.request(given), outcome)

    def __getitem__(self, name: str) -> Tool:
        return self._toolset[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._toolset)

    def __len__(self) -> int:
        return len(self._toolset)

    async def _run(self, tool: Tool, arguments: Mapping[str, Any]) -> AnyOutcome:
        return await self._session.run_call(tool.call(arguments), tool.names)

    def _unknown(self, name: str) -> InvalidArguments:
        # All names may begin alike, which would make any of them seem near.
        verbs = {tool.removeprefix(PREFIX): tool for tool in self._toolset}
        near = nearest(name.removeprefix(PREFIX), verbs)
        meant = f" Did you mean {verbs[near]}?" if near else ""
        if group := group_of(name):
            meant = f" It is there only in a session with `with_=[{group!r}]`."
        return InvalidArguments(f"There is no tool `{name}`.{meant}", hint=f"There are: {', '.join(self)}.")


def tools(session: Session) -> SessionTools:
    """Return the tools of a session for a model: `schemas()` describes them, `call()` runs a call of the model."""
    return SessionTools(session)


def _described(tool: Tool, form: SchemaForm) -> dict[str, Any]:
    named = {"name": tool.name, "description": tool.description}
    schema = dict(tool.schema)
    match form:
        case "mcp":
            return {**named, "inputSchema": schema}
        case "anthropic":
            return {**named, "input_schema": schema}
        case "gemini":
            return {**named, "parameters_json_schema": schema}
        case "openai":
            return {"type": "function", **named, "parameters": schema, "strict": False}
        case "openai-chat":
            return {"type": "function", "function": {**named, "parameters": schema}}


def _object_of(arguments: Any) -> Mapping[str, Any]:
    """Return the arguments of a call, which a model wrote."""
    given = arguments
    if isinstance(arguments, str):
        try:
            given = json.loads(arguments or "{}")
        except ValueError as error:
            raise InvalidArguments("The arguments are not valid JSON.", hint="Send one JSON object.") from error
    given = {} if given is None else given
    if not isinstance(given, dict):
        raise InvalidArguments("The arguments are not a JSON object.", hint="Send one JSON object.")
    return given


def error_answer(error: RoveError) -> Answer:
    """Return what a model is told of an error that is not of a tool's own."""
    return Answer(error_text(error), (), {"error": error_data(error)}, is_error=True, code=error.code)
