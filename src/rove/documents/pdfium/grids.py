"""Grids: tables whose cells have lines drawn round them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from rove.documents.pdfium.drawings import Rule
from rove.documents.pdfium.geometry import Box
from rove.documents.pdfium.glyphs import Glyph
from rove.documents.pdfium.segments import Place, segments_of
from rove.documents.pdfium.tables import Table

# Points: lines that are nearer to each other are one.
NEAR = 3.0
MOST_LINES = 200


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
