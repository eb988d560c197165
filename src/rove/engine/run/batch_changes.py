"""What the steps of a batch changed, as one difference from before the first step to after the last."""

from __future__ import annotations

import time
from dataclasses import field, replace
from typing import TYPE_CHECKING

from rove.engine.run.changes import changes_between, whole_page
from rove.outcome import AnyOutcome, Changes, Passage, origin_in
from rove.snapshot import Snapshot, gone_again
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

TOGETHER = "Changed by the steps together:"


@dataclass
class _TabHistory:
    """The snapshots of a tab in a batch: those that the agent was told of completely, and those since."""

    tab: Tab
    document: int
    began: float = field(default_factory=time.monotonic)
    # What had changed after the last answer and before the first step; None until that step is done.
    earlier: Changes | None = None
    told: list[Snapshot] = field(default_factory=list[Snapshot])
    looks: list[Snapshot] = field(default_factory=list[Snapshot])


class BatchChanges:
    """Remembers how each tab was before the first step on it, and each look at it since."""

    def __init__(self) -> None:
        self._histories: dict[str, _TabHistory] = {}
        # The tab of the last step that was begun.
        self.tab: Tab | None = None

    @property
    def tabs(self) -> list[Tab]:
        """The tabs that steps have acted on, the last one first."""
        tabs = [history.tab for history in self._histories.values()]
        return sorted(tabs, key=lambda tab: tab is not self.tab)

    def begin_step(self, tab: Tab) -> None:
        """Note how a tab is before a step; a tab whose page was replaced, or restored, begins anew."""
        self.tab = tab
        known = self._histories.get(tab.id)
        if known is None or known.tab is not tab:
            seen = [tab.observer.seen] if tab.observer.seen else []
            self._histories[tab.id] = _TabHistory(tab, tab.observer.seen_document, told=seen)

    def end_step(self, tab: Tab, outcome: AnyOutcome, is_told: bool) -> None:
        """Note how a tab is after a step; `is_told`: whether the step's own result shows it."""
        history, seen = self._histories[tab.id], tab.observer.seen
        history.earlier = history.earlier or outcome.earlier
        history.looks.extend(tab.observer.moments)
        if seen is None or any(seen is known for known in (*history.told, *history.looks)):
            return
        if is_told:
            history.told.append(seen)
            history.document = tab.observer.seen_document
        else:
            history.looks.append(seen)

    def earlier(self) -> Changes:
        """Return what had changed in the tabs before the first step on each of them."""
        found = [(tab, self._histories[tab.id].earlier or Changes()) for tab in self.tabs]
        return self._join([(tab, changes) for tab, changes in found if changes.passages])

    def changes(self) -> Changes:
        """Return what changed in all tabs, that of the last step first."""
        found = [(tab, changes) for tab in self.tabs if (changes := _changes_of(self._histories[tab.id])) is not None]
        return self._join(found)

    def _join(self, found: list[tuple[Tab, Changes]]) -> Changes:
        if not found:
            return Changes()
        is_one = len(found) == 1 and found[0][0] is self.tab
        passages = [passage for tab, changes in found for passage in _placed(tab, changes, is_named=not is_one)]
        kind = found[0][1].kind if found[0][0] is self.tab else "changes"
        return Changes(kind, tuple(passages), sum(changes.tokens for _, changes in found))


def _placed(tab: Tab, changes: Changes, is_named: bool) -> list[Passage]:
    """Return the passages with the tab's own origin, after the tab's id if there are several."""
    heading = [Passage(f"In {tab.id}:")] if is_named else []
    return [*heading, *(passage.of(origin_in(tab.url)) for passage in changes.passages)]


def _changes_of(history: _TabHistory) -> Changes | None:
    """Return what changed in one tab; None if there is nothing to tell of it."""
    after = history.tab.observer.seen
    if after is None or not history.looks:
        return None  # no step looked at it, or the agent may not read it
    if not history.told or history.document != history.tab.observer.seen_document:
        return whole_page(history.tab, after)
    is_told = after is history.told[-1]
    changes = Changes() if is_told else _difference(history, after)
    moment = gone_again([*history.told, after], history.looks)
    if not moment:
        return None if is_told else changes
    lasting = () if changes.kind == "same" else changes.passages
    return replace(changes, kind="changes", passages=(*lasting, *moment))


def _difference(history: _TabHistory, after: Snapshot) -> Changes:
    """Return the changes under a heading."""
    looked = time.monotonic() - history.began
    changes = changes_between(history.tab, history.told[-1], after, looked)
    heading = [] if changes.kind in ("same", "page") else [Passage(TOGETHER)]
    return replace(changes, passages=(*heading, *changes.passages))
