"""What a tool is, and the one way to call it: read the arguments, ask a person, run, tell every client, record."""

from __future__ import annotations

import logging
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from rove.advice import nearest
from rove.engine.client_sessions import ServedSessions, own_settings
from rove.engine.journal import PASSWORD_TEXT
from rove.engine.session_interface import ServedSession
from rove.errors import Denied, Forbidden, InvalidArguments, NotOpen, RoveError
from rove.guard.cleaning import one_line
from rove.guard.policy import ApprovalAnswer, ApprovalRequest, Approver
from rove.outcome import Attachment
from rove.owned_names import mark_in
from rove.records import dataclass
from rove.settings.tree import Settings
from rove.surfaces.gateway.approvals import ToolApproval, ToolQuestion
from rove.surfaces.gateway.tokens import Scope as TokenScope
from rove.surfaces.gateway.tokens import Token
from rove.toolsets.outcome_text import error_text
from rove.toolsets.tool import Access, Answer, NamedTool

log = logging.getLogger(__name__)
R = TypeVar("R")
# After this many questions about one call, each because the page had changed meanwhile, the call is denied.
MAX_QUESTIONS = 3
LONGEST_NAME = 200
ABORTED = "aborted: The call was stopped before it was over."


@dataclass(frozen=True)
class ToolAttachment:
    """A picture or a file that a tool returns beside its text."""

    type: Literal["image", "file"]
    mime_type: str
    data: bytes
    name: str | None = None

    @classmethod
    def of(cls, attachment: Attachment) -> ToolAttachment:
        """Return an attachment of an outcome as one of a tool."""
        return cls(attachment.kind, attachment.mime, attachment.data, attachment.name)

    def as_data(self) -> dict[str, str]:
        """Return it as JSON data."""
        named = {"name": self.name} if self.name else {}
        return {"type": self.type, "mimeType": self.mime_type, "data": b64encode(self.data).decode("ascii"), **named}


@dataclass(frozen=True)
class ToolResult:
    """What a call returned. An error has a stable code, and its text says what to try next.

    `conceals`: whether the arguments must stay out of the transcript, as they may hold a password. `structured`: the
    answer as JSON data, for programs.
    """

    text: str
    attachments: tuple[ToolAttachment, ...] = ()
    is_error: bool = False
    code: str | None = None
    conceals: bool = False
    structured: Mapping[str, Any] | None = None

    @classmethod
    def of_answer(cls, answer: Answer) -> ToolResult:
        """Return the answer of a tool of a toolset."""
        attachments = tuple(ToolAttachment.of(attachment) for attachment in answer.attachments)
        return cls(answer.text, attachments, answer.is_error, answer.code, answer.conceals, answer.structured)

    def as_data(self) -> dict[str, Any]:
        """Return what clients are told of it, as JSON data."""
        attachments = [attachment.as_data() for attachment in self.attachments]
        structured = {} if self.structured is None else {"structured": dict(self.structured)}
        return {"ok": not self.is_error, "text": self.text, "attachments": attachments, **structured}

    @classmethod
    def of_error(cls, error: RoveError) -> ToolResult:
        return cls(error_text(error), is_error=True, code=error.code, conceals=error.conceals)


@dataclass(frozen=True)
class ToolContext:
    """Where a call runs. `report` tells clients what is being done; `approver` is asked where the policy asks.

    `approval`: the person's yes to the call, if its tool asks for one.
    """

    session: str
    run: str | None
    call: str
    report: Callable[[str], None]
    sessions: ServedSessions
    approver: Approver
    approval: ToolApproval | None = None

    @property
    def settings(self) -> Settings:
        """The settings of sessions of the same owner."""
        return own_settings(self.sessions.settings, mark_in(self.session))

    def find_session(self, name: str | None, argument: str = "session") -> ServedSession:
        """Return the session of the call, or another of the same owner. Raises NotOpen if there is no such one.

        `argument`: what the tool calls the argument that names it.
        """
        current = self.sessions.session(self.session)
        if name is None or name == current.name:
            return current
        found = self.sessions.open_sessions(current.owner).get(name)
        if found is None:
            raise NotOpen(
                f"There is no session {one_line(name, LONGEST_NAME)}.",
                hint=f"Leave `{argument}` out to use the session of this chat.",
            )
        return found


@dataclass(frozen=True)
class Scope:
    """What a yes covers: calls of this kind at these origins; with `can_last`, also for the rest of a session."""

    kind: str
    origins: tuple[str, ...]
    can_last: bool = True


