"""Dialogs: alerts, confirms and prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.action import ContextAction, Effect, action, arg
from rove.errors import NotOpen
from rove.outcome import Own, PageText, Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab


@dataclass(frozen=True)
class DialogAnswered(Result):
    kind: Own
    message: PageText
    accepted: bool

    def __str__(self) -> str:
        return f'{"Accepted" if self.accepted else "Dismissed"} the {self.kind} "{self.message}".'


# An action on the context, not on the tab: the answer must not wait for the tab's lock, which the action that the
# dialog blocks still holds.
@action(Effect.ACT)
class Dialog(ContextAction[DialogAnswered]):
    """Answer the dialog that is open on the page."""

    accept: bool = arg("True for OK, false for Cancel.")
    text: str | None = arg("Answer to a prompt.", default=None)
    tab: str | None = arg("Whose dialog, if several are open.", default=None)

    def concerns(self, context: Context) -> Tab | None:
        return next((tab for tab in self._meant(context) if tab.page.dialogs.open), None)

    async def perform(self, context: Context) -> DialogAnswered:
        for tab in self._meant(context):
            if answered := await tab.page.dialogs.answer(self.accept, self.text):
                return DialogAnswered(answered.kind, answered.message, self.accept)
        raise NotOpen("No dialog is open.", hint="Take a {snapshot} to see the page.")

    def _meant(self, context: Context) -> list[Tab]:
        """Return the tab that was named, or all tabs, the front one first."""
        if self.tab is not None:
            return [tab for tab in context.tabs if tab.id == self.tab]
        return sorted(context.tabs, key=lambda tab: tab is not context.current)
