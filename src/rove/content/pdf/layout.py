"""What is on a page and where: boxes, characters, and segments of lines in the order in which they are read."""

from __future__ import annotations

import ctypes
import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, NamedTuple, Protocol, TypeVar

import pypdfium2 as pdfium
import pypdfium2.raw as raw

MOST_GLYPHS = 60_000
# Characters that are asked for their angle.
SAMPLED = 500
LINE_BREAKS = "\r\n"
# PDFium puts these where a word is divided at the end of a line.
DIVISIONS = ("\x02", "\ufffe", "\xad")
# Ligatures and the forms of Arabic letters, which stand for ordinary letters.
_PRESENTATION_FORMS = (range(0xFB00, 0xFE00), range(0xFE70, 0xFEFF))

# Of the height of a character: wider gaps separate columns, and narrower ones words.
WIDE_GAP = 1.1
DEEPEST = 60

# Where something is in the order of the file: the number of its line, its number in that line, and that of its part.
Place = tuple[int, ...]


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
        self.box = around(glyph.box for glyph in glyphs if not glyph.text.isspace())

    @cached_property
    def text(self) -> str:
        return text_of(self.glyphs)


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


def in_reading_order(segments: Sequence[P]) -> list[P]:
    """Keep the order of the file if it never goes back up within a column; otherwise order by the gaps of the page."""
    goes_back = any(_goes_back(before.box, after.box) for before, after in pairwise(segments))
    return _cut(segments, 0) if goes_back else list(segments)


def _goes_back(before: Box, after: Box) -> bool:
    if before.is_beside(after):
        return False
    return after.bottom <= before.top + 0.5 * after.height and after.left < before.right


def _cut(segments: Sequence[P], depth: int) -> list[P]:
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


def _by_rows(segments: Sequence[P]) -> list[P]:
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