class Tool(NamedTool, Protocol[R]):
    """A tool: one file with such a class, and one line in `registration.py`.

    With `asks`, a person is asked before every call.
    """

    @property
    def asks(self) -> bool: ...

    def read(self, arguments: Mapping[str, Any], context: ToolContext) -> R:
        """Validate the arguments, which are untrusted, before a person is asked. Raises InvalidArguments or Denied."""
        ...

    def summary(self, request: R) -> str:
        """Say in one line what a call would do."""
        ...

    def details(self, request: R) -> dict[str, Any]:
        """Return what a person has to see before they approve a call, as JSON data."""
        ...

    async def run(self, request: R, context: ToolContext) -> ToolResult:
        """Do it. A RoveError becomes a result that tells the caller of the error."""
        ...


AnyTool = Tool[Any]


@runtime_checkable
class ScopedTool(Protocol):
    """A tool whose approval is bound to origins, and can hold for the rest of the session."""

    def scope(self, request: Any, context: ToolContext) -> Scope | None:
        """Return what a yes would cover; None if it holds for one call alone."""
        ...


@runtime_checkable
class OwnerTool(Protocol):
    """A tool that is there only in sessions of the person who runs the server."""

    is_for_owner: bool


def _is_for_owner(tool: AnyTool) -> bool:
    return isinstance(tool, OwnerTool) and tool.is_for_owner


class Publisher(Protocol):
    """Tells every client of an event."""

    def publish(self, event: str, data: dict[str, Any], session: str | None = None) -> int: ...


class Inbox(Protocol):
    """Asks a person about calls of tools and about actions."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer: ...

    async def ask(self, question: ToolQuestion) -> ToolApproval:
        """Return a yes; raise Denied otherwise."""
        ...


class Tools:
    """The tools by name, and the one way to call them."""

    def __init__(
        self,
        tools: Iterable[AnyTool],
        events: Publisher,
        inbox: Inbox,
        sessions: ServedSessions,
        access: Access = "all",
    ) -> None:
        """`access`: which tokens may call them."""
        self._tools = {tool.name: tool for tool in tools}
        self._access: Access = access
        self._events = events
        self._inbox = inbox
        self._sessions = sessions

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(self._tools.values())

    def find(self, name: str) -> AnyTool:
        """Return the tool of that name. Raises InvalidArguments if there is none."""
        if name not in self._tools:
            near = nearest(name, self._tools)
            meant = f" Did you mean `{near}`?" if near else ""
            raise InvalidArguments(f"There is no tool `{name}`.{meant}", hint=f"There are: {', '.join(self._tools)}.")
        return self._tools[name]

    def refuse(self, token: Token) -> None:
        """Raise Forbidden if the tools are for the owner alone, and the token is another's."""
        if not self.are_for(token):
            raise Forbidden("These tools are for the owner alone.", hint="Use a token with the scope `own`.")

    def are_for(self, token: Token) -> bool:
        """Whether the holder of a token may see and call the tools."""
        return self._access == "all" or token.allows(TokenScope.OWN)

    def describe(self, token: Token) -> list[dict[str, Any]]:
        """Return each tool that a token may call as JSON data, with whether every call of it is asked about."""
        return [
            {
                "name": tool.name,
                "description": tool.description,
                "inputSchema": dict(tool.schema),
                "asks": tool.asks,
            }
            for tool in self
            if self.are_for(token) and (token.allows(TokenScope.OWN) or not _is_for_owner(tool))
        ]

    def of_model(self, names: Iterable[str], session: str) -> list[str]:
        """Return those of the tools that a model may be given in a session."""
        is_owners = self._sessions.session(session).owner is None
        return [name for name in names if is_owners or not _is_for_owner(self.find(name))]

    async def call(
        self, name: str, arguments: Mapping[str, Any], session: str, run: str | None = None, call: str | None = None
    ) -> ToolResult:
        """Call a tool. An error of the call is a result; raises only if there is no such tool or no such session.

        `call`: the id of the call, if the caller has made one.
        """
        tool, within = self.find(name), self._sessions.session(session)
        if within.owner is not None and _is_for_owner(tool):
            raise Forbidden(f"{name} is only for sessions of the owner.", hint="Use a token with the scope `own`.")
        made = _Call(tool, arguments, within, self._events, self._inbox)
        call = call or str(uuid.uuid4())
        return await made.run(ToolContext(within.name, run, call, made.report(run, call), self._sessions, self._inbox))


