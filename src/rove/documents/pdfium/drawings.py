"""Lines, rectangles and pictures that are drawn on a page."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from rove.documents.pdfium.geometry import Box, Display

MOST_OBJECTS = 20_000
MOST_RULES = 4_000
MOST_POINTS = 40
DEEPEST = 8
# Points: a filled rectangle that is thinner is a line.
THIN = 3.0
SHORTEST = 4.0
_Matrix = tuple[float, float, float, float, float, float]
_SAME: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


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
