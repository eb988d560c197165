"""The approver of the gateway: requests wait here until a person decides on one of the connected clients."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import field
from typing import Any

from rove.errors import Denied, NotOpen
from rove.guard.cleaning import visible
from rove.guard.network.urls import described_hosts
from rove.guard.policy import ApprovalAnswer, ApprovalRequest
from rove.records import dataclass
from rove.surfaces.gateway.events import Events
from rove.toolsets.approval_text import HOST, NOTE, consequence_facts

REQUESTED = "exec.approval_request"
RESOLVED = "exec.approval_resolved"
# The name of the tool in requests of the engine itself, which come from any surface.
BROWSER = "browser"
MAX_REASON = 500
MAX_SHOWN_ID = 64
MAX_LOCATED = 8
LEAVES_PAGE = ("navigate", "back", "forward", "reload", "tabs")
Illustrate = Callable[[str, dict[str, Any]], Awaitable[None]]


@dataclass(frozen=True)
class ToolQuestion:
    """A call of a tool that needs a person's yes. With `key`, a yes may hold for the rest of the session."""

    session: str
    run: str | None
    tool: str
    summary: str
    details: dict[str, Any]
    origins: tuple[str, ...] = ()
    key: Hashable | None = None


@dataclass(frozen=True)
class ToolApproval:
    """A person's yes to a call of a tool, with the origins and the elements (ref and line) that they were shown.

    `is_remembered`: whether it was given to an earlier call, for the rest of the session.
    """

    origins: tuple[str, ...] = ()
    elements: frozenset[tuple[str, str]] = frozenset()
    is_remembered: bool = False


@dataclass(frozen=True)
class Decision:
    """What a person decided."""

    answer: ApprovalAnswer
    by: str
    reason: str = ""

    @property
    def word(self) -> str:
        names = {ApprovalAnswer.ONCE: "approved", ApprovalAnswer.FOR_SESSION: "approved_for_session"}
        return names.get(self.answer, "denied")


@dataclass(frozen=True)
class WaitingRequest:
    """A request that waits for a decision, with the data that clients are shown."""

    session: str
    data: dict[str, Any]
    expires: float
    can_be_remembered: bool
    request: ApprovalRequest | None = None
    decision: asyncio.Future[Decision] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    @property
    def id(self) -> str:
        return str(self.data["approvalId"])


