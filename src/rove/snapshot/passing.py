"""Rows that one snapshot of a page shows and none before or after it: a message that came and went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rove.snapshot.text import line_of
from rove.snapshot.tree import FOLD, UNSEEN, Row, Snapshot

MAX_ROWS = 10


def passing_rows(known: Sequence[Snapshot], between: Sequence[Snapshot]) -> list[str]:
    """Return the lines of rows that are in a snapshot `between`, and in none of the `known` ones."""
    refs = {row.ref for snapshot in known for row in snapshot.rows if row.ref}
    lines = {row.line for snapshot in known for row in snapshot.rows}
    rows = dict.fromkeys(row for snapshot in between for row in _own_rows(snapshot))
    # A row whose element is still there has only changed, and the difference shows it as it is now.
    passing = [row for row in rows if row.ref not in refs and row.line not in lines]
    shown = [line_of(row) for row in passing[:MAX_ROWS]]
    return shown if len(passing) <= MAX_ROWS else [*shown, f"… {len(passing) - MAX_ROWS} more"]


def _own_rows(snapshot: Snapshot) -> Iterator[Row]:
    """Yield what the page itself showed, without its place, so that equal rows are equal."""
    for row in snapshot.rows:
        if not row.origin and not row.flags & (FOLD | UNSEEN):
            yield Row(0, 0, row.ref, row.line)
