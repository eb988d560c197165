"""What a page showed for a moment only."""

from __future__ import annotations

from rove.outcome import Passage
from rove.snapshot.text import Lines
from rove.snapshot.tree import REF_PLACE, UNSEEN, Row, Snapshot

MAX_LINES = 5
MAX_LENGTH = 200
GONE_AGAIN = "Shown for a moment, and gone again:"


def gone_again(before: Snapshot, brief: Snapshot, after: Snapshot) -> tuple[Passage, ...]:
    """Return what was neither there before nor after, but in between; at most a few lines of it."""
    known = {row.line for row in before.rows} | {row.line for row in after.rows}
    passing = [row for row in brief.rows if row.line not in known and not row.flags & UNSEEN]
    if not passing:
        return ()
    lines = Lines(after.origin)
    for row in passing[:MAX_LINES]:
        lines.add(row, _shortened(row))
    if len(passing) > MAX_LINES:
        lines.extend([f"… {len(passing) - MAX_LINES} more lines"])
    return (Passage(GONE_AGAIN), *lines.passages())


def _shortened(row: Row) -> str:
    line = row.line.replace(REF_PLACE, "")
    return line if len(line) <= MAX_LENGTH else line[:MAX_LENGTH] + "…"
