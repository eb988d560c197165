"""What changed on a page since the agent last saw it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rove.browser.page_data import MAX_URL_LENGTH
from rove.outcome import Changes, Passage
from rove.snapshot import Snapshot, difference, render

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab


def whole_page(tab: Tab, snapshot: Snapshot) -> Changes:
    """Return a page that the agent has not seen yet, within the token budget."""
    page = render(snapshot, tab.settings.observing.budget)
    return Changes("page", page.passages, page.tokens)


def changes_between(tab: Tab, before: Snapshot, after: Snapshot, looked: float | None = None) -> Changes:
    """Return how two snapshots of a tab differ, within the token budget.

    `looked`: for how many seconds changes were looked for, which is said if there are none.
    """
    delta = difference(before, after, tab.settings.observing.changes, looked=looked)
    if delta.kind == "page" or before.url == after.url:
        return Changes(delta.kind, delta.passages, delta.tokens)
    # A script, or a link within the page, has changed the address of the document.
    moved = Passage(f"Now at {after.title} {after.url[:MAX_URL_LENGTH]}", "")
    return Changes("changes", (moved, *(() if delta.kind == "same" else delta.passages)), delta.tokens)


async def observe_late_changes(tab: Tab, targets: Sequence[str], describes: bool) -> Changes:
    """Return what changed since the last answer, before the next action can be taken for its cause.

    The page is asked for the elements of that action in the same call, and by what they can be found later if it
    `describes` them.
    """
    before = tab.observer.seen
    if not await tab.begin(targets, describes) or before is None or not shows_seen_document(tab):
        return Changes()
    after = await tab.observer.take_snapshot()
    if not shows_seen_document(tab):
        return Changes()
    tab.observer.mark_seen(after)
    changes = changes_between(tab, before, after)
    return Changes() if changes.kind == "same" else changes


def shows_seen_document(tab: Tab) -> bool:
    """Whether the tab still shows the document of which the agent has seen a snapshot."""
    return tab.observer.seen_document == tab.page.load_state.documents
