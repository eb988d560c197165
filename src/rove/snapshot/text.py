"""Rows to lines of text."""

from __future__ import annotations

from rove.snapshot.tree import FOCUSED, FOLD, REF_PLACE, Row

MAX_HREF = 80
# Begins a line that says of which origin the lines after it are. No row begins so: there is no such role.
BORDER = "from "


def line_of(row: Row, *, links: bool = False) -> str:
    """The row as one line, without indentation."""
    if row.flags & FOLD:
        return f"{row.line.replace(REF_PLACE, '')} [expand {row.fold or row.ref}]"
    if not row.ref:
        return row.line
    mark = f" focused [{row.ref}]" if row.flags & FOCUSED else f" [{row.ref}]"
    if links and row.href:
        mark += f" href={short_href(row.href)}"
    if row.box:
        mark += " box={},{},{},{}".format(*row.box)
    return row.line.replace(REF_PLACE, mark)


class Borders:
    """Where the rows of another origin begin; `own` is that of the tab."""

    def __init__(self, own: str) -> None:
        self._own = own
        self._current = ""

    def before(self, row: Row) -> list[str]:
        """The line to put before a row, if it is of another origin than the last."""
        if row.origin == self._current:
            return []
        self._current = row.origin
        return [BORDER + (row.origin or self._own)]


def short_href(href: str) -> str:
    """An address short enough to be worth its tokens."""
    return href if len(href) <= MAX_HREF else href[:MAX_HREF] + "…"


def indented(row: Row, line: str) -> str:
    """The line at its depth; very deep rows stop moving right."""
    return " " * min(row.depth, 40) + line
