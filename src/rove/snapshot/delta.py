"""The difference between two snapshots of a page, within a token budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rove.outcome import Passage, joined
from rove.snapshot.budget import render
from rove.snapshot.comparison import Comparison, compare
from rove.snapshot.delta_budget import fitted
from rove.snapshot.delta_lines import Block, Rank, blocks_of
from rove.snapshot.text import Lines
from rove.snapshot.tokens import estimate
from rove.snapshot.tree import Snapshot
from rove.validation.record import dataclass

Kind = Literal["same", "changes", "snapshot", "page"]
DEFAULT_BUDGET = 1500

# Seconds of looking that are worth telling.
SHORTEST_LOOK = 0.1


@dataclass(frozen=True)
class Delta:
    """A difference: that nothing changed, the changed rows, or a whole snapshot where that is shorter."""

    kind: Kind
    passages: tuple[Passage, ...]
    tokens: int

    @property
    def text(self) -> str:
        """All passages as one text."""
        return joined(self.passages)


def difference(
    before: Snapshot | None,
    after: Snapshot,
    budget: int = DEFAULT_BUDGET,
    *,
    links: bool = False,
    looked: float | None = None,
) -> Delta:
    """Compare two snapshots of a tab; for a new page, return the whole snapshot.

    `looked`: for how many seconds changes were looked for, which is said if there are none.
    """
    if before is None or is_new_page(before, after):
        rendered = render(after, budget, links=links)
        return Delta("page", rendered.passages, rendered.tokens)
    if _says_same(before, after):
        return _same(before, after, looked)
    comparison = compare(before, after)
    if comparison.is_mostly_new:
        return _page_with_news(comparison, after, budget, links)
    blocks = blocks_of(comparison, links=links)
    if not blocks:
        return _same(before, after, looked)
    passages = _written(blocks, after.origin)
    tokens = estimate(joined(passages))
    if tokens > budget // 3:
        fresh = render(after, budget, links=links)
        if fresh.is_complete and fresh.tokens < tokens:
            return Delta("snapshot", fresh.passages, fresh.tokens)
    if tokens > budget:
        passages = _written(list(fitted(blocks, budget)), after.origin)
    return Delta("changes", passages, estimate(joined(passages)))


def _says_same(before: Snapshot, after: Snapshot) -> bool:
    if len(before.rows) != len(after.rows):
        return False
    return all(old[3] == new[3] and old[2] == new[2] for old, new in zip(before.rows, after.rows, strict=True))


def _page_with_news(comparison: Comparison, after: Snapshot, budget: int, links: bool) -> Delta:
    """Return the page, if hardly anything of what was there is left; after dialogs and messages, which come first."""
    found = [block for block in blocks_of(comparison, links=links) if block.is_news or block.is_small]
    shown = [block for block in fitted(found, budget // 2) if block.rank != Rank.REMOVED]
    news = _written(shown, after.origin)
    cost = estimate(joined(news))
    fresh = render(after, max(budget - cost, budget // 2), links=links)
    if fresh.is_complete:
        return Delta("snapshot", fresh.passages, fresh.tokens)
    return Delta("snapshot", (*news, *fresh.passages), cost + fresh.tokens)


def is_new_page(before: Snapshot, after: Snapshot) -> bool:
    """Whether `after` shows another document: another address, and none of the old refs."""
    if before.url.partition("#")[0] == after.url.partition("#")[0]:
        return False
    old = {row.ref for row in before.rows if row.ref}
    new = {row.ref for row in after.rows if row.ref}
    return not old & new


def _same(before: Snapshot, after: Snapshot, looked: float | None) -> Delta:
    moved: list[str] = []
    if before.scroll != after.scroll:
        moved.append(f"scrolled to {after.scroll[0]},{after.scroll[1]}")
    if after.focused and before.focused != after.focused:
        moved.append(f"focus on {after.focused}")
    # A page that has scrolled is not looked at for longer.
    has_waited = looked is not None and looked >= SHORTEST_LOOK
    nothing = f"Nothing changed within {_duration(looked or 0)}" if has_waited else "Nothing changed"
    text = f"{nothing} but: {', '.join(moved)}." if moved else f"{nothing}."
    return Delta("same", (Passage(text),), estimate(text))


def _duration(seconds: float) -> str:
    """Return a time that has passed for certain: 400 ms, 1.2 s."""
    tenths = int(seconds * 10 + 1e-6)
    return f"{tenths * 100} ms" if tenths < 10 else f"{tenths / 10:g} s"


def _written(blocks: Sequence[Block], origin: str) -> tuple[Passage, ...]:
    lines = Lines(origin)
    shown = ""
    for block in blocks:
        if block.context and block.heading and block.heading != shown:
            lines.add(block.context, block.heading)
        shown = block.heading
        for row, line in block.lines:
            lines.add(row, line)
    return lines.passages()
