"""What a page showed for a moment only."""

from __future__ import annotations

from collections.abc import Sequence

from rove.outcome import Passage
from rove.snapshot.text import Lines
from rove.snapshot.tree import REF_PLACE, UNSEEN, Row, Snapshot

MAX_LINES = 5
MAX_LENGTH = 200
GONE_AGAIN = "Shown for a moment, and gone again:"


def gone_again(known: Sequence[Snapshot], between: Sequence[Snapshot]) -> tuple[Passage, ...]:
    """Return what none of the known snapshots shows, but one between them; at most a few lines of it."""
    told = {row.line for snapshot in known for row in snapshot.rows}
    shown = {row.line: row for snapshot in between for row in snapshot.rows if not row.flags & UNSEEN}
    passing = [row for line, row in shown.items() if line not in told]
    if not passing:
        return ()
    lines = Lines(known[-1].origin)
    for row in passing[:MAX_LINES]:
        lines.add(row, _shortened(row))
    if len(passing) > MAX_LINES:
        left = len(passing) - MAX_LINES
        lines.extend(["… 1 more line" if left == 1 else f"… {left} more lines"])
    return (Passage(GONE_AGAIN), *lines.passages())


def _shortened(row: Row) -> str:
    line = row.line.replace(REF_PLACE, "")
    return line if len(line) <= MAX_LENGTH else line[:MAX_LENGTH] + "…"
