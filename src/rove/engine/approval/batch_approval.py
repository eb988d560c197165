"""One question for several steps of a batch, for those steps whose elements the page shows already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rove.action import AnyAction, Effect, TabAction
from rove.engine.approval.action_targets import find_places, find_shown, place_of
from rove.engine.approval.gate import Gate
from rove.engine.approval.permission import approval_request
from rove.errors import RoveError
from rove.guard.policy.approval import ApprovalRequest
from rove.guard.policy.policy import Ask

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab


async def step_requests(
    actions: Sequence[AnyAction], gate: Gate, session: str, tab: Tab
) -> tuple[ApprovalRequest, ...]:
    """Return the requests for the steps that the policy asks about on this page; none if there are fewer than two.

    Each step is bound to the elements that the page shows now. If they have changed by the time a step runs, the
    person is asked about that step alone.
    """
    page = place_of(session, tab)
    steps = [action for action in _steps_on_page(actions) if isinstance(gate.decide(action, (page,)), Ask)]
    if len(steps) < 2:
        return ()
    return tuple([request for action in steps if (request := await _step_request(action, gate, session, tab))])


def _steps_on_page(actions: Sequence[AnyAction]) -> list[AnyAction]:
    """Return the steps before the first that leaves the page."""
    steps: list[AnyAction] = []
    for action in actions:
        if not isinstance(action, TabAction) or action.effect is Effect.NAVIGATE:
            break
        steps.append(action)
    return steps


async def _step_request(action: AnyAction, gate: Gate, session: str, tab: Tab) -> ApprovalRequest | None:
    try:
        places = await find_places(action, session, tab, wait=False)
        decision = gate.decide(action, places)
        if not isinstance(decision, Ask):
            return None
        request = approval_request(action, decision, places, await find_shown(action, tab, wait=False))
    except RoveError:
        return None  # its element may appear only after the steps before it
    return None if gate.approvals.remembers(request) else request


def combined(requests: Sequence[ApprovalRequest]) -> ApprovalRequest:
    """Return one request for all of these."""
    return ApprovalRequest(
        "batch",
        f"{len(requests)} browser action(s) — first: {requests[0].summary}",
        {"steps": [{"action": request.action, **request.arguments} for request in requests]},
        f"May the agent do these {len(requests)} things?",
        requests[0].place,
        tuple(dict.fromkeys(origin for request in requests for origin in request.origins)),
        steps=tuple(requests),
    )
