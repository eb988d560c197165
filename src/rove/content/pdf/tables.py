"""Tables: from the lines that are drawn round their cells, or from texts that are aligned in columns."""

from __future__ import annotations

import ctypes
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from rove.content.pdf.layout import Box, Display, Glyph, Place, Segment, around, rows_of, runs_of, segments_of

MOST_OBJECTS = 20_000
MOST_RULES = 4_000
MOST_POINTS = 40
DEEPEST = 8
# Points: a filled rectangle that is thinner is a line.
THIN = 3.0
SHORTEST = 4.0
_Matrix = tuple[float, float, float, float, float, float]
_SAME: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
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

# Points: lines that are nearer to each other are one.
NEAR = 3.0
MOST_LINES = 200


class Rule(NamedTuple):
    """A straight line: its place across its direction, and where it begins and ends."""

    at: float
    start: float
    end: float


class Drawings:
    """The horizontal and vertical lines of a page, and the boxes of its pictures."""

    def __init__(self, page: pdfium.PdfPage, display: Display) -> None:
        self._display = display
        self.horizontal: list[Rule] = []
        self.vertical: list[Rule] = []
        self.images: list[Box] = []
        self._objects = 0
        self._walk(page.raw, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, _SAME, 0)

    def _walk(self, parent: Any, count: Any, get: Any, matrix: _Matrix, depth: int) -> None:
        for index in range(count(parent)):
            self._objects += 1
            if self._objects > MOST_OBJECTS:
                return
            item = get(parent, index)
            kind = raw.FPDFPageObj_GetType(item)
            if kind == raw.FPDF_PAGEOBJ_FORM and depth < DEEPEST:
                inner = _product(_matrix(item), matrix)
                self._walk(item, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, inner, depth + 1)
            elif kind == raw.FPDF_PAGEOBJ_IMAGE:
                self.images.append(self._box([(0, 0), (1, 0), (0, 1), (1, 1)], _product(_matrix(item), matrix)))
            elif kind == raw.FPDF_PAGEOBJ_PATH and len(self.horizontal) + len(self.vertical) < MOST_RULES:
                self._add_path(item, matrix)

    def _add_path(self, item: Any, matrix: _Matrix) -> None:
        points = _points(item)
        if len(points) < 2 or not _is_painted(item):
            return
        whole = _product(_matrix(item), matrix)
        box = self._box(points, whole)
        if box.width < THIN or box.height < THIN:
            self._add_line(box)
        elif _is_rectangle(points):
            self._add_edges(box)
        else:
            for first, second in pairwise(points):
                self._add_line(self._box([first, second], whole))

    def _add_edges(self, box: Box) -> None:
        self.horizontal += [Rule(box.top, box.left, box.right), Rule(box.bottom, box.left, box.right)]
        self.vertical += [Rule(box.left, box.top, box.bottom), Rule(box.right, box.top, box.bottom)]

    def _add_line(self, box: Box) -> None:
        x, y = box.middle
        if box.height < THIN and box.width >= SHORTEST:
            self.horizontal.append(Rule(y, box.left, box.right))
        elif box.width < THIN and box.height >= SHORTEST:
            self.vertical.append(Rule(x, box.top, box.bottom))

    def _box(self, points: list[tuple[float, float]], matrix: _Matrix) -> Box:
        a, b, c, d, e, f = matrix
        placed = [self._display.point(a * x + c * y + e, b * x + d * y + f) for x, y in points]
        xs, ys = [x for x, _ in placed], [y for _, y in placed]
        return Box(min(xs), min(ys), max(xs), max(ys))


def _points(item: Any) -> list[tuple[float, float]]:
    count = raw.FPDFPath_CountSegments(item)
    return list(_corners(item, count)) if 0 < count <= MOST_POINTS else []


def _corners(item: Any, count: int) -> Iterator[tuple[float, float]]:
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(item, index)
        if raw.FPDFPathSegment_GetPoint(segment, x, y):
            yield x.value, y.value


def _is_rectangle(points: list[tuple[float, float]]) -> bool:
    """Whether the corners of a path are those of an upright rectangle; those of rounded ones are not."""
    return len(points) in (4, 5) and len({round(x, 1) for x, _ in points}) == len({round(y, 1) for _, y in points}) == 2


def _is_painted(item: Any) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    return bool(raw.FPDFPath_GetDrawMode(item, fill, stroke)) and bool(fill.value or stroke.value)


def _matrix(item: Any) -> _Matrix:
    found = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(item, found):
        return _SAME
    return found.a, found.b, found.c, found.d, found.e, found.f


