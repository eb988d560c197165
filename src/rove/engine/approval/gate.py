"""The gate: the policy decides on every action, and a person where the policy asks for one. An error denies."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import cast

from rove.action import AnyAction
from rove.actions.pages.snapshot import Snapshot
from rove.actions.sessions.sessions import OpenSession
from rove.actions.sessions.states import States
from rove.browser.network import WorkspaceFiles
from rove.engine.approval.approvals import Approvals
from rove.errors import Denied
from rove.guard.policy.approval import Approver
from rove.guard.policy.policy import Allow, Ask, Decision, Deny, Place, Policy, WebOnly
from rove.guard.secrets.secrets import NO_SECRETS, Secrets
from rove.states.choice import LoginChoice
from rove.states.store import OWNER_MARK

log = logging.getLogger(__name__)
# Stands for reading a page when the policy is asked whether a page may be read.
READING = Snapshot()


class Gate:
    """Decides on every action, and has the approvals that wait for a person."""

    def __init__(
        self,
        policy: Policy,
        approver: Approver | None,
        timeout: float,
        secrets: Secrets = NO_SECRETS,
        files: WorkspaceFiles | None = None,
    ) -> None:
        """`files`: what `file:` addresses may open, if the settings let them."""
        self._policy = policy
        self._web_only = WebOnly(files)
        self.approvals = Approvals(approver, timeout, secrets)

    def decide(self, action: AnyAction, places: Sequence[Place]) -> Decision:
        """Return the policy's decision; for an action that touches several places, the strictest one."""
        decisions = [self._decide(action, place) for place in places]
        return min(decisions, key=_permissiveness)

    def refuse_login(self, choice: LoginChoice, session: str) -> None:
        """Raise Denied if the policy does not allow a session the state or profile that the settings choose for it."""
        if choice.is_made:
            opening = OpenSession(name=session, state=choice.state, profile=choice.profile)
            decision = self.decide(opening, (Place(session),))
            # The owner has asked for it, so that no person need be asked again.
            if isinstance(decision, Deny):
                raise Denied(decision.reason, hint=decision.hint)

    def may_read(self, place: Place) -> bool:
        """Whether text of the page at `place` may be returned without asking a person."""
        return isinstance(self.decide(READING, (place,)), Allow)

    def asks_to_read(self, place: Place) -> bool:
        """Whether a person has to be asked before text of the page at `place` may be returned."""
        return isinstance(self.decide(READING, (place,)), Ask)

    def may_show_state(self, name: str, session: str) -> bool:
        """Whether a session may be told of a saved state: those that are bound to other sessions stay unknown to it."""
        # A name with the mark of a client is no argument of an action; only the person who runs rove sees it.
        plain = name.partition(OWNER_MARK)[0]
        return not isinstance(self.decide(States(name=plain), (Place(session),)), Deny)

    def _decide(self, action: AnyAction, place: Place) -> Decision:
        try:
            # Comes before every policy: an address that is not of the web never passes the egress proxy.
            web_only = self._web_only.decide(action, place)
            if not isinstance(web_only, Allow):
                return web_only
            decision = cast(object, self._policy.decide(action, place))
            if isinstance(decision, Allow | Deny | Ask):
                return decision
            raise TypeError(f"{decision!r} is no decision")
        except Exception:
            log.exception("the policy failed on %s", action.verb)
            return Deny("The policy could not decide, which counts as no.", hint="The owner must repair the policy.")


def _permissiveness(decision: Decision) -> int:
    return 0 if isinstance(decision, Deny) else 1 if isinstance(decision, Ask) else 2
