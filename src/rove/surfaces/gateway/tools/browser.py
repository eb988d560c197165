"""The tool `browser`: a list of browser actions, approved together and run in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rove.action import AnyAction, Effect, TabAction, parse, registry
from rove.engine.gate import ShownSteps
from rove.errors import InvalidArguments
from rove.guard.network.urls import origin_text
from rove.guard.policy import ApprovalAnswer, ApprovalRequest, Approver
from rove.records import dataclass
from rove.settings.toolset_file import CHAT_TOOLSET
from rove.settings.tree import Settings
from rove.surfaces.gateway.approvals import ToolApproval
from rove.surfaces.gateway.tools.tool import Scope, ToolContext, ToolResult
from rove.toolsets.listed_actions import ListedAction, read_listed_actions, steps_of
from rove.toolsets.tool import ToolRequest
from rove.toolsets.toolset import toolset_from


@dataclass(frozen=True)
class BrowserRequest:
    """A call of the tool: what was asked for, the steps of it, and the session that they run in."""

    given: ToolRequest
    steps: tuple[ListedAction, ...]
    session: str
    is_named: bool = False


class BrowserTool:
    """Runs browser actions in order and stops at the first that fails."""

    name = "browser"
    asks = True

    def __init__(self, settings: Settings) -> None:
        self._tool = toolset_from(replace(settings, toolset=CHAT_TOOLSET, tools=(), without=()))[self.name]

    @property
    def description(self) -> str:
        return self._tool.description

    @property
    def schema(self) -> Mapping[str, Any]:
        return self._tool.schema

    def read(self, arguments: Mapping[str, Any], context: ToolContext) -> BrowserRequest:
        """Refuse a bad action, naming its index and field, before a person is asked and before anything runs."""
        if unknown := sorted({*arguments} - {"actions", "sessionId"}):
            raise InvalidArguments(f"`{unknown[0]}` is not an argument of browser, which takes: actions, sessionId.")
        steps = read_listed_actions(arguments.get("actions"))
        named = arguments.get("sessionId")
        request = replace(self._tool.request(arguments), settings=context.settings)
        return BrowserRequest(request, steps, _session_name(named, context), named is not None)

    def summary(self, request: BrowserRequest) -> str:
        return f"{len(request.steps)} browser action(s) — first: {request.steps[0].summary}"

    def details(self, request: BrowserRequest) -> dict[str, Any]:
        """Return the actions, and the session that they run in if the caller has named one."""
        named = {"sessionId": request.session} if request.is_named else {}
        return {"actions": [step.given for step in request.steps], **named}

    def scope(self, request: BrowserRequest, context: ToolContext) -> Scope | None:
        """Return the types of action and the origins that they go to, with that of the page if they begin there."""
        urls = [step.action.destination for step in request.steps if step.action.destination]
        if request.steps[0].action.destination is None:
            urls.insert(0, _current_url(request.session, context))
        origins = {origin_text(url) for url in urls}
        kinds = sorted({step.action.verb for step in request.steps})
        known = sorted(origin for origin in origins if origin is not None)
        # A yes for one session is none for another.
        kind = f"{' '.join(kinds)} in {request.session}"
        can_last = all(_has_known_page(step.action) for step in request.steps)
        return Scope(kind, tuple(known), can_last) if len(known) == len(origins) else None

    async def run(self, request: BrowserRequest, context: ToolContext) -> ToolResult:
        approval = context.approval or ToolApproval(is_remembered=True)
        steps, batch = request.steps, parse("batch", {"steps": steps_of(request.steps)})
        outcome = await context.sessions.session(request.session).run(
            batch,
            report=lambda message, done, total: context.report(steps[done].progress if total else message),
            channel=_ApprovedBatch(batch, request, approval, context.approver),
            names={verb: verb for verb in registry()},
        )
        return ToolResult.of_answer(await self._tool.answer(request.given, outcome))


def _has_known_page(action: AnyAction) -> bool:
    """Whether an action stays on its page or says where it goes. Another tab, or an earlier page, has any origin."""
    stays = isinstance(action, TabAction) and action.effect is not Effect.NAVIGATE
    return stays or action.destination is not None


def _session_name(given: object, context: ToolContext) -> str:
    """Return the session that the actions run in. Raises NotOpen if the caller names one that is not open."""
    if given is None:
        return context.session
    if not isinstance(given, str):
        raise InvalidArguments("`sessionId` must be a string.")
    return context.find_session(given, "sessionId").name


def _current_url(session: str, context: ToolContext) -> str:
    """Return the address of the page that a session shows; none if it shows none."""
    known = next((each for each in context.sessions.sessions() if each["session"] == session), None)
    tabs: list[dict[str, Any]] = known["tabs"] if known else []
    return next((str(tab["url"]) for tab in tabs if tab["is_current"]), "")


class _ApprovedBatch:
    """Answers for the person who has approved a call: for the batch, and for each step that they were shown whole.

    The policy still decides on each step.
    """

    def __init__(self, batch: AnyAction, request: BrowserRequest, approval: ToolApproval, approver: Approver) -> None:
        steps = [] if approval.is_remembered else [step.action for step in request.steps]
        self._approver = approver
        self._shown = ShownSteps(request.session, (batch, *steps), approval.origins, approval.elements)

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return await self._approver.answer(request)

    async def has_approved(self, request: ApprovalRequest) -> bool:
        return self._shown.answer(request)
