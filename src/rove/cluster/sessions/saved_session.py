"""What is kept of a session for the case that its node is lost: a `SavedContext` as plain data."""

from __future__ import annotations

from dataclasses import replace

from rove.browser.context import SavedContext, SharedState
from rove.browser.emulation import Overrides
from rove.browser.network import Throttling
from rove.browser.refs import RefNumbers
from rove.page_text import Own, PageText, Text
from rove.states.state import BrowserState
from rove.validation.record import dataclass

RESTORED = "session restored"


@dataclass(frozen=True)
class SavedSession:
    """Cookies, storage, tabs, and what the session emulates. `given`: how many refs, frames and tabs have got ids."""

    state: BrowserState | None = None
    tabs: tuple[tuple[str, PageText], ...] = ()
    current: str | None = None
    is_offline: bool = False
    throttling: Throttling = Throttling()
    clipboard_text: Text = Own()
    overrides: Overrides = Overrides()
    given: tuple[int, int, int] = (1, 0, 0)

    @classmethod
    def of(cls, saved: SavedContext) -> SavedSession:
        shared, refs = saved.shared, saved.shared.ref_numbers
        return cls(
            saved.state,
            saved.tabs,
            saved.current,
            shared.is_offline,
            shared.throttling,
            shared.clipboard_text,
            shared.overrides,
            (refs.next, refs.frames, saved.ids_given),
        )

    def context(self, reason: str) -> SavedContext:
        """Return what a context is opened with; `reason` says why, in the words of what the agent is told."""
        refs, frames, tabs = self.given
        numbers = RefNumbers(refs, frames).continued(reason[:1].lower() + reason[1:])
        shared = SharedState(self.is_offline, self.throttling, self.clipboard_text, numbers, self.overrides)
        return SavedContext(self.state, self.tabs, self.current, RESTORED, reason, shared, ids_given=tabs)

    def with_newer(
        self, tabs: tuple[tuple[str, PageText], ...], current: str | None, given: tuple[int, int, int]
    ) -> SavedSession:
        """Return it with what the server was told after it was saved, so that no ref or tab id is given twice."""
        highest = tuple(map(max, zip(self.given, given, strict=True)))
        refs, frames, ids = highest
        return replace(self, tabs=tabs or self.tabs, current=current or self.current, given=(refs, frames, ids))
