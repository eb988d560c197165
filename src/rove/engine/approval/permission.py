"""One action's way through the gate: decided on, asked about if need be, and looked at again after the yes."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from rove.action import Action, AnyAction
from rove.advice import Told
from rove.engine.approval.gate import Gate
from rove.engine.journal import Entry
from rove.errors import Denied
from rove.guard.hosts.origins import origin_text
from rove.guard.policy.approval import ApprovalRequest, Approver, ShownElement
from rove.guard.policy.policy import Allow, Ask, Deny, Place
from rove.outcome import Result
from rove.record import dataclass
from rove.target import retargeted

R = TypeVar("R", bound=Result)
# A page that looks different each time that a person has said yes is not one to say yes to.
MOST_ASKED = 3
Look = Callable[[], Awaitable[tuple[ShownElement, ...]]]


async def no_elements() -> tuple[ShownElement, ...]:
    return ()


@dataclass(frozen=True)
class Grant:
    """A yes: to this, once, for as long again as there was to give it."""

    request: ApprovalRequest
    until: float


class PermissionCheck(Generic[R]):
    """Lets an action through or raises Denied; in between it may have a question for a person."""

    def __init__(
        self, gate: Gate, action: Action[R], entry: Entry, channel: Approver | None, ahead: list[Grant]
    ) -> None:
        self._gate = gate
        self._entry = entry
        self._approver = gate.approvals.approver(channel)
        self._ahead = ahead
        self._own: list[Grant] = []
        self._asked = 0
        self.action = action

    async def question(self, places: Sequence[Place], look: Look = no_elements) -> ApprovalRequest | None:
        """None when it may go on as it is now; else what a person has to be asked first."""
        decision = self._gate.decide(self.action, places)
        if isinstance(decision, Allow):
            self._entry.decision = "allowed"
            return None
        self._entry.decision = "denied"
        if isinstance(decision, Deny):
            raise Denied(decision.reason, hint=_as_written(decision.hint))
        if self._approver is None:
            raise Denied(f"There is nobody to ask: {decision.question}", hint=_as_written(decision.hint))
        request = approval_request(self.action, decision, places, await look())
        if self._gate.approvals.remembers(request):
            self._entry.decision = "remembered"
        elif self._takes_grant(request):
            self._entry.decision = "approved"
        else:
            return request
        self._pin(request)
        return None

    async def ask(self, request: ApprovalRequest) -> None:
        """Put it to a person; what is let through after a yes is exactly that, if it still is so."""
        assert self._approver is not None
        self._asked += 1
        if self._asked > MOST_ASKED:
            raise Denied(
                f"What was approved had changed each time before it could be done: {request.summary}",
                hint="Wait until the page has come to rest, look with {snapshot}, then call again.",
            )
        self._own = await ask_person(self._gate, request, self._approver)

    def _takes_grant(self, request: ApprovalRequest) -> bool:
        """Use up the yes that was given to exactly this."""
        for grants in (self._own, self._ahead):
            for grant in grants:
                if grant.until > time.monotonic() and grant.request.covers(request):
                    grants.remove(grant)
                    return True
        return False

    def _pin(self, request: ApprovalRequest) -> None:
        """Hold it to the very elements that were shown: a selector could mean others by now."""
        self.action = retargeted(self.action, {shown.argument: shown.ref for shown in request.elements if shown.ref})


async def ask_person(gate: Gate, request: ApprovalRequest, approver: Approver) -> list[Grant]:
    """Ask, and return what a yes is worth: one grant, or one for each step that was asked about together."""
    await gate.approvals.ask(request, approver)
    until = time.monotonic() + gate.approvals.patience
    return [Grant(part, until) for part in request.steps or (request,)]


def approval_request(
    action: AnyAction, ask: Ask, places: Sequence[Place], shown: tuple[ShownElement, ...]
) -> ApprovalRequest:
    """What a person is shown of an action."""
    addresses = [action.destination] if action.destination else [place.url for place in places]
    origins = tuple(dict.fromkeys(origin_text(address) if address else None for address in addresses))
    # Where there is no page at all, there is nothing to name.
    named = () if origins == (None,) and not any(addresses) else origins
    return ApprovalRequest(
        action.verb, action.describe(), action.arguments, ask.question, places[0], named, elements=shown
    )


def _as_written(hint: str | None) -> str | None:
    """A policy's hint may hold an address of a page: braces in it refer to no action."""
    return None if hint is None else Told(hint)