def _product(first: _Matrix, second: _Matrix) -> _Matrix:
    """Return the matrix that applies the first, then the second."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = second
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


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


class Grid:
    """Lines that cross each other. A cell that lacks a line on its left or above is part of the cell there."""

    def __init__(self, horizontal: list[Rule], vertical: list[Rule]) -> None:
        self._horizontal, self._vertical = horizontal, vertical
        self.xs = _places(vertical)
        self.ys = _places(horizontal)
        self.box = Box(self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    @property
    def is_table(self) -> bool:
        return 2 < len(self.xs) < MOST_LINES and 2 < len(self.ys) < MOST_LINES

    def cell_at(self, point: tuple[float, float]) -> tuple[int, int]:
        """Return the row and column of the cell that a point is in."""
        x, y = point
        row = min(max(bisect_right(self.ys, y) - 1, 0), len(self.ys) - 2)
        column = min(max(bisect_right(self.xs, x) - 1, 0), len(self.xs) - 2)
        while column > 0 and not _is_crossed(self._vertical, self.xs[column], self._row_middle(row)):
            column -= 1
        while row > 0 and not _is_crossed(self._horizontal, self.ys[row], self._column_middle(column)):
            row -= 1
        return row, column

    def _row_middle(self, row: int) -> float:
        return (self.ys[row] + self.ys[row + 1]) / 2

    def _column_middle(self, column: int) -> float:
        return (self.xs[column] + self.xs[column + 1]) / 2

    def table(self, lines: Sequence[list[Glyph]], place: Place) -> Table | None:
        """Return the table that the characters make; None if they are no table."""
        cells: dict[tuple[int, int], list[list[Glyph]]] = {}
        for line in lines:
            for cell, glyphs in self._by_cell(line):
                cells.setdefault(cell, []).append(glyphs)
        rows = [[_cell_text(cells.get((row, column), [])) for column in range(len(self.xs) - 1)]
                for row in range(len(self.ys) - 1)]  # fmt: skip
        kept = _without_empty(rows)
        is_table = sum(sum(map(bool, row)) > 1 for row in kept) > 1
        return Table(tuple(map(tuple, kept)), self.box, place) if is_table else None

    def _by_cell(self, line: list[Glyph]) -> Iterator[tuple[tuple[int, int], list[Glyph]]]:
        found: dict[tuple[int, int], list[Glyph]] = {}
        last: tuple[int, int] | None = None
        for glyph in line:
            # The spaces that PDFium adds have no box of their own.
            cell = last if glyph.text.isspace() and last else self.cell_at(glyph.box.middle)
            found.setdefault(cell, []).append(glyph)
            last = cell
        yield from found.items()


def grids_in(horizontal: Sequence[Rule], vertical: Sequence[Rule]) -> list[Grid]:
    """Find the groups of lines that cross each other and bound at least two rows and two columns."""
    across, down = _joined(horizontal), _joined(vertical)
    if len(across) * len(down) > MOST_LINES * MOST_LINES:
        return []
    grids = [Grid(*group) for group in _groups(across, down) if len(group[0]) > 2 and len(group[1]) > 2]
    return [grid for grid in grids if grid.is_table]


def _groups(across: list[Rule], down: list[Rule]) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """Yield the lines that are connected with each other."""
    rest_across, rest_down = set(across), set(down)
    while rest_across:
        reached, rows, columns = [rest_across.pop()], list[Rule](), list[Rule]()
        rows += reached
        frontier: list[tuple[Rule, bool]] = [(reached[0], True)]
        while frontier:
            rule, is_across = frontier.pop()
            others = rest_down if is_across else rest_across
            met = [other for other in others if _meet(rule, other)]
            others.difference_update(met)
            (columns if is_across else rows).extend(met)
            frontier += [(other, not is_across) for other in met]
        yield rows, columns


def _meet(one: Rule, other: Rule) -> bool:
    return other.start - NEAR <= one.at <= other.end + NEAR and one.start - NEAR <= other.at <= one.end + NEAR


def _joined(rules: Iterable[Rule]) -> list[Rule]:
    """Join pieces that lie on one line and touch each other."""
    joined: list[Rule] = []
    for rule in sorted(rules, key=lambda each: (round(each.at / NEAR), each.start)):
        last = joined[-1] if joined else None
        if last and abs(last.at - rule.at) <= NEAR and rule.start <= last.end + NEAR:
            joined[-1] = Rule(last.at, last.start, max(last.end, rule.end))
        else:
            joined.append(rule)
    return joined


def _places(rules: Iterable[Rule]) -> list[float]:
    places: list[float] = []
    for at in sorted(rule.at for rule in rules):
        if not places or at - places[-1] > NEAR:
            places.append(at)
    return places


def _is_crossed(rules: Iterable[Rule], at: float, where: float) -> bool:
    """Whether a line at this place reaches over a point of it."""
    return any(abs(rule.at - at) <= NEAR and rule.start - NEAR <= where <= rule.end + NEAR for rule in rules)


def _cell_text(lines: list[list[Glyph]]) -> str:
    return " ".join(segment.text for segment in segments_of(lines))


def _without_empty(rows: list[list[str]]) -> list[list[str]]:
    """Leave out columns and rows without any text: lines are often drawn twice, with a gap between."""
    columns = [index for index in range(len(rows[0])) if any(row[index] for row in rows)]
    return [[row[index] for index in columns] for row in rows if any(row)]
