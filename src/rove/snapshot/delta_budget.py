"""Fits a difference into a token budget: what is old is left out before what is new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rove.snapshot.delta_lines import Block, Rank
from rove.snapshot.text import clipped
from rove.snapshot.tokens import estimate
from rove.snapshot.tree import BEHIND, IN_VIEW, PRESS, TEXT, Row

# Tokens that are kept free for the line that says what was left out; of a small budget, a tenth.
RESERVED = 40
# Tokens below which the beginning of a block says too little.
LEAST = 60
# Characters of a text that is new, if not everything fits.
LONG_TEXT = 280


def fitted(blocks: Sequence[Block], budget: int) -> Iterator[Block]:
    """Yield the blocks that fit, in their order; the longest are shortened, and one line counts what is left out."""
    left = budget - min(RESERVED, budget // 10)
    kept: dict[int, Block] = {}
    for _, index in sorted((_urgency(block, budget), index) for index, block in enumerate(blocks)):
        cost = _cost(blocks[index])
        if cost <= left:
            kept[index] = blocks[index]
        elif left >= LEAST:
            kept[index] = _shortened(blocks[index], left)
        left -= min(cost, max(left, 0)) if index in kept else 0
    yield from (kept[index] for index in sorted(kept))
    missing = [row for index, block in enumerate(blocks) if index not in kept for row, _ in block.lines]
    if missing:
        yield Block(Rank.REMOVED, [(missing[0], _count(missing, "(shortened to fit: ", " of changes left out)"))])


def _urgency(block: Block, budget: int) -> tuple[int, bool, bool, bool]:
    """Return what blocks are sorted by: news first, then what is short, then what is in view and new."""
    is_long = sum(len(line) for _, line in block.lines) > budget
    is_seen = any(row.flags & IN_VIEW for row, _ in block.lines)
    return (-1 if block.is_news else block.rank), is_long, not is_seen, not block.is_small


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
    if missing:
        anchor = next((row.ref for row, _ in reversed(kept) if row.ref), "")
        kept.append((missing[0], _count(missing, "… ", f" [expand {anchor}+]" if anchor else "")))
    return Block(block.rank, kept, block.context, block.heading)


def _count(missing: Sequence[Row], before: str, after: str) -> str:
    pressable = sum(1 for row in missing if row.flags & PRESS and not row.flags & BEHIND)
    said = f", {pressable:,} to press" if pressable else ""
    return f"{before}{len(missing):,} lines{said}{after}"
