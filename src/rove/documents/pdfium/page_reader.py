"""One page: its text in reading order with tables in it, and what of its text a person does not see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import pypdfium2 as pdfium

from rove.documents.pdfium.drawings import Drawings
from rove.documents.pdfium.geometry import Box, Display
from rove.documents.pdfium.glyphs import Glyph, PageText, text_of
from rove.documents.pdfium.grids import grids_in
from rove.documents.pdfium.segments import Segment, in_reading_order, segments_of
from rove.documents.pdfium.tables import Table, aligned_tables, divided_at_columns
from rove.documents.pdfium.visibility import Picture, Visibility

MOST_UNSEEN = 50
LONGEST_UNSEEN = 300
# Of the height of a line: a wider gap begins a paragraph.
PARAGRAPH_GAP = 0.6


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
