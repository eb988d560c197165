"""What changed since the agent last looked."""

from __future__ import annotations

from rove.browser.tab import Tab
from rove.outcome import Changes
from rove.snapshot import difference, render


async def observe_changes(tab: Tab, silent: bool) -> Changes:
    """Look again, remember it, and tell the difference within its budget."""
    if silent:
        return Changes()
    observer = tab.observer
    before, seen_document, after = observer.seen, observer.seen_document, await observer.take_snapshot()
    observer.mark_seen(after)
    budgets = tab.settings.observing
    if before is None or seen_document != tab.page.load_state.documents:
        first = render(after, budgets.budget)
        return Changes("page", first.passages, first.tokens)
    delta = difference(before, after, budgets.changes)
    return Changes(delta.kind, delta.passages, delta.tokens)
