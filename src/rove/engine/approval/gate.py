"""The gate: policy, then a person where the policy says so. Doubt means no."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import cast

from rove.action import AnyAction
from rove.actions.snapshot import Snapshot
from rove.engine.approval.approvals import Approvals
from rove.guard.policy.approval import Approver
from rove.guard.policy.policy import Allow, Ask, Decision, Deny, Place, Policy, WebOnly
from rove.guard.secrets.secrets import NO_SECRETS, Secrets

log = logging.getLogger(__name__)
LOOKING = Snapshot()


class Gate:
    """Decides on every action, and keeps what waits for a person."""

    def __init__(
        self, policy: Policy, approver: Approver | None, patience: float, secrets: Secrets = NO_SECRETS
    ) -> None:
        self._policy = policy
        self.approvals = Approvals(approver, patience, secrets)

    def decide(self, action: AnyAction, places: Sequence[Place]) -> Decision:
        """What the policy says; where an action touches several places, the strictest word that it says of any."""
        decisions = [self._decide(action, place) for place in places]
        return min(decisions, key=_strictest_first)

    def lets_read(self, place: Place) -> bool:
        """Whether words of what is there may be told by the by, without asking anyone."""
        return isinstance(self.decide(LOOKING, (place,)), Allow)

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


def _strictest_first(decision: Decision) -> int:
    return 0 if isinstance(decision, Deny) else 1 if isinstance(decision, Ask) else 2
