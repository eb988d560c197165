"""rove's actions as a toolset of pydantic-ai.

agent = Agent("anthropic:claude-sonnet-5-5", toolsets=[RoveToolset()])
async with agent:  # keeps the browser open between runs
    await agent.run("What is on the front page of example.com?")
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic_ai import BinaryContent, RunContext, ToolDefinition, ToolReturn
from pydantic_ai import Tool as AgentTool
from pydantic_ai.exceptions import ApprovalRequired, ModelRetry, ToolFailed
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from rove.advice import insert_names
from rove.engine.sessions import Sessions
from rove.errors import InvalidArguments, RoveError
from rove.guard.policy import ApprovalAnswer, ApprovalRequest, Approver, Policy
from rove.outcome import AnyOutcome
from rove.settings.tree import load
from rove.surfaces.approvers import appointed
from rove.surfaces.library.session import Session
from rove.surfaces.library.tools import SessionTools
from rove.toolsets.tool import Answer, Tool
from rove.toolsets.toolset import toolset_from

# How often in a row a model may call one tool with arguments that are not valid.
MOST_RETRIES = 5
# rove itself says what is wrong with the arguments, in words that name the field.
ANY_OBJECT = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))


def tools(session: Session) -> list[AgentTool[Any]]:
    """Return the tools of a session that is open already, for `Agent(tools=...)`."""
    own = SessionTools(session)
    return [_session_tool(own, tool) for tool in own.values()]


def _session_tool(own: SessionTools, tool: Tool) -> AgentTool[Any]:
    async def call(**arguments: Any) -> Any:
        answer = await own.call(tool.name, arguments)
        if answer.code == InvalidArguments.code:
            raise ModelRetry(answer.text)
        if answer.is_error:
            raise ToolFailed(answer.text)
        return _content_of(answer)

    made = AgentTool.from_schema(call, tool.name, tool.description, dict(tool.schema), sequential=True)
    made.max_retries = MOST_RETRIES
    return made


class RoveToolset(AbstractToolset[AgentDepsT]):
    """A browser for an agent: one tool for each action, in one session that is open while the toolset is entered.

    `policy` and `approver` are those of `rove.open()`, and so are the settings: `RoveToolset(headless=False)`.
    Where the policy asks a person, rove asks its own approver. With `approval="pydantic-ai"`, the call is deferred
    instead, as pydantic-ai has it for tools that need approval: the program that runs the agent answers for a person.
    """

    def __init__(
        self,
        *,
        policy: Policy | None = None,
        approver: Approver | None = None,
        approval: Literal["rove", "pydantic-ai"] = "rove",
        id: str | None = "rove",
        **settings: Any,
    ) -> None:
        self._id = id
        self._policy = policy
        self._approver = approver
        self._defers = approval == "pydantic-ai"
        self._settings = load(**settings)
        self._toolset = toolset_from(self._settings)
        # The requests that calls were deferred for, by the ids of the calls.
        self._deferred: dict[str, ApprovalRequest] = {}
        self._sessions: Sessions | None = None
        self._entered = 0
        self._lock = asyncio.Lock()

    @property
    def id(self) -> str | None:
        return self._id

    async def __aenter__(self) -> Self:
        """Get a browser ready. A toolset that is entered several times has one browser until it is left as often."""
        async with self._lock:
            if not self._entered:
                approver = self._approver or appointed(self._settings)
                self._sessions = await Sessions(self._settings, self._policy, approver).__aenter__()
                self._sessions.start_early()
            self._entered += 1
        return self

    async def __aexit__(self, *args: Any) -> None:
        """Close the browser and its session."""
        async with self._lock:
            self._entered -= 1
            if not self._entered and self._sessions is not None:
                sessions, self._sessions = self._sessions, None
                self._deferred.clear()
                await sessions.close()

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> str:
        return self._toolset.instructions

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        return {name: _declared(self, name, tool.description, tool.schema) for name, tool in self._toolset.items()}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Run an action. The model is told of an error; arguments that are not valid, it is asked to correct."""
        called = self._toolset[name]
        channel = self._channel(ctx)
        try:
            outcome = await self._run(called, tool_args, channel)
        except InvalidArguments as error:
            raise ModelRetry(_told(error, called, tool_args)) from error
        except RoveError as error:
            if channel is not None and channel.asked is not None:
                self._defer(ctx.tool_call_id, channel.asked)
            raise ToolFailed(_told(error, called, tool_args)) from error
        return _content_of(await called.answer(called.request(tool_args), outcome))

    async def _run(self, tool: Tool, arguments: Mapping[str, Any], channel: Approver | None) -> AnyOutcome:
        assert self._sessions is not None, "the toolset is entered by the agent's run"
        call = tool.call(arguments)
        return (
            await self._sessions.owned_by(None)
            .session(call.session, call.needs_session)
            .run(
                call.action,
                tab=call.tab,
                timeout=call.timeout,
                quiet=call.quiet,
                channel=channel,
                names=tool.names,
                view=call.view,
            )
        )

    def _channel(self, ctx: RunContext[AgentDepsT]) -> _DeferringApprover | None:
        if not self._defers:
            return None
        shown = self._deferred.pop(ctx.tool_call_id or "", None)
        return _DeferringApprover(shown if ctx.tool_call_approved else None)

    def _defer(self, call: str | None, request: ApprovalRequest) -> None:
        """Raise ApprovalRequired with what a person has to see, and remember what that was."""
        self._deferred[call or ""] = request
        raise ApprovalRequired(
            {
                "question": request.question,
                "summary": request.summary,
                "origins": list(request.origins),
                "elements": [shown.line for shown in request.elements],
                "arguments": request.arguments,
            }
        )


class _DeferringApprover:
    """Approves the request that was shown, and nothing else; `asked` is the request that has to be shown first."""

    def __init__(self, shown: ApprovalRequest | None) -> None:
        self._shown = shown
        self.asked: ApprovalRequest | None = None

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        if self._shown is not None and self._shown.covers(request):
            self._shown = None
            return ApprovalAnswer.ONCE
        self.asked = request
        return ApprovalAnswer.NO


def _declared(
    toolset: AbstractToolset[AgentDepsT], name: str, description: str, schema: Mapping[str, Any]
) -> ToolsetTool[AgentDepsT]:
    """Declare a tool of a toolset. Its calls run one after another: what one does to a page is seen by the next."""
    definition = ToolDefinition(
        name=name, description=description, parameters_json_schema=dict(schema), strict=False, sequential=True
    )
    return ToolsetTool(toolset=toolset, tool_def=definition, max_retries=MOST_RETRIES, args_validator=ANY_OBJECT)


def _content_of(answer: Answer) -> Any:
    """Return an answer as a model is sent it: the text, and pictures as pictures."""
    pictures = [BinaryContent(each.data, media_type=each.mime) for each in answer.attachments if each.kind == "image"]
    return ToolReturn(answer.text, content=pictures) if pictures else answer.text


def _told(error: RoveError, tool: Tool, arguments: Mapping[str, Any]) -> str:
    error.hint = insert_names(error.hint, tool.names)
    return tool.error_answer(tool.request(arguments), error).text
