"""The permission of one action: decided by the policy, asked of a person if need be, and checked again after a yes."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from rove.action import Action, AnyAction
from rove.advice import Verbatim
from rove.engine.approval.gate import Gate
from rove.engine.journal import Entry
from rove.errors import Denied
from rove.guard.hosts.origins import origin_text
from rove.guard.policy.approval import ApprovalRequest, Approver, ShownElement
from rove.guard.policy.policy import Allow, Ask, Deny, Place
from rove.outcome import Result
from rove.target import retargeted
from rove.validation.record import dataclass

R = TypeVar("R", bound=Result)
# After this many questions about one action, each because the page had changed, the action is denied.
MAX_QUESTIONS = 3
FindElements = Callable[[], Awaitable[tuple[ShownElement, ...]]]


async def no_elements() -> tuple[ShownElement, ...]:
    """Find no elements, for actions that touch none."""
    return ()


@dataclass(frozen=True)
class Grant:
    """A person's yes to one request. It is used up by one action, and valid until the moment `until`."""

    request: ApprovalRequest
    until: float


class PermissionCheck(Generic[R]):
    """Checks whether one action may run, as often as needed: after a person's answer the page may have changed.

    `advance_grants`: the answers that a person gave for the steps of a batch together.
    """

    def __init__(
        self, gate: Gate, action: Action[R], entry: Entry, channel: Approver | None, advance_grants: list[Grant]
    ) -> None:
        self._gate = gate
        self._entry = entry
        self._approver = gate.approvals.approver(channel)
        self._advance_grants = advance_grants
        self._own_grants: list[Grant] = []
        self._questions = 0
        self.action = action

    async def check(self, places: Sequence[Place], find_elements: FindElements = no_elements) -> ApprovalRequest | None:
        """Return None if the action may run now, or the request to put to a person first. Raises Denied."""
        decision = self._gate.decide(self.action, places)
        if isinstance(decision, Allow):
            self._entry.decision = "allowed"
            return None
        self._entry.decision = "denied"
        if isinstance(decision, Deny):
            raise Denied(decision.reason, hint=_verbatim(decision.hint))
        if self._approver is None:
            raise Denied(f"There is no approver to ask: {decision.question}", hint=_verbatim(decision.hint))
        request = approval_request(self.action, decision, places, await find_elements())
        if self._gate.approvals.remembers(request):
            self._entry.decision = "remembered"
        elif self._use_grant(request):
            self._entry.decision = "approved"
        else:
            return request
        self._bind_to_elements(request)
        return None

    async def ask(self, request: ApprovalRequest) -> None:
        """Put the request to a person. A yes counts only if the next check finds exactly the same request."""
        assert self._approver is not None
        self._questions += 1
        if self._questions > MAX_QUESTIONS:
            raise Denied(
                f"What was approved had changed each time before it could be done: {request.summary}",
                hint="Wait until the page has come to rest, look with {snapshot}, then call again.",
            )
        self._own_grants = await ask_person(self._gate, request, self._approver)

    def _use_grant(self, request: ApprovalRequest) -> bool:
        """Use up the grant for exactly this request; return whether there was one."""
        for grants in (self._own_grants, self._advance_grants):
            for grant in grants:
                if grant.until > time.monotonic() and grant.request.covers(request):
                    grants.remove(grant)
                    return True
        return False

    def _bind_to_elements(self, request: ApprovalRequest) -> None:
        """Replace targets by the refs of the elements that were shown, as a selector may match others by now."""
        self.action = retargeted(self.action, {shown.argument: shown.ref for shown in request.elements if shown.ref})


async def ask_person(gate: Gate, request: ApprovalRequest, approver: Approver) -> list[Grant]:
    """Ask a person; return one grant, or one for each step of a batch. Raises Denied if the answer is no."""
    await gate.approvals.ask(request, approver)
    until = time.monotonic() + gate.approvals.timeout
    return [Grant(part, until) for part in request.steps or (request,)]


def approval_request(
    action: AnyAction, ask: Ask, places: Sequence[Place], elements: tuple[ShownElement, ...]
) -> ApprovalRequest:
    """Return the request that shows a person what an action would do, where and to which elements."""
    urls = [action.destination] if action.destination else [place.url for place in places]
    origins = tuple(dict.fromkeys(origin_text(url) if url else None for url in urls))
    if origins == (None,) and not any(urls):
        origins = ()  # there is no page
    return ApprovalRequest(
        action.verb, action.describe(), action.arguments, ask.question, places[0], origins, elements=elements
    )


def _verbatim(hint: str | None) -> str | None:
    """Keep a policy's hint as it is: it may contain the URL of a page, whose braces name no action."""
    return None if hint is None else Verbatim(hint)
