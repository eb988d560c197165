"""The answers to requests about a PDF file: its facts, its pages, and what of their text a person does not see."""

from __future__ import annotations

import ctypes
import io
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from rove.content.pdf.layout import (
    Box,
    Display,
    Glyph,
    PageText,
    Segment,
    around,
    in_reading_order,
    segments_of,
    text_of,
)
from rove.content.pdf.page_range import pages_in
from rove.content.pdf.tables import Drawings, Table, aligned_tables, divided_at_columns, grids_in
from rove.errors import InvalidArguments

SCALE = 1.5
LONGEST_SIDE = 1600
# The least difference of two pixels in one colour, of 255, that a person notices in small text.
CONTRAST = 24
# Points; smaller text is a dot.
TINY = 2.0
# Opacity, of 255.
FAINT = 20
_UNDRAWN = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
MOST_UNSEEN = 50
LONGEST_UNSEEN = 300
# Of the height of a line: a wider gap begins a paragraph.
PARAGRAPH_GAP = 0.6
MOST_OUTLINE = 500
DEEPEST_OUTLINE = 8
LONGEST_TITLE = 300
MOST_LINKS = 200
LONGEST_URL = 2000
MOST_FIELDS = 200
LONGEST_VALUE = 2000
_FIELD_KINDS = {
    raw.FPDF_FORMFIELD_TEXTFIELD: "text",
    raw.FPDF_FORMFIELD_CHECKBOX: "checkbox",
    raw.FPDF_FORMFIELD_RADIOBUTTON: "radio",
    raw.FPDF_FORMFIELD_COMBOBOX: "select",
    raw.FPDF_FORMFIELD_LISTBOX: "list",
}
_PASSWORD_FLAG = 1 << 13
# Addresses that a reader may follow: those of the web and of people, and those without a scheme.
_FOLLOWED = re.compile(r"(?:https?|mailto|tel):|(?![a-z][a-z0-9+.-]*:)", re.IGNORECASE)
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?")

# After so many seconds no further page is begun, so that what was read is answered in time.
SECONDS = 8.0
_FAILURES = {raw.FPDF_ERR_PASSWORD: "locked", raw.FPDF_ERR_SECURITY: "security"}
_UNREADABLE: dict[str, Any] = {
    **dict.fromkeys(("tables", "links", "fields", "unseen"), ()),
    **dict.fromkeys(("is_recognised", "is_picture", "is_cut"), False),
    "text": "",
    "is_damaged": True,
}
Answer = tuple[dict[str, Any], bytes]


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


