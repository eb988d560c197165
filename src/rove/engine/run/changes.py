"""What changed on a page since the agent last saw it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.outcome import Changes
from rove.snapshot import difference, render

if TYPE_CHECKING:
    from rove.browser.tab import Tab


async def observe_changes(tab: Tab, quiet: bool) -> Changes:
    """Take a snapshot, mark it as seen, and return how it differs from the last one, within the token budget.

    A page that the agent has not seen yet is returned whole. With `quiet`, no snapshot is taken.
    """
    if quiet:
        return Changes()
    observer = tab.observer
    before, seen_document, after = observer.seen, observer.seen_document, await observer.take_snapshot()
    observer.mark_seen(after)
    budgets = tab.settings.observing
    if before is None or seen_document != tab.page.load_state.documents:
        page = render(after, budgets.budget)
        return Changes("page", page.passages, page.tokens)
    delta = difference(before, after, budgets.changes)
    return Changes(delta.kind, delta.passages, delta.tokens)
