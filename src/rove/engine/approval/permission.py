"""The permission of one action: decided by the policy, asked of a person if need be, and checked again after a yes."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from rove.action import Action, AnyAction, Effect, TabAction
from rove.advice import Verbatim
from rove.browser.consequences import Consequence
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
SCRIPTS_MAY = "The page's scripts may do more than this, or something else: that cannot be known beforehand."
_NOTES = {
    Effect.ACT: "The page's scripts decide what this does: that cannot be known beforehand.",
    Effect.SEND_FILE: "The page's scripts decide when and where the files are sent: that cannot be known beforehand.",
    Effect.SCRIPT: "The script can do whatever the page can, such as sending what it reads to other sites.",
}
# After this many questions about one action, each because the page had changed, the action is denied.
MAX_QUESTIONS = 3


@dataclass(frozen=True)
class Shown:
    """What a person is shown of an action besides its arguments: its elements, and what it would send or open."""

    elements: tuple[ShownElement, ...] = ()
    consequences: tuple[Consequence, ...] = ()


FindShown = Callable[[], Awaitable[Shown]]


async def nothing_shown() -> Shown:
    """Find nothing, for actions that touch no page."""
    return Shown()


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
        # Where the page went instead of where it had said, and was stopped.
        self._went: tuple[Consequence, ...] = ()
        self.action = action
        # What the person was shown that the action sends or opens; empty if no person was asked.
        self.bound: tuple[Consequence, ...] = ()

    async def check(self, places: Sequence[Place], find_shown: FindShown = nothing_shown) -> ApprovalRequest | None:
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
        request = self._with_went(approval_request(self.action, decision, places, await find_shown()))
        if self._gate.approvals.remembers(request):
            self._entry.decision = "remembered"
            self.bound = _sites(request.destinations) or _sites(request.origins)
        elif self._use_grant(request) or await self._gate.approvals.has_answer(request, self._approver):
            self._entry.decision = "approved"
            self.bound = request.consequences
            if not any(each.url for each in self.bound):  # no form or link was shown
                self.bound = (*self.bound, *_sites(request.origins))
        else:
            return request
        self._bind_to_elements(request)
        return None

    def note_went(self, went: tuple[Consequence, ...]) -> None:
        """Note where the page went instead, for the person to see in the next question."""
        self._went = tuple(dict.fromkeys((*self._went, *went)))

    def _with_went(self, request: ApprovalRequest) -> ApprovalRequest:
        return replace(request, consequences=(*request.consequences, *self._went)) if self._went else request

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
    return granted(gate, request.steps or (request,))


def granted(gate: Gate, requests: Sequence[ApprovalRequest]) -> list[Grant]:
    """Return the grants for requests that a person has just approved."""
    until = time.monotonic() + gate.approvals.timeout
    return [Grant(request, until) for request in requests]


def approval_request(action: AnyAction, ask: Ask, places: Sequence[Place], shown: Shown) -> ApprovalRequest:
    """Return the request that shows a person what an action would do, where and to which elements."""
    urls = [action.destination] if action.destination else [place.url for place in places]
    origins = tuple(dict.fromkeys(origin_text(url) if url else None for url in urls))
    if origins == (None,) and not any(urls):
        origins = ()  # there is no page
    return ApprovalRequest(
        action.verb,
        action.describe(),
        action.arguments,
        ask.question,
        places[0],
        origins,
        shown.elements,
        shown.consequences,
        action.secrets,
        _note(action, shown),
    )


def _sites(origins: Sequence[str | None]) -> tuple[Consequence, ...]:
    """Return what holds a page to documents of some origins."""
    return tuple(Consequence("site", url=origin) for origin in origins if origin)


def _note(action: AnyAction, shown: Shown) -> str:
    """Return one sentence about what cannot be known of an action beforehand, and so is not approved or refused."""
    if not isinstance(action, TabAction) or type(action).effect not in _NOTES:
        return ""
    if type(action).effect is Effect.ACT and shown.consequences:
        return SCRIPTS_MAY
    return _NOTES[type(action).effect]


def _verbatim(hint: str | None) -> str | None:
    """Keep a policy's hint as it is: it may contain the URL of a page, whose braces name no action."""
    return None if hint is None else Verbatim(hint)
