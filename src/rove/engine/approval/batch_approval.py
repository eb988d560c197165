"""Several steps of a batch as one question, as far as the page shows already what they will touch."""

from __future__ import annotations

from collections.abc import Sequence

from rove.action import AnyAction, Effect, TabAction
from rove.browser.tab import Tab
from rove.engine.approval.action_targets import elements_of, places_of
from rove.engine.approval.gate import Gate
from rove.engine.approval.permission import approval_request
from rove.errors import RoveError
from rove.guard.policy.approval import ApprovalRequest
from rove.guard.policy.policy import Ask, Place


async def batch_request(actions: Sequence[AnyAction], gate: Gate, session: str, tab: Tab) -> ApprovalRequest | None:
    """One question for the steps that would be asked about on this page; None where that would be fewer than two.

    Each is bound to what it shows now. A step that finds it changed is asked about by itself when its turn comes.
    """
    here = Place(session, tab.id, tab.url)
    steps = [action for action in _on_this_page(actions) if isinstance(gate.decide(action, (here,)), Ask)]
    if len(steps) < 2:
        return None
    asked = [request for action in steps if (request := await _asked(action, gate, session, tab))]
    return _together(asked) if len(asked) > 1 else None


def _on_this_page(actions: Sequence[AnyAction]) -> list[AnyAction]:
    """The steps before one that leads elsewhere."""
    saved_now: list[AnyAction] = []
    for action in actions:
        if not isinstance(action, TabAction) or action.effect is Effect.NAVIGATE:
            break
        saved_now.append(action)
    return saved_now


async def _asked(action: AnyAction, gate: Gate, session: str, tab: Tab) -> ApprovalRequest | None:
    try:
        places = await places_of(action, session, tab)
        decision = gate.decide(action, places)
        if not isinstance(decision, Ask):
            return None
        request = approval_request(action, decision, places, await elements_of(action, tab))
    except RoveError:
        return None  # what it is aimed at may be there when its turn comes
    return None if gate.approvals.remembers(request) else request


def _together(requests: Sequence[ApprovalRequest]) -> ApprovalRequest:
    return ApprovalRequest(
        "batch",
        f"{len(requests)} steps, first: {requests[0].summary}",
        {"steps": [{"action": request.action, **request.arguments} for request in requests]},
        f"May the agent do these {len(requests)} things?",
        requests[0].place,
        tuple(dict.fromkeys(origin for request in requests for origin in request.origins)),
        steps=tuple(requests),
    )