class ApprovalInbox:
    """Requests that wait. The first decision counts, and every client sees it."""

    def __init__(self, events: Events, timeout: float, link: Callable[[str], str] = "#/approvals/{}".format) -> None:
        self._events = events
        self._timeout = timeout
        self._link = link
        self._waiting: dict[str, WaitingRequest] = {}
        # Requests of callers that do not wait: they call again, and take the decision made meanwhile.
        self._held: dict[str, WaitingRequest] = {}
        self._remembered: set[tuple[str, Hashable]] = set()
        # Called with each decision, and what it was about; set by the gateway, which records it.
        self.on_decided: Callable[[str, dict[str, Any]], None] = lambda session, facts: None
        # Adds a picture of the page to what clients are shown of a request; set by the gateway.
        self.illustrate: Illustrate | None = None

    @property
    def pending(self) -> list[dict[str, Any]]:
        """What clients are shown of each request that waits, oldest first."""
        return [{"sessionKey": waiting.session, **waiting.data} for waiting in self._waiting.values()]

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Wait for a person's decision on an action, for the engine. Raises Denied with the person's reason."""
        if earlier := self._take_earlier(request):
            return _answer(earlier)
        waiting = await self._open(_request_data(request), request.place.session, request)
        return _answer(await self._wait(waiting))

    async def answer_or_link(self, request: ApprovalRequest, patience: float) -> ApprovalAnswer:
        """Wait for a decision for so many seconds, then raise Denied with the link where it can be made.

        The request goes on waiting; the same request, made again, takes its decision.
        """
        if earlier := self._take_earlier(request):
            return _answer(earlier)
        waiting = self._same_held(request) or await self._hold(request)
        done, _ = await asyncio.wait({waiting.decision}, timeout=patience)
        if done and (earlier := self._take_earlier(request)):
            return _answer(earlier)
        raise Denied(
            f"A person has to approve this first: {self._link(waiting.id)}",
            hint="Give the user this link, then make the same call again.",
        )

    async def ask(self, question: ToolQuestion) -> ToolApproval:
        """Return a person's yes to a call of a tool. Raises Denied otherwise, with the person's reason."""
        if question.key is not None and (question.session, question.key) in self._remembered:
            return ToolApproval(is_remembered=True)
        waiting = await self._open(_question_data(question, time.time() + self._timeout), question.session)
        try:
            async with asyncio.timeout(self._timeout):
                decision = await self._wait(waiting)
        except TimeoutError:
            raise Denied(
                f"There was no answer within {self._timeout:g} s: {question.summary}",
                hint="Tell the owner that their answer is needed, then call again.",
            ) from None
        if _answer(decision) is ApprovalAnswer.FOR_SESSION and question.key is not None:
            self._remembered.add((question.session, question.key))
        elements = frozenset((str(each["ref"]), str(each["line"])) for each in waiting.data.get("elements", ()))
        return ToolApproval(question.origins, elements)

    def session_of(self, name: str) -> str | None:
        """Return the session of a request that waits; None if there is no such request."""
        waiting = self._waiting.get(name)
        return waiting.session if waiting is not None else None

    def decide(self, name: str, decision: Decision) -> None:
        """Pass on a person's decision. Raises NotOpen if the request is decided, expired or unknown."""
        waiting = self._waiting.get(name)
        if waiting is None or waiting.decision.done():
            raise no_request(name)
        if decision.answer is ApprovalAnswer.FOR_SESSION and not waiting.can_be_remembered:
            raise Denied("This can only be approved once: it has no origin that a later action could share.")
        waiting.decision.set_result(decision)
        self._end(waiting, decision.word, decision.by, decision.reason)

    def answered_elsewhere(self, request: ApprovalRequest, answer: ApprovalAnswer, by: str) -> None:
        """End a request that another person has answered, so that every client sees how."""
        waiting = self._waiting.get(request.id)
        if waiting is not None:
            self._end(waiting, Decision(answer, by).word, by)

    def forget(self, session: str) -> None:
        """End the requests of a session that is closed, and what was approved for it."""
        self._remembered = {key for key in self._remembered if key[0] != session}
        self._held = {name: held for name, held in self._held.items() if held.session != session}
        for waiting in [
            each for each in self._waiting.values() if each.session == session and not each.decision.done()
        ]:
            self._end(waiting, "cancelled")
            waiting.decision.set_result(Decision(ApprovalAnswer.NO, "", "the session was closed"))

    async def _open(self, data: dict[str, Any], session: str, request: ApprovalRequest | None = None) -> WaitingRequest:
        waiting = WaitingRequest(session, data, data["expiresAt"], data["canRemember"], request)
        self._waiting[waiting.id] = waiting
        if self.illustrate is not None:
            try:
                await self.illustrate(session, data)
            except BaseException:  # the caller has gone, so no decision is waited for
                self._waiting.pop(waiting.id, None)
                raise
        self._events.publish(REQUESTED, data, session)
        return waiting

    async def _wait(self, waiting: WaitingRequest) -> Decision:
        try:
            return await waiting.decision
        except asyncio.CancelledError:
            # The engine cancels it when its time is over, and a client when it gives up.
            self._end(waiting, "expired" if time.time() >= waiting.expires - 0.5 else "cancelled")
            raise

    def _end(self, waiting: WaitingRequest, decision: str, by: str = "", reason: str = "") -> None:
        if self._waiting.pop(waiting.id, None) is None:
            return
        told = {"approvalId": waiting.id, "decision": decision, "by": by, "reason": reason}
        self._events.publish(RESOLVED, told, waiting.session)
        self.on_decided(waiting.session, {"summary": waiting.data["summary"], **told})

    async def _hold(self, request: ApprovalRequest) -> WaitingRequest:
        """Let a request wait though its caller does not."""
        waiting = await self._open(_request_data(request), request.place.session, request)
        self._held[waiting.id] = waiting
        asyncio.get_running_loop().call_later(max(waiting.expires - time.time(), 0), self._drop_held, waiting)
        return waiting

    def _drop_held(self, waiting: WaitingRequest) -> None:
        self._held.pop(waiting.id, None)
        self._end(waiting, "expired")

    def _same_held(self, request: ApprovalRequest) -> WaitingRequest | None:
        return next((each for each in self._held.values() if each.request and each.request.covers(request)), None)

    def _take_earlier(self, request: ApprovalRequest) -> Decision | None:
        """Return the decision on the same request made earlier, and use it up."""
        held = self._same_held(request)
        if held is None or not held.decision.done() or held.decision.cancelled() or time.time() >= held.expires:
            return None
        del self._held[held.id]
        return held.decision.result()


