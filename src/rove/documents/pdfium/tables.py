"""Tables: from the lines that are drawn round their cells, or from texts that are aligned in columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rove.documents.pdfium.geometry import Box, around
from rove.documents.pdfium.glyphs import Glyph
from rove.documents.pdfium.segments import Place, Segment, rows_of, runs_of

Rows = tuple[tuple[str, ...], ...]
LEAST_ROWS = 3
# Longer cells on average are columns of prose, which files draw one after another.
LONGEST_CELL = 28
LONGEST_CELL_BY_COLUMNS = 12
# Of the height of a row: a wider gap ends a table.
ROW_GAP = 2.0
# Of the height of a character: a gap after which a column begins, if a text of the next row begins there too.
NARROW_GAP = 0.5
# Points.
ALIGNED = 1.5
_BULLET = re.compile(r"[•◦▪‣·–—*o-]|\(?[0-9a-zA-Z]{1,3}[.)]")


class Table(NamedTuple):
    """A table, its box, and its place in the order of the file."""

    rows: Rows
    box: Box
    place: Place

    @property
    def text(self) -> str:
        """The table as Markdown; the first row is the header."""
        header, *body = ([_escaped(cell) for cell in row] for row in self.rows)
        lines = [header, ["---"] * len(header), *body]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|")


def divided_at_columns(segments: Sequence[Segment]) -> list[Segment]:
    """Divide segments at narrow gaps where the rows above or below them show that a column begins."""
    rows = rows_of(segments)
    for order in (range(1, len(rows)), range(len(rows) - 2, -1, -1)):
        for index in order:
            beside = rows[index - 1 if order.step > 0 else index + 1]
            rows[index] = [part for segment in rows[index] for part in _divided(segment, beside)]
    return sorted((segment for row in rows for segment in row), key=lambda each: each.place)


def _divided(segment: Segment, beside: Sequence[Segment]) -> list[Segment]:
    starts = [each.box.left for each in beside[1:]]
    parts: list[list[Glyph]] = []
    for run in runs_of(segment.glyphs, NARROW_GAP) if starts else ():
        left = min(glyph.box.left for glyph in run if not glyph.text.isspace())
        if parts and not any(abs(left - start) <= ALIGNED for start in starts):
            parts[-1] += run
        else:
            parts.append(run)
    if len(parts) < 2:
        return [segment]
    return [Segment(part, (*segment.place, number)) for number, part in enumerate(parts)]


def aligned_tables(segments: Sequence[Segment]) -> Iterator[tuple[Table, list[Segment]]]:
    """Find rows whose texts stand in the same columns; yield each table with its segments."""
    run: list[list[Segment]] = []
    for row in [*rows_of(segments), []]:
        if run and (not row or not _continues(run, row)):
            if (table := _table(run)) is not None:
                yield table, [segment for each in run for segment in each]
            run = []
        if len(row) > 1 or run:
            run.append(row)


def _continues(run: list[list[Segment]], row: list[Segment]) -> bool:
    """Whether a row belongs to the rows above it: it is near, and leaves the gaps between their columns free."""
    above, below = around(each.box for each in run[-1]), around(each.box for each in row)
    if below.top - above.bottom > ROW_GAP * max(below.height, above.height):
        return False
    columns = columns_of([*run, row])
    return len(columns) >= len(columns_of(run)) and (len(row) > 1 or _is_wrapped(row[0], columns))


def _is_wrapped(segment: Segment, columns: list[tuple[float, float]]) -> bool:
    """Whether a single text goes on in a cell of a column other than the first."""
    return column_at(columns, segment.box.middle[0]) > 0


def columns_of(rows: Sequence[Sequence[Segment]]) -> list[tuple[float, float]]:
    """Return the columns, from left to right: intervals that the texts of all rows together leave no gap in."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted((each.box.left, each.box.right) for row in rows for each in row):
        if columns and left <= columns[-1][1] + 1.0:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def column_at(columns: list[tuple[float, float]], x: float) -> int:
    return next((index for index, (left, right) in enumerate(columns) if left <= x <= right), -1)


def _table(run: list[list[Segment]]) -> Table | None:
    columns = columns_of(run)
    rows = list(_filled(run, columns))
    segments = [segment for row in run for segment in row]
    longest = LONGEST_CELL if _is_drawn_by_rows(run) else LONGEST_CELL_BY_COLUMNS
    if len(rows) < LEAST_ROWS or len(columns) < 2 or not _is_tabular(rows, longest):
        return None
    place = min(segment.place for segment in segments)
    return Table(tuple(map(tuple, rows)), around(segment.box for segment in segments), place)


def _filled(run: list[list[Segment]], columns: list[tuple[float, float]]) -> Iterator[list[str]]:
    """Yield the cells of each row; a row with one text goes on with the row above it."""
    pending: list[str] | None = None
    for row in run:
        cells = [""] * len(columns)
        for segment in row:
            at = column_at(columns, segment.box.middle[0])
            cells[at] = f"{cells[at]} {segment.text}".strip()
        if len(row) == 1 and pending is not None:
            pending = [f"{one} {other}".strip() for one, other in zip(pending, cells, strict=True)]
            continue
        if pending is not None:
            yield pending
        pending = cells
    if pending is not None:
        yield pending


def _is_drawn_by_rows(run: list[list[Segment]]) -> bool:
    """Whether the file draws one row after another, as it does with tables, rather than one column after another."""
    ends = [(min(each.place for each in row), max(each.place for each in row)) for row in run]
    pairs = list(pairwise(ends))
    return sum(before[1] < after[0] for before, after in pairs) >= 0.8 * len(pairs)


def _is_tabular(rows: Sequence[Sequence[str]], longest: int) -> bool:
    """Whether cells are short, and no column is that of a list's marks."""
    cells = [cell for row in rows for cell in row if cell]
    if sum(map(len, cells)) > longest * len(cells):
        return False
    first = [row[0] for row in rows if row[0]]
    return not all(_BULLET.fullmatch(cell) for cell in first)
