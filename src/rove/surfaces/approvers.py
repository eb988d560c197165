"""Who answers when the policy asks."""

from __future__ import annotations

from rove.guard.policy import Approver, NoApprover
from rove.settings.tree import Settings


def appointed(settings: Settings) -> Approver | None:
    """Return the approver that the settings name; None leaves the question to the client that makes the call."""
    if settings.approve == "terminal":
        from rove.surfaces.terminal import Terminal

        return Terminal()
    return NoApprover() if settings.approve == "none" else None