class _Call:
    """One call of a tool, from its arguments to its result."""

    def __init__(
        self, tool: AnyTool, arguments: Mapping[str, Any], session: ServedSession, events: Publisher, inbox: Inbox
    ) -> None:
        self._tool = tool
        self._arguments = dict(arguments)
        self._session = session
        self._events = events
        self._inbox = inbox

    def report(self, run: str | None, call: str) -> Callable[[str], None]:
        """Return the function with which the tool says what it is doing."""
        facts = {"runId": run, "callId": call, "tool": self._tool.name}
        return lambda message: self._publish("tool.progress", {**facts, "message": message})

    async def run(self, context: ToolContext) -> ToolResult:
        """Run it, and tell every client when it begins and how it ended, also if it was cancelled."""
        facts = {"runId": context.run, "callId": context.call, "tool": self._tool.name}
        self._publish("tool.call", {**facts, "arguments": self._arguments})
        result = ToolResult(ABORTED, is_error=True, code="aborted")
        try:
            result = await self._answer(context)
        finally:
            self._publish("tool.result", {**facts, **result.as_data(), "code": result.code})
        return result

    async def _answer(self, context: ToolContext) -> ToolResult:
        """Return the result; an error becomes one, so that the model is told of it and the conversation goes on."""
        try:
            request = self._tool.read(self._arguments, context)
            if self._tool.asks:
                asked = await self._asked(request, context)
                if isinstance(asked, ToolResult):
                    return asked
                context = replace(context, approval=asked)
            return await self._recorded(request, context)
        except RoveError as error:
            return ToolResult.of_error(error)
        except Exception as error:
            log.exception("the tool %s failed", self._tool.name)
            return ToolResult.of_error(RoveError(f"The tool {self._tool.name} failed: {type(error).__name__}."))

    async def _asked(self, request: Any, context: ToolContext) -> ToolApproval | ToolResult:
        """Return a person's yes, or the result of a call that is denied, which is recorded like one that ran."""
        try:
            return await self._ask(request, context)
        except Denied as error:
            result = ToolResult.of_error(error)
            facts = {"tool": self._tool.name, "phase": "denied", "summary": self._tool.summary(request)}
            ids = {"callId": context.call, "runId": context.run}
            await self._session.journal.record("tool", {**facts, **self._entry(result), "outcome": error.code, **ids})
            return result

    async def _ask(self, request: Any, context: ToolContext) -> ToolApproval:
        """Ask a person. If the page has left its origin before the answer, ask again: the yes was not for that."""
        for _ in range(MAX_QUESTIONS):
            scope = self._scope(request, context)
            approval = await self._inbox.ask(self._question(request, scope, context))
            if self._scope(request, context) == scope:
                return approval
        raise Denied(
            f"The page had changed each time before what was approved could be done: {self._tool.summary(request)}",
            hint="Wait until the page has come to rest, then call again.",
        )

    def _scope(self, request: Any, context: ToolContext) -> Scope | None:
        return self._tool.scope(request, context) if isinstance(self._tool, ScopedTool) else None

    def _question(self, request: Any, scope: Scope | None, context: ToolContext) -> ToolQuestion:
        tool = self._tool
        return ToolQuestion(
            context.session,
            context.run,
            tool.name,
            tool.summary(request),
            tool.details(request),
            scope.origins if scope else (),
            (tool.name, scope.kind, scope.origins) if scope and scope.can_last else None,
        )

    async def _recorded(self, request: Any, context: ToolContext) -> ToolResult:
        """Run the tool between two entries of the transcript. A call that cannot be recorded is not run."""
        journal = self._session.journal  # kept for the whole call, as the session may be closed meanwhile
        name, ids = self._tool.name, {"callId": context.call, "runId": context.run}
        await journal.record("tool", {"tool": name, "phase": "call", "summary": self._tool.summary(request), **ids})
        result = ToolResult(ABORTED, is_error=True, code="aborted")
        try:
            result = await self._run(request, context)
        finally:
            await journal.record("tool", {"tool": name, "phase": "result", **self._entry(result), **ids}, _kept(result))
        return result

    async def _run(self, request: Any, context: ToolContext) -> ToolResult:
        try:
            return await self._tool.run(request, context)
        except RoveError as error:
            return ToolResult.of_error(error)

    def _entry(self, result: ToolResult) -> dict[str, Any]:
        arguments = PASSWORD_TEXT if result.conceals else self._arguments
        return {"ok": not result.is_error, "text": result.text, "arguments": arguments}

    def _publish(self, event: str, data: dict[str, Any]) -> None:
        self._events.publish(event, data, self._session.name)


def _kept(result: ToolResult) -> tuple[Attachment, ...]:
    return tuple(Attachment(each.type, each.mime_type, each.data, each.name) for each in result.attachments)
