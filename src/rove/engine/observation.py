"""What changed since the agent last looked."""

from __future__ import annotations

from rove.chromium.tab import Tab
from rove.outcome import Changes
from rove.snapshot import difference, render


async def observe(tab: Tab, silent: bool) -> Changes:
    """Look again, remember it, and tell the difference within its budget."""
    if silent:
        return Changes()
    gaze = tab.gaze
    before, seen_document, after = gaze.seen, gaze.seen_document, await gaze.look()
    gaze.remember(after)
    budgets = tab.settings.observing
    if before is None or seen_document != tab.loading.documents:
        first = render(after, budgets.budget)
        return Changes("page", first.passages, first.tokens)
    delta = difference(before, after, budgets.changes)
    return Changes(delta.kind, delta.passages, delta.tokens)
