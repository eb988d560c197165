"""What a caller chooses for one run of an action."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rove.advice import Names
from rove.validation.record import dataclass
from rove.views.page_view import ViewKind

if TYPE_CHECKING:
    from rove.guard.policy.approval import Approver

# Called with a message, and with how many of how many steps are done; zeros where there are no steps.
Report = Callable[[str, int, int], None]


def ignore_progress(message: str, done: int, total: int) -> None:
    """Drop progress, for callers that do not show it."""


@dataclass(frozen=True)
class RunOptions:
    """Where an action runs, for how long, and how the caller is asked and answered.

    `tab`: the id of a tab; None for the current one. `timeout`: seconds; None for those of the settings.
    `quiet`: leave out what changed on the page. `channel`: the person to ask, unless the owner has set an approver.
    `names`: what the caller calls each action. `view`: show all of the page instead of what changed.
    """

    tab: str | None
    timeout: float | None
    report: Report
    quiet: bool
    channel: Approver | None
    names: Names
    view: ViewKind | None = None
