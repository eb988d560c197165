"""Handing a tab over to a person, and taking it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rove.action import Effect, HandoffDesk, PersonAction, action, arg
from rove.outcome import Own, Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.context import TabInfo


@dataclass(frozen=True)
class HandedBack(Result):
    person: Own | None
    seconds: float

    def __str__(self) -> str:
        return f"{self.person or 'A person'} has handed back after {self.seconds:g} s. What they typed is not shown."


@action(Effect.HANDOFF, observes=True)
class Handoff(PersonAction[HandedBack]):
    """Ask a person to do something in this tab (log in, solve a captcha, pay), and wait until they hand back."""

    reason: str = arg("What to do.", max_length=500)
    timeout: float | None = arg("Seconds to wait for them.", default=None, gt=0, le=3600)

    async def perform(self, desk: HandoffDesk, tab: TabInfo, report: Callable[[str], None]) -> HandedBack:
        person, seconds = await desk.hand_off(tab, self.reason, self.timeout, report)
        return HandedBack(Own(person) if person else None, seconds)