class PageReader:
    """Reads one page."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self._display = Display(page)
        self._drawings = Drawings(page, self._display)
        self._text = PageText(page, self._display)
        self._picture = Picture(page, self._display)
        self._visibility = Visibility(self._text, self._picture, self._display, self._drawings.images)
        if (rotation := self._text.rotation) != self._display.rotation:
            # Text that is displayed sideways is read as if the page was turned.
            upright = Display(page, rotation)
            self._drawings, self._text = Drawings(page, upright), PageText(page, upright)

    def read(self, room: int) -> dict[str, Any]:
        """Return its text, at most `room` characters, and facts about it."""
        tables, lines = self._grid_tables(self._seen_lines())
        segments = divided_at_columns(segments_of(lines))
        for table, used in aligned_tables(segments):
            tables.append(table)
            segments = [each for each in segments if each not in used]
        text = "\n".join(_paragraphs(_items(segments, tables)))
        return {
            "text": text[:room],
            "tables": [table.rows for table in tables],
            "unseen": list(self._unseen())[:MOST_UNSEEN],
            "is_recognised": bool(self._visibility.layer),
            "is_picture": not text and self._picture.shows_something(self._whole),
            "is_cut": self._text.is_cut or len(text) > room,
        }

    @property
    def _whole(self) -> Box:
        return Box(0.0, 0.0, self._display.width, self._display.height)

    def _seen_lines(self) -> list[list[Glyph]]:
        hidden = self._visibility.reasons
        lines = ([glyph for glyph in line if glyph.owner not in hidden] for line in self._text.lines)
        return [line for line in lines if line]

    def _unseen(self) -> Iterator[str]:
        """Yield the passages that a person does not see, each with the reason."""
        for reason, run in groupby(self._with_reasons(), key=lambda pair: pair[0]):
            if reason and (passage := text_of([glyph for _, glyph in run])):
                yield f"{passage[:LONGEST_UNSEEN]} ({reason})"

    def _with_reasons(self) -> Iterator[tuple[str, Glyph]]:
        """Yield each character with the reason why it is not seen, if there is one; a space has that before it."""
        reason = ""
        for line in self._text.lines:
            for glyph in [*line, _SPACE]:
                if not glyph.text.isspace():
                    reason = self._visibility.reasons.get(glyph.owner, "")
                yield reason, glyph

    def _grid_tables(self, lines: list[list[Glyph]]) -> tuple[list[Table], list[list[Glyph]]]:
        """Take the characters of tables with lines round their cells out of the lines of text."""
        tables: list[Table] = []
        for grid in grids_in(self._drawings.horizontal, self._drawings.vertical):
            inside = [[glyph for glyph in line if grid.box.holds(glyph.box.middle)] for line in lines]
            first = next((number for number, line in enumerate(inside) if line), None)
            table = grid.table([line for line in inside if line], (first,)) if first is not None else None
            if table is not None:
                tables.append(table)
                lines = [[glyph for glyph in line if not grid.box.holds(glyph.box.middle)] for line in lines]
        return tables, lines


_SPACE = Glyph(" ", Box(0, 0, 0, 0), 0)


def _items(segments: list[Segment], tables: Sequence[Table]) -> list[Segment | Table]:
    """Return texts and tables in reading order."""
    drawn: list[Segment | Table] = sorted([*segments, *tables], key=lambda each: each.place)
    return in_reading_order(drawn)


def _paragraphs(items: Sequence[Segment | Table]) -> Iterator[str]:
    """Yield lines of text: segments that stand beside each other joined, an empty line between paragraphs."""
    line: list[Segment] = []
    last: Box | None = None
    for item in items:
        if line and isinstance(item, Segment) and line[-1].box.is_beside(item.box):
            line.append(item)
            continue
        if line:
            yield " ".join(each.text for each in line)
        if last is not None and (isinstance(item, Table) or _is_apart(last, item.box)):
            yield ""
        if isinstance(item, Table):
            line, last = [], None
            yield from (item.text, "")
        else:
            line, last = [item], item.box
    if line:
        yield " ".join(each.text for each in line)


def _is_apart(above: Box, below: Box) -> bool:
    """Whether two lines belong to different paragraphs: a gap, another column, or another size of text."""
    gap = below.top - above.bottom
    return gap > PARAGRAPH_GAP * min(above.height, below.height) or gap < -2 * above.height


def read_dates(document: pdfium.PdfDocument) -> dict[str, str]:
    """Return title, author and date of a document; empty where it does not say."""
    made = document.get_metadata_value("CreationDate") or document.get_metadata_value("ModDate")
    return {
        "title": _line(document.get_metadata_value("Title")),
        "author": _line(document.get_metadata_value("Author")),
        "date": _iso(made),
    }


def _line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_TITLE]


def _iso(date: str) -> str:
    match = _DATE.match(date)
    if match is None:
        return ""
    day = "-".join(part for part in match.groups()[:3] if part)
    return f"{day}T{match[4]}:{match[5]}" if match[5] else day


def read_outline(document: pdfium.PdfDocument) -> tuple[list[tuple[str, int, int | None]], bool]:
    """Return the entries of the outline, and whether there are more."""
    items: list[tuple[str, int, int | None]] = []
    for bookmark in document.get_toc(max_depth=DEEPEST_OUTLINE):
        if len(items) == MOST_OUTLINE:
            return items, True
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        items.append((_line(bookmark.get_title()), bookmark.level, None if index is None else index + 1))
    return items, False


def read_links(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> list[tuple[str, str, int | None]]:
    """Return the links of a page: text, address, and the page that one inside the document leads to."""
    text, found = page.get_textpage(), list[tuple[str, str, int | None]]()
    position, link = ctypes.c_int(0), raw.FPDF_LINK()
    while len(found) < MOST_LINKS and raw.FPDFLink_Enumerate(page, position, link):
        url, target = _url(document, link), _target(document, link)
        rectangle = raw.FS_RECTF()
        if (url or target) and raw.FPDFLink_GetAnnotRect(link, rectangle):
            edges = (rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
            found.append((_line(text.get_text_bounded(*edges)), url, target))
    return found


def _url(document: pdfium.PdfDocument, link: Any) -> str:
    action = raw.FPDFLink_GetAction(link)
    if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
        return ""
    size = raw.FPDFAction_GetURIPath(document, action, None, 0)
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFAction_GetURIPath(document, action, buffer, size)
    address = "".join(each for each in buffer.value.decode("utf-8", "replace") if each.isprintable() and each != " ")
    return address[:LONGEST_URL] if _FOLLOWED.match(address) else ""


def _target(document: pdfium.PdfDocument, link: Any) -> int | None:
    target = raw.FPDFLink_GetDest(document, link)
    if not target and (action := raw.FPDFLink_GetAction(link)):
        target = raw.FPDFAction_GetDest(document, action)
    index = raw.FPDFDest_GetDestPageIndex(document, target) if target else -1
    return index + 1 if index >= 0 else None


def read_fields(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> list[tuple[str, str, str]]:
    """Return the fields of forms on a page: name, kind and value."""
    if document.formenv is None:
        return []
    found: list[tuple[str, str, str]] = []
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), 10 * MOST_FIELDS)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if annotation and raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_WIDGET:
            found += _field(document, annotation)
        raw.FPDFPage_CloseAnnot(annotation)
        if len(found) >= MOST_FIELDS:
            break
    return found


def _field(document: pdfium.PdfDocument, annotation: Any) -> list[tuple[str, str, str]]:
    form: Any = document.formenv
    kind = _FIELD_KINDS.get(raw.FPDFAnnot_GetFormFieldType(form, annotation))
    if kind is None:
        return []
    name = _string(raw.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    name = name or _string(raw.FPDFAnnot_GetFormFieldName, form, annotation)
    if kind == "text" and raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD_FLAG:
        return [(name, "password", "")]
    if kind in ("checkbox", "radio"):
        is_checked = raw.FPDFAnnot_IsChecked(form, annotation)
        return [(name, kind, "checked" if is_checked else "not checked")]
    return [(name, kind, _string(raw.FPDFAnnot_GetFormFieldValue, form, annotation))]


def _string(read: Callable[..., int], form: Any, annotation: Any) -> str:
    size = read(form, annotation, None, 0)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    read(form, annotation, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace")[:LONGEST_VALUE]


def answer(request: dict[str, Any], data: bytes) -> Answer:
    """Read the file, or draw one of its pages."""
    began = time.monotonic()
    try:
        document = pdfium.PdfDocument(data, password=request["password"])
    except pdfium.PdfiumError as error:
        return {"error": _FAILURES.get(error.err_code or 0, "damaged")}, b""
    try:
        numbers = pages_in(request["pages"], len(document))
    except InvalidArguments:
        return {"error": "pages", "page_count": len(document)}, b""
    if document.get_formtype() != raw.FORMTYPE_NONE:
        document.init_forms()  # fields are not drawn without it
    if request["task"] == "render":
        return _draw(document, numbers[0], int(request["side"]))
    return _read(document, numbers, request, began + SECONDS), b""


def _read(document: pdfium.PdfDocument, numbers: list[int], request: dict[str, Any], until: float) -> dict[str, Any]:
    outline, is_outline_cut = read_outline(document)
    pages, left_out = _read_pages(document, numbers[: request["most_pages"]], request["longest"], until)
    return {
        "page_count": len(document),
        "pages": pages,
        **read_dates(document),
        "outline": outline,
        "is_outline_cut": is_outline_cut,
        "left_out": [*left_out, *numbers[request["most_pages"] :]],
    }


def _read_pages(
    document: pdfium.PdfDocument, numbers: list[int], room: int, until: float
) -> tuple[list[dict[str, Any]], list[int]]:
    """Read pages while there is room and time; return them, and the numbers of the others."""
    pages: list[dict[str, Any]] = []
    for at, number in enumerate(numbers):
        if pages and (room <= 0 or time.monotonic() > until):
            return pages, numbers[at:]
        pages.append(_read_page(document, number, room))
        room -= len(pages[-1]["text"])
    return pages, []


def _read_page(document: pdfium.PdfDocument, number: int, room: int) -> dict[str, Any]:
    try:
        page = document[number - 1]
    except pdfium.PdfiumError:
        return {"number": number, **_UNREADABLE}
    facts = PageReader(page).read(room) | {"is_damaged": False}
    return {"number": number, **facts, "links": read_links(document, page), "fields": read_fields(document, page)}


def _draw(document: pdfium.PdfDocument, number: int, side: int) -> Answer:
    page = document[number - 1]
    bitmap = page.render(scale=side / max(*page.get_size(), 1.0))
    output = io.BytesIO()
    bitmap.to_pil().save(output, "PNG")
    return {}, output.getvalue()
