"""Segments: runs of characters on one line without a wide gap; and the order in which they are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Protocol, TypeVar

from rove.documents.pdfium.geometry import Box, around
from rove.documents.pdfium.glyphs import Glyph, text_of

# Of the height of a character: wider gaps separate columns, and narrower ones words.
WIDE_GAP = 1.1
DEEPEST = 60


# Where something is in the order of the file: the number of its line, its number in that line, and that of its part.
Place = tuple[int, ...]


class Placed(Protocol):
    """A part of a page that has its place in the reading order."""

    @property
    def box(self) -> Box: ...


P = TypeVar("P", bound=Placed)


class Segment:
    """Characters that belong together on a line."""

    def __init__(self, glyphs: list[Glyph], place: Place) -> None:
        self.glyphs = glyphs
        self.place = place

    @cached_property
    def text(self) -> str:
        return text_of(self.glyphs)

    @cached_property
    def box(self) -> Box:
        return around(glyph.box for glyph in self.glyphs if not glyph.text.isspace())


def segments_of(lines: Sequence[list[Glyph]]) -> list[Segment]:
    """Divide lines at wide gaps."""
    found: list[Segment] = []
    for number, line in enumerate(lines):
        for run in runs_of(line, WIDE_GAP):
            if any(not glyph.text.isspace() for glyph in run):
                found.append(Segment(run, (number, len(found))))
    return found


def runs_of(line: list[Glyph], widest: float) -> list[list[Glyph]]:
    """Divide a line at gaps that are wider than so many times the height of a character."""
    runs: list[list[Glyph]] = [[]]
    last: Glyph | None = None
    for glyph in line:
        if not glyph.text.isspace():
            if last is not None and _gap(last.box, glyph.box) > widest * max(last.box.height, glyph.box.height):
                runs.append([])
            last = glyph
        runs[-1].append(glyph)
    return runs


def _gap(one: Box, other: Box) -> float:
    """Return the space between two boxes, whichever of them is to the left: text may run either way."""
    return max(other.left - one.right, one.left - other.right)


def in_reading_order(segments: list[P]) -> list[P]:
    """Keep the order of the file if it never goes back up within a column; otherwise order by the gaps of the page."""
    goes_back = any(_goes_back(before.box, after.box) for before, after in pairwise(segments))
    return _cut(segments, 0) if goes_back else segments


def _goes_back(before: Box, after: Box) -> bool:
    if before.is_beside(after):
        return False
    return after.bottom <= before.top + 0.5 * after.height and after.left < before.right


def _cut(segments: list[P], depth: int) -> list[P]:
    """Divide segments at the widest gap between columns or between lines, and order each side by itself."""
    if len(segments) < 2 or depth > DEEPEST:
        return _by_rows(segments)
    across, x = _widest_gap(segments, lambda box: (box.left, box.right))
    down, y = _widest_gap(segments, lambda box: (box.top, box.bottom))
    if max(across, down) <= 0:
        return _by_rows(segments)
    if across > down:
        first = [each for each in segments if each.box.middle[0] < x]
    else:
        first = [each for each in segments if each.box.middle[1] < y]
    second = [each for each in segments if each not in first]
    return _cut(first, depth + 1) + _cut(second, depth + 1)


def _by_rows(segments: list[P]) -> list[P]:
    return sorted(segments, key=lambda each: (each.box.top, each.box.left))


def _widest_gap(segments: Sequence[Placed], ends: Callable[[Box], tuple[float, float]]) -> tuple[float, float]:
    """Return the width and the middle of the widest gap between intervals."""
    best, middle, reached = 0.0, 0.0, None
    for start, end in sorted(ends(each.box) for each in segments):
        if reached is not None and start - reached > best:
            best, middle = start - reached, (start + reached) / 2
        reached = end if reached is None else max(reached, end)
    return best, middle


def rows_of(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Group segments that stand on one line of the page, whatever their order; rows from top to bottom."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda each: each.box.middle[1]):
        if rows and rows[-1][0].box.is_beside(segment.box):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [sorted(row, key=lambda each: each.box.left) for row in rows]
