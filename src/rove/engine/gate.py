"""The gate: policy, then a person where the policy says so. Doubt means no."""

from __future__ import annotations

import asyncio
import logging
from typing import cast

from rove.action import AnyAction
from rove.errors import Denied
from rove.guard.approval import ApprovalRequest, Approver
from rove.guard.policy import Allow, Ask, Decision, Deny, Place, Policy, WebOnly

log = logging.getLogger(__name__)


class Gate:
    """Lets an action through or raises Denied; nothing in between."""

    def __init__(self, policy: Policy, approver: Approver, patience: float) -> None:
        self._policy = policy
        self._approver = approver
        self._patience = patience

    async def admit(self, action: AnyAction, place: Place) -> str:
        """Returns how it was decided (`allowed`, `approved`)."""
        decision = self._decide(action, place)
        if isinstance(decision, Allow):
            return "allowed"
        if isinstance(decision, Deny):
            raise Denied(decision.reason, hint=decision.hint)
        await self._ask(action, place, decision)
        return "approved"

    def _decide(self, action: AnyAction, place: Place) -> Decision:
        try:
            # A floor under every policy: what is not the web never touches what guards the web.
            floor = WebOnly().decide(action, place)
            if not isinstance(floor, Allow):
                return floor
            decision = cast(object, self._policy.decide(action, place))
            if isinstance(decision, Allow | Deny | Ask):
                return decision
            raise TypeError(f"{decision!r} is no decision")
        except Exception:
            log.exception("the policy failed on %s", action.verb)
            return Deny("The policy could not decide, which counts as no.", hint="The owner must mend the policy.")

    async def _ask(self, action: AnyAction, place: Place, ask: Ask) -> None:
        request = ApprovalRequest(action.verb, action.describe(), action.arguments, ask.question, place)
        try:
            async with asyncio.timeout(self._patience):
                approved = await self._approver.approves(request)
        except TimeoutError:
            raise Denied(f"Nobody answered within {self._patience:g} s: {ask.question}") from None
        except Exception:
            log.exception("the approver failed on %s", action.verb)
            approved = False
        if approved is not True:
            raise Denied(f"Not approved: {ask.question}", hint=ask.hint)
