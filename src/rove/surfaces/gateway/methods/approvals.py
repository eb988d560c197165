"""Approval requests: list, approve, deny."""

from __future__ import annotations

from typing import Any, Literal

from rove.guard.policy.approval import ApprovalAnswer
from rove.surfaces.gateway.approvals import Decision, no_request
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope

# The methods that decide on a request; they wait for nothing.
DECISIONS = frozenset({"exec.approve", "exec.deny"})


@method("approvals.list", Scope.VIEW, returns="{approvals: [data of exec.approval_request]}", reach="sessions")
class ListApprovals(Method):
    """List the requests that wait for a decision, oldest first."""

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        return {
            "approvals": [
                request
                for request in gateway.approvals.pending
                if client.token.reaches(request["sessionKey"], Scope.VIEW)
            ]
        }


@method("exec.approve", Scope.APPROVE, reach="sessions")
class Approve(Method):
    """Approve a request. The first decision of any client counts."""

    approval_id: str = arg("The request.")
    remember: Literal["once", "session"] = arg(
        "`session` also approves the same action at the same origin until the session is closed.", default="once"
    )

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        answer = ApprovalAnswer.FOR_SESSION if self.remember == "session" else ApprovalAnswer.ONCE
        _decide(gateway, client, self.approval_id, Decision(answer, client.person))
        return {}


@method("exec.deny", Scope.APPROVE, reach="sessions")
class Deny(Method):
    """Deny a request. The model is told the reason."""

    approval_id: str = arg("The request.")
    reason: str = arg("Why not, and what to do instead.", default="", max_length=500)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        _decide(gateway, client, self.approval_id, Decision(ApprovalAnswer.NO, client.person, self.reason))
        return {}


def _decide(gateway: Gateway, client: Client, name: str, decision: Decision) -> None:
    """Decide on a request. One of a session that the token may not approve in counts as none at all."""
    session = gateway.approvals.session_of(name)
    if session is None or not client.token.reaches(session, Scope.APPROVE):
        raise no_request(name)
    gateway.approvals.decide(name, decision)
