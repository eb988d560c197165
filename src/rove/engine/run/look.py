"""Looking at a page after an action, and again if nothing has changed yet."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from rove.engine.run.changes import changes_between, shows_seen_document, whole_page
from rove.engine.run.settle import NAMED_TIMER_SECONDS, STILL_LOADING, StartState, Unfinished, settle
from rove.outcome import Changes
from rove.page_text import Own, Text
from rove.snapshot import Snapshot, gone_again

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

# Seconds to look before saying that nothing changed. What comes later is told with the next answer.
LOOK_SECONDS = 0.4
# With stealth the page's timers are not known: look for as long as a timer would be waited for.
STEALTH_LOOK_SECONDS = 1.1

LOOK_CHANGED = "looks different"


class Look:
    """Waits until a page has settled after an action, and looks at it.

    `waits`: whether the action is meant to change the page, so that it is worth waiting for. A script that returns a
    value, or a wait, is not: where nothing changed, their answers say nothing of changes.
    """

    def __init__(self, tab: Tab, start: StartState, waits: bool) -> None:
        self._tab = tab
        self._start = start
        self._waits = waits
        self._began = time.monotonic()
        self._until = self._began + (STEALTH_LOOK_SECONDS if tab.settings.stealth else LOOK_SECONDS)
        self._is_same = False
        self.unfinished = Unfinished()

    async def settle(self, read_rows: bool) -> None:
        """Wait until everything that the action started is over."""
        self.unfinished = await settle(self._tab, self._start, read_rows)

    def skip_settling(self) -> None:
        """Look at the page as it is, even if it is still loading."""
        is_loaded = self._tab.page.load_state.has_reached("load")
        self.unfinished = Unfinished(() if is_loaded else (STILL_LOADING,))

    async def observe(self) -> Changes:
        """Return what changed, or that nothing did and for how long changes were looked for."""
        before = self._tab.observer.seen
        changes, after = await self._compare(before)
        while self._expects_more(changes) and not _has_scrolled(before, after):
            await self._tab.observer.wait_for_effect(self._left)
            await self.settle(read_rows=True)
            changes, after = await self._compare(before)
        if changes.kind == "same" and self._waits and (look := await self._tab.effects.changed_look()):
            # Rows do not tell looks, so that an event does.
            self._tab.page.events.add(LOOK_CHANGED, look)
            return Changes("changes")
        self._is_same = changes.kind == "same"
        is_told_otherwise = not self._waits or self._tab.observer.refused_fields
        return Changes("same") if self._is_same and is_told_otherwise else changes

    def _expects_more(self, changes: Changes) -> bool:
        """Whether to look again. A form that was not submitted has had its effect: the message of the browser."""
        return changes.kind == "same" and self._waits and self._left > 0 and not self._tab.observer.refused_fields

    @property
    def pending(self) -> tuple[Text, ...]:
        """What is not over. A timer that is long is named only where nothing has changed: most hide a message again."""
        timer = self.unfinished.timer
        is_named = timer and (self._is_same or timer <= NAMED_TIMER_SECONDS)
        named = (Own(f"a timer ({timer:.1f} s left)"),) if is_named else ()
        return (*self.unfinished.pending, *named)

    async def _compare(self, before: Snapshot | None) -> tuple[Changes, Snapshot]:
        is_known, after = shows_seen_document(self._tab), await self._tab.observer.take_snapshot()
        self._tab.observer.mark_seen(after)
        if before is None or not is_known:
            return whole_page(self._tab, after), after
        looked = time.monotonic() - self._began if self._waits else None
        changes = changes_between(self._tab, before, after, looked)
        return self._with_moment(changes, before, after), after

    def _with_moment(self, changes: Changes, before: Snapshot, after: Snapshot) -> Changes:
        """Add what the page showed for a moment only."""
        moment = gone_again((before, after), self._tab.observer.moments)
        if not moment:
            return changes
        lasting = () if changes.kind == "same" else changes.passages
        return replace(changes, kind="changes", passages=(*lasting, *moment))

    @property
    def _left(self) -> float:
        return self._until - time.monotonic()


def _has_scrolled(before: Snapshot | None, after: Snapshot) -> bool:
    return before is not None and before.scroll != after.scroll
