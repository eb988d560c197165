"""The cells of a table in their columns, with those that span several rows or columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rove.reading.blocks import Runs

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MOST_COLUMNS = 60
# The most characters of a table that are told again in further rows; more cells that span rows are empty there.
MOST_REPEATED = 20_000
# A cell with more text than this belongs to the layout of a page.
LONGEST_CELL = 2000


def rows_of(table: HtmlElement) -> list[HtmlElement]:
    """Return the rows of a table, without those of tables in it."""
    parts = [part for part in table if part.tag in ("thead", "tbody", "tfoot", "tr")]
    return [row for part in parts for row in ([part] if part.tag == "tr" else part) if row.tag == "tr"]


def is_data(table: HtmlElement) -> bool:
    """Return whether a table holds data, not the layout of a page."""
    if table.get("role") in ("presentation", "none") or table.find(".//table") is not None:
        return False
    rows = list(filter(None, map(_cells, rows_of(table))))
    cells = [cell for row in rows for cell in row]
    if max(map(len, rows), default=0) < 2 or any(sum(map(len, cell.itertext())) > LONGEST_CELL for cell in cells):
        return False
    return len(rows) > 1 or any(cell.tag == "th" for cell in cells)


def place_cells(rows: Sequence[HtmlElement], read: Callable[[HtmlElement], Runs]) -> tuple[tuple[Runs, ...], ...]:
    """Return the content of the cells of each row, in rows of the same length.

    A cell that spans rows is told in each of them: otherwise the cells after it would be below other headers.
    """
    grid = _Grid(read)
    placed = [grid.row(row) for row in rows if _cells(row)]
    width = min(max(map(len, placed), default=0), MOST_COLUMNS)
    return tuple(tuple([*row, *[()] * width][:width]) for row in placed)


class _Grid:
    """Places cells, row by row."""

    def __init__(self, read: Callable[[HtmlElement], Runs]) -> None:
        self._read = read
        self._room = MOST_REPEATED
        self._section: HtmlElement | None = None
        # By column: the content of a cell that spans the next rows, and how many.
        self._spanning: dict[int, tuple[Runs, int]] = {}

    def row(self, row: HtmlElement) -> list[Runs]:
        if row.getparent() is not self._section:  # no cell spans two sections
            self._section, self._spanning = row.getparent(), {}
        above, self._spanning = self._spanning, {}
        placed: list[Runs] = []
        for cell in _cells(row):
            self._fill(placed, above)
            self._place(placed, cell)
        self._fill(placed, above)
        for column in sorted(above):  # beyond a gap
            placed += [()] * (column - len(placed))
            self._fill(placed, above)
        return placed

    def _fill(self, placed: list[Runs], above: dict[int, tuple[Runs, int]]) -> None:
        """Add the cells of rows above that span this one, up to the next free column."""
        while (column := len(placed)) in above:
            content, rows = above.pop(column)
            self._room -= sum(len(run.text) for run in content)
            placed.append(content if self._room >= 0 else ())
            self._span(column, content, rows - 1)

    def _place(self, placed: list[Runs], cell: HtmlElement) -> None:
        """Add a cell, followed by an empty one for each further column that it spans."""
        content, rows = self._read(cell), _row_span(cell)
        for each in [content, *[()] * (_number(cell.get("colspan"), 1, MOST_COLUMNS) - 1)]:
            if len(placed) < MOST_COLUMNS:
                self._span(len(placed), each, rows - 1)
                placed.append(each)

    def _span(self, column: int, content: Runs, rows: int) -> None:
        if rows > 0:
            self._spanning[column] = content, rows


def _cells(row: HtmlElement) -> list[HtmlElement]:
    return [cell for cell in row if cell.tag in ("td", "th")]


def _row_span(cell: HtmlElement) -> int:
    """Return how many rows a cell spans; 0 stands for all that follow in its section."""
    given = (cell.get("rowspan") or "").strip()
    return 65_534 if given == "0" else _number(given, 1, 65_534)


def _number(value: str | None, default: int, most: int) -> int:
    digits = (value or "").strip()
    return min(max(int(digits), 1), most) if digits.isascii() and digits.isdigit() and len(digits) < 9 else default