def no_request(name: str) -> NotOpen:
    """Return the error for a request that does not wait for a decision."""
    return NotOpen(
        f"No request {name[:MAX_SHOWN_ID]!a} waits for a decision: it was decided, or it has expired.",
        hint="List those that wait with approvals.list.",
    )


def _answer(decision: Decision) -> ApprovalAnswer:
    """Return a yes; raise Denied with the person's reason for a no."""
    if decision.answer is not ApprovalAnswer.NO:
        return decision.answer
    reason = f": {decision.reason[:MAX_REASON].rstrip('.')}" if decision.reason else ""
    raise Denied(f"A person said no{reason}.", hint="Do not try again in another way: ask the user what to do instead.")


def _request_data(request: ApprovalRequest) -> dict[str, Any]:
    """Return an engine's request as clients are shown it."""
    actions = _listed_actions(request)
    elements = [
        {"argument": shown.argument, "ref": shown.ref, "line": shown.line}
        for step in request.steps or (request,)
        for shown in step.elements
    ]
    consequences = [
        {"name": name, "text": text, "isNote": name == NOTE}
        for step in request.steps or (request,)
        for name, text in consequence_facts(step)
    ]
    shown = {
        "summary": request.summary,
        "details": {"actions": actions},
        "question": request.question,
        "origins": request.origins,
        "elements": elements,
        "consequences": consequences,
    }
    return {
        "approvalId": request.id,
        "toolName": BROWSER,
        **visible(shown),
        "tab": request.place.tab,
        "createdAt": request.created,
        "expiresAt": request.expires,
        "canRemember": request.can_be_remembered,
    }


def _listed_actions(request: ApprovalRequest) -> list[dict[str, Any]]:
    """Return the actions of a request: those of a batch that are asked about together, or all that it lists."""
    if request.action == "batch" and not request.steps:
        steps: list[dict[str, Any]] = request.arguments["steps"]
        return [{"type" if name == "action" else name: value for name, value in step.items()} for step in steps]
    return [{"type": step.action, **step.arguments} for step in request.steps or (request,)]


def targets_before_leaving(details: dict[str, Any]) -> list[str]:
    """Return what the actions of a call act on, up to the first that leaves the page, and not more than a few."""
    targets: list[str] = []
    for action in details.get("actions", ()):
        if action.get("type") in LEAVES_PAGE:
            break
        target = action.get("selector") or action.get("target")
        if isinstance(target, str):
            targets.append(target)
    return targets[:MAX_LOCATED]


def _question_data(question: ToolQuestion, expires: float) -> dict[str, Any]:
    shown = {
        "summary": question.summary,
        "details": question.details,
        "origins": question.origins,
        "consequences": [
            {"name": HOST, "text": text, "isNote": False}
            for text in described_hosts((*question.origins, *_urls(question.details)))
        ],
    }
    return {
        "approvalId": os.urandom(16).hex(),
        "toolName": visible(question.tool),
        **visible(shown),
        "runId": question.run,
        "createdAt": time.time(),
        "expiresAt": expires,
        "canRemember": question.key is not None,
    }


def _urls(details: dict[str, Any]) -> list[str]:
    """Return the addresses that the actions of a call open."""
    urls = (action.get("url") for action in (details, *details.get("actions", ())) if isinstance(action, dict))
    return [url for url in urls if isinstance(url, str)]
