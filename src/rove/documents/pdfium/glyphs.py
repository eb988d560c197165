"""The characters of a page with their boxes, in the order and lines that PDFium finds."""

from __future__ import annotations

import ctypes
import math
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from rove.documents.pdfium.geometry import Box, Display

MOST_GLYPHS = 60_000
# Characters that are asked for their angle.
SAMPLED = 500
LINE_BREAKS = "\r\n"
# PDFium puts these where a word is divided at the end of a line.
DIVISIONS = ("\x02", "\ufffe", "\xad")
# Ligatures and the forms of Arabic letters, which stand for ordinary letters.
_PRESENTATION_FORMS = (range(0xFB00, 0xFE00), range(0xFE70, 0xFEFF))


class Glyph(NamedTuple):
    """A character, its box, and the address of the text object that draws it; 0 for a space that PDFium added."""

    text: str
    box: Box
    owner: int


class TextObject(NamedTuple):
    """What a text object tells of how it is drawn."""

    render_mode: int
    opacity: int


class PageText:
    """The characters of one page. `is_cut`: whether there are more than are read."""

    def __init__(self, page: pdfium.PdfPage, display: Display) -> None:
        self._text = page.get_textpage()
        self._display = display
        count = self._text.count_chars()
        self.is_cut = count > MOST_GLYPHS
        self.objects: dict[int, TextObject] = {}
        self.lines = list(self._lines(min(count, MOST_GLYPHS)))

    @property
    def rotation(self) -> int:
        """The angle, in degrees, by which most of the text must be turned to stand upright: 0, 90, 180 or 270."""
        count = min(self._text.count_chars(), MOST_GLYPHS)
        sample = range(0, count, max(count // SAMPLED, 1))
        angles = Counter(_quarter(raw.FPDFText_GetCharAngle(self._text, index)) for index in sample)
        return angles.most_common(1)[0][0] if angles else 0

    def _lines(self, count: int) -> Iterator[list[Glyph]]:
        line: list[Glyph] = []
        for index in range(count):
            text = _character(raw.FPDFText_GetUnicode(self._text, index))
            if text in LINE_BREAKS:
                if line:
                    yield _read_leftwards(line)
                line = []
            else:
                line.append(self._glyph(index, text))
        if line:
            yield _read_leftwards(line)

    def _glyph(self, index: int, text: str) -> Glyph:
        owner = raw.FPDFText_GetTextObject(self._text, index)
        address = ctypes.addressof(owner.contents) if owner else 0
        if address and address not in self.objects:
            self.objects[address] = _text_object(owner)
        rectangle = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(self._text, index, rectangle)
        box = self._display.box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
        return Glyph(text, box, address)


def _quarter(angle: float) -> int:
    """Return, in degrees, the quarter turn that undoes an angle, which PDFium gives in radians and clockwise."""
    return -round(math.degrees(angle) / 90) % 4 * 90


def text_of(glyphs: list[Glyph]) -> str:
    """Return the text of characters, with single spaces."""
    text = "".join(glyph.text for glyph in glyphs)
    # Characters beyond the basic plane come as two halves.
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return " ".join(whole.split())


def _read_leftwards(line: list[Glyph]) -> list[Glyph]:
    """Put words of scripts that run from right to left in their order: PDFium reverses some that are joined letters."""
    ordered: list[Glyph] = []
    for is_leftward, run in groupby(line, key=_is_leftward):
        word = list(run)
        is_reversed = is_leftward and word[0].box.left < word[-1].box.left
        ordered += reversed(word) if is_reversed else word
    return ordered


def _is_leftward(glyph: Glyph) -> bool:
    return unicodedata.bidirectional(glyph.text[0]) in ("R", "AL", "NSM")


def _character(code: int) -> str:
    text = chr(code) if 0 < code < 0x110000 else " "
    if text in DIVISIONS:
        return "-"
    if code >= 0xFB00 and any(code in forms for forms in _PRESENTATION_FORMS):
        return unicodedata.normalize("NFKC", text)
    return text if text in LINE_BREAKS or text >= " " else " "


def _text_object(owner: Any) -> TextObject:
    mode, parts = raw.FPDFTextObj_GetTextRenderMode(owner), [ctypes.c_uint() for _ in range(4)]
    strokes_only = mode in (raw.FPDF_TEXTRENDERMODE_STROKE, raw.FPDF_TEXTRENDERMODE_STROKE_CLIP)
    read_color = raw.FPDFPageObj_GetStrokeColor if strokes_only else raw.FPDFPageObj_GetFillColor
    opacity = parts[3].value if read_color(owner, *parts) else 255
    return TextObject(mode, opacity)
