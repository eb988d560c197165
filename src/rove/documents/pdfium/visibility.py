"""Which texts of a page a person sees: a text that leaves no trace in the picture of the page is not seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from rove.documents.pdfium.geometry import Box, Display, around
from rove.documents.pdfium.glyphs import Glyph, PageText

SCALE = 1.5
LONGEST_SIDE = 1600
# The least difference of two pixels in one colour, of 255, that a person notices in small text.
CONTRAST = 24
# Points; smaller text is a dot.
TINY = 2.0
# Opacity, of 255.
FAINT = 20
_UNDRAWN = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)


class Picture:
    """The page as it is displayed, in few pixels."""

    def __init__(self, page: pdfium.PdfPage, display: Display) -> None:
        self._scale = min(SCALE, LONGEST_SIDE / max(display.width, display.height, 1.0))
        bitmap: Any = page.render(scale=self._scale)  # pyright: ignore[reportArgumentType]
        self._width, self._height, self._stride = bitmap.width, bitmap.height, bitmap.stride
        self._pixels = bytes(bitmap.buffer)
        self._size = bitmap.n_channels

    def shows_something(self, box: Box) -> bool:
        """Whether the pixels in a box differ."""
        left, right = self._range(box.left, box.right, self._width)
        top, bottom = self._range(box.top, box.bottom, self._height)
        if left >= right or top >= bottom:
            return False
        rows = [self._pixels[y * self._stride + left * self._size : y * self._stride + right * self._size]
                for y in range(top, bottom)]  # fmt: skip
        area = b"".join(rows)
        colors = (area[channel :: self._size] for channel in range(min(self._size, 3)))
        return any(max(color) - min(color) >= CONTRAST for color in colors)

    def _range(self, first: float, last: float, most: int) -> tuple[int, int]:
        start = min(max(int(first * self._scale), 0), most)
        return start, min(max(int(last * self._scale) + 1, start), most)


class Visibility:
    """Sorts the text objects of a page: seen, invisible over a picture, or not seen for a reason."""

    def __init__(self, text: PageText, picture: Picture, display: Display, images: list[Box]) -> None:
        self._text, self._picture, self._images = text, picture, images
        self._page = Box(0.0, 0.0, display.width, display.height)
        # Why the text of an object is not seen, by the address of the object.
        self.reasons: dict[int, str] = {}
        # The objects whose text is an invisible layer over a picture.
        self.layer: set[int] = set()
        self._sort()

    def _sort(self) -> None:
        for owner, glyphs in _by_owner(self._text.lines).items():
            box = around(glyph.box for glyph in glyphs)
            if (reason := self._reason(owner, box, _em(glyphs))) is None:
                continue
            if reason == "drawn invisibly" and self._is_over_image(box):
                self.layer.add(owner)
            else:
                self.reasons[owner] = reason

    def _reason(self, owner: int, box: Box, em: float) -> str | None:
        if not self._page.holds(box.middle):
            return "off the page"
        drawn = self._text.objects[owner]
        if drawn.render_mode in _UNDRAWN or drawn.opacity < FAINT:
            return "drawn invisibly"
        if em < TINY:
            return "tiny"
        return None if self._picture.shows_something(_core(box)) else "not visible on its background"

    def _is_over_image(self, box: Box) -> bool:
        return any(image.holds(box.middle) for image in self._images) and self._picture.shows_something(box)


def _by_owner(lines: Iterable[list[Glyph]]) -> dict[int, list[Glyph]]:
    owners: dict[int, list[Glyph]] = {}
    for line in lines:
        for glyph in line:
            if glyph.owner and not glyph.text.isspace():
                owners.setdefault(glyph.owner, []).append(glyph)
    return owners


def _em(glyphs: list[Glyph]) -> float:
    """Return the size of text that may run in any direction: the larger side of its boxes."""
    return max(max(glyph.box.width, glyph.box.height) for glyph in glyphs)


def _core(box: Box) -> Box:
    """Return a box without its upper and lower edge, into which the lines beside it may reach."""
    margin = box.height * 0.15
    return Box(box.left, box.top + margin, box.right, box.bottom - margin)
