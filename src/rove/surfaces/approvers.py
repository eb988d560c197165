"""Whom the owner has appointed to be asked."""

from __future__ import annotations

from rove.guard.policy.approval import Approver, NoApprover
from rove.settings import Settings


def appointed(settings: Settings) -> Approver | None:
    """The one who is asked, whoever calls; None leaves it to the person at the caller's end, if there is one."""
    if settings.approve == "terminal":
        from rove.surfaces.terminal import Terminal

        return Terminal()
    return NoApprover() if settings.approve == "none" else None
