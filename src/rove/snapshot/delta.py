"""The difference between two snapshots of a page, within a token budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from rove.outcome import Passage, joined
from rove.snapshot.budget import render
from rove.snapshot.comparison import Comparison, compare
from rove.snapshot.delta_lines import Block, Rank, blocks_of, clipped, is_pressable
from rove.snapshot.text import Lines
from rove.snapshot.tokens import estimate
from rove.snapshot.tree import COVER, TEXT, Row, Snapshot
from rove.validation.record import dataclass

Kind = Literal["same", "changes", "snapshot", "page"]
DEFAULT_BUDGET = 1500
# Tokens that are kept free for the lines that say what was left out.
RESERVED = 60
# Characters of a text that is new, if not everything fits.
LONG_TEXT = 280


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


def difference(before: Snapshot | None, after: Snapshot, budget: int = DEFAULT_BUDGET, *, links: bool = False) -> Delta:
    """Compare two snapshots of a tab; for a new page, return the whole snapshot."""
    if before is None or is_new_page(before, after):
        rendered = render(after, budget, links=links)
        return Delta("page", rendered.passages, rendered.tokens)
    comparison = compare(before, after)
    if comparison.is_same and _cover(before) == _cover(after):
        return _same(before, after)
    blocks = blocks_of(comparison, links=links)
    passages = _written(blocks, after.origin)
    tokens = estimate(joined(passages))
    if tokens > budget // 3:
        fresh = render(after, budget, links=links)
        if fresh.tokens < tokens and (fresh.is_complete or (tokens > budget and _is_mostly_new(comparison, after))):
            return Delta("snapshot", fresh.passages, fresh.tokens)
    if tokens > budget:
        passages = _written(list(_fitted(blocks, budget)), after.origin)
    return Delta("changes", passages, estimate(joined(passages)))


def is_new_page(before: Snapshot, after: Snapshot) -> bool:
    """Whether `after` shows another document: another address, and none of the old refs."""
    if before.url.partition("#")[0] == after.url.partition("#")[0]:
        return False
    old = {row.ref for row in before.rows if row.ref}
    new = {row.ref for row in after.rows if row.ref}
    return not old & new


def _cover(snapshot: Snapshot) -> str:
    return next((row.line for row in snapshot.rows if row.flags & COVER), "")


def _is_mostly_new(comparison: Comparison, after: Snapshot) -> bool:
    """Whether hardly anything of what was there is left, so that the page as a whole says it best."""
    return len(comparison.kept) < len(after.rows) // 10


def _same(before: Snapshot, after: Snapshot) -> Delta:
    moved: list[str] = []
    if before.scroll != after.scroll:
        moved.append(f"scrolled to {after.scroll[0]},{after.scroll[1]}")
    if after.focused and before.focused != after.focused:
        moved.append(f"focus on {after.focused}")
    text = f"Nothing changed but: {', '.join(moved)}." if moved else "Nothing changed."
    return Delta("same", (Passage(text),), estimate(text))


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


def _fitted(blocks: Sequence[Block], budget: int) -> Iterator[Block]:
    """Leave out what is old before what is new; of what is new, shorten the longest."""
    left = budget - RESERVED
    costs = {id(block): _cost(block) for block in blocks}
    kept: dict[int, Block] = {}
    for rank in Rank:
        ranked = sorted((block for block in blocks if block.rank == rank), key=lambda block: costs[id(block)])
        for number, block in enumerate(ranked):
            share = left // (len(ranked) - number)
            kept[id(block)] = fitting = block if costs[id(block)] <= share else _shortened(block, share)
            left -= _cost(fitting)
    return (kept[id(block)] for block in blocks if kept[id(block)].lines)


def _cost(block: Block) -> int:
    text = "\n".join([block.heading, *(line for _, line in block.lines)])
    return estimate(text) + 1


def _shortened(block: Block, room: int) -> Block:
    """Cut a block after the lines that there is room for, and say how much is missing."""
    kept: list[tuple[Row, str]] = []
    left = room - estimate(block.heading) - 20
    for row, line in block.lines:
        line = clipped(line, LONG_TEXT) if row.flags & TEXT else line
        left -= estimate(line) + 1
        if left < 0:
            break
        kept.append((row, line))
    missing = [row for row, _ in block.lines[len(kept) :]]
    if missing and room > 0:
        kept.append((missing[0], _left_out(missing, kept)))
    return Block(block.rank, kept, block.context, block.heading)


def _left_out(missing: Sequence[Row], kept: Sequence[tuple[Row, str]]) -> str:
    pressable = sum(map(is_pressable, missing))
    said = f", {pressable:,} to press" if pressable else ""
    anchor = next((row.ref for row, _ in reversed(kept) if row.ref), "")
    handle = f" [expand {anchor}+]" if anchor else ""
    return f"… {len(missing):,} more lines{said}{handle}"
