"""Boxes on a page as it is displayed: in points from the top left corner, after the page's rotation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pypdfium2 as pdfium


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def holds(self, point: tuple[float, float], margin: float = 0.0) -> bool:
        x, y = point
        return self.left - margin <= x <= self.right + margin and self.top - margin <= y <= self.bottom + margin

    def is_beside(self, other: Box) -> bool:
        """Whether it is on the same line as another box: they overlap by half of the lower one's height."""
        shared = min(self.bottom, other.bottom) - max(self.top, other.top)
        return shared >= 0.5 * max(min(self.height, other.height), 0.1)


def around(boxes: Iterable[Box]) -> Box:
    """Return the smallest box that holds all boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


class Display:
    """Converts coordinates of a page's content to those of the page as it is displayed, or turned by another angle."""

    def __init__(self, page: pdfium.PdfPage, rotation: int | None = None) -> None:
        self.rotation = page.get_rotation() if rotation is None else rotation
        self._left, self._bottom, self._right, self._top = page.get_bbox()
        width, height = page.get_size()
        is_on_its_side = (self.rotation - page.get_rotation()) % 180 == 90
        self.width, self.height = (height, width) if is_on_its_side else (width, height)

    def point(self, x: float, y: float) -> tuple[float, float]:
        match self.rotation:
            case 90:
                return y - self._bottom, x - self._left
            case 180:
                return self._right - x, y - self._bottom
            case 270:
                return self._top - y, self._right - x
            case _:
                return x - self._left, self._top - y

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        (x1, y1), (x2, y2) = self.point(left, bottom), self.point(right, top)
        return Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
