"""Writes rows as lines of text, and lines as passages."""

from __future__ import annotations

from collections.abc import Iterable

from rove.outcome import Passage
from rove.snapshot.tree import FOCUSED, FOLD, REF_PLACE, Row

MAX_HREF = 80


def line_of(row: Row, *, links: bool = False) -> str:
    """Write a row as one line, without indentation."""
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


class Lines:
    """Collects the lines of a text, and starts a new passage when a row has another origin than the last."""

    def __init__(self, own: str) -> None:
        """`own` is the origin of the tab's page, which rows without an origin belong to."""
        self._own = own
        self._current = ""
        self._origin = ""
        self._lines: list[str] = []
        self._passages: list[Passage] = []

    def add(self, row: Row, line: str) -> None:
        """Add the line of a row."""
        if row.origin != self._current:
            self._close()
            self._current = row.origin
            self._origin = row.origin or self._own
        self._lines.append(line)

    def extend(self, lines: Iterable[str]) -> None:
        """Add lines of our own, such as what was left out, to the passage that they are about."""
        self._lines.extend(lines)

    def passages(self) -> tuple[Passage, ...]:
        """Return everything collected so far."""
        self._close()
        return tuple(self._passages)

    def _close(self) -> None:
        if self._lines:
            self._passages.append(Passage("\n".join(self._lines), self._origin))
            self._lines = []


def short_href(href: str) -> str:
    """Cut an address to what is worth its tokens."""
    return href if len(href) <= MAX_HREF else href[:MAX_HREF] + "…"


def clipped(line: str, limit: int) -> str:
    """Cut a line to a length."""
    return line if len(line) <= limit else line[:limit] + "…"


def indented(row: Row, line: str) -> str:
    """Indent a line by the depth of its row, up to a limit."""
    return " " * min(row.depth, 40) + line
