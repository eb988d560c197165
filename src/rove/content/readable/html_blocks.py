"""Blocks made of a tree of HTML elements, the cells of tables in their columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rove.content.readable.blocks import (
    Block,
    Blocks,
    Code,
    Heading,
    Image,
    Listing,
    Paragraph,
    Position,
    Quote,
    Rule,
    Run,
    Runs,
    Style,
    Table,
)

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_NO_TEXT = """
    script style noscript template head iframe frame frameset object embed applet canvas audio video source track svg
    input textarea select option datalist progress meter map area link meta base title dialog
"""
_IN_A_LINE = """
    a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark math mi mn mo mrow ms msub
    msup mtext nobr picture q rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr
"""
LEFT_OUT = frozenset(_NO_TEXT.split())
INLINE = frozenset(_IN_A_LINE.split())
STYLES: dict[str, Style] = {
    **dict.fromkeys(("b", "strong"), "strong"),
    **dict.fromkeys(("i", "em"), "emphasis"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
}
POSITIONS: dict[str, Position] = {"sup": "sup", "sub": "sub"}
STRUCK = frozenset(["del", "s", "strike"])
MOST_COLUMNS = 60
# The most characters of a table that are told again in further rows; more cells that span rows are empty there.
MOST_REPEATED = 20_000
# A cell with more text than this belongs to the layout of a page.
LONGEST_CELL = 2000
LONGEST_ALT = 300
PLAIN = Run("")
_SPACES = re.compile(r"[ \t\r\f\v\u2028\u2029]*\n[ \t\r\f\v\n\u2028\u2029]*|[ \t\r\f\v\u2028\u2029]+")
_LANGUAGE = re.compile(r"(?:^|\s)(?:lang(?:uage)?|highlight-source|brush:?)[-\s]([\w+#-]{1,20})(?:\s|$)")


def rows_of(table: HtmlElement) -> list[HtmlElement]:
    """Return the rows of a table, without those of tables in it."""
    parts = [part for part in table if part.tag in ("thead", "tbody", "tfoot", "tr")]
    return [row for part in parts for row in ([part] if part.tag == "tr" else part) if row.tag == "tr"]


def is_data(table: HtmlElement) -> bool:
    """Return whether a table holds data, not the layout of a page."""
    if table.get("role") in ("presentation", "none") or table.find(".//table") is not None:
        return False
    rows = list(filter(None, map(_cells, rows_of(table))))
    cells = [cell for row in rows for cell in row]
    if max(map(len, rows), default=0) < 2 or any(sum(map(len, cell.itertext())) > LONGEST_CELL for cell in cells):
        return False
    return len(rows) > 1 or any(cell.tag == "th" for cell in cells)


def place_cells(rows: Sequence[HtmlElement], read: Callable[[HtmlElement], Runs]) -> tuple[tuple[Runs, ...], ...]:
    """Return the content of the cells of each row, in rows of the same length.

    A cell that spans rows is told in each of them: otherwise the cells after it would be below other headers.
    """
    grid = _Grid(read)
    placed = [grid.row(row) for row in rows if _cells(row)]
    width = min(max(map(len, placed), default=0), MOST_COLUMNS)
    return tuple(tuple([*row, *[()] * width][:width]) for row in placed)


class _Grid:
    """Places cells, row by row."""

    def __init__(self, read: Callable[[HtmlElement], Runs]) -> None:
        self._read = read
        self._room = MOST_REPEATED
        self._section: HtmlElement | None = None
        # By column: the content of a cell that spans the next rows, and how many.
        self._spanning: dict[int, tuple[Runs, int]] = {}

    def row(self, row: HtmlElement) -> list[Runs]:
        if row.getparent() is not self._section:  # no cell spans two sections
            self._section, self._spanning = row.getparent(), {}
        above, self._spanning = self._spanning, {}
        placed: list[Runs] = []
        for cell in _cells(row):
            self._fill(placed, above)
            self._place(placed, cell)
        self._fill(placed, above)
        for column in sorted(above):  # beyond a gap
            placed += [()] * (column - len(placed))
            self._fill(placed, above)
        return placed

    def _fill(self, placed: list[Runs], above: dict[int, tuple[Runs, int]]) -> None:
        """Add the cells of rows above that span this one, up to the next free column."""
        while (column := len(placed)) in above:
            content, rows = above.pop(column)
            self._room -= sum(len(run.text) for run in content)
            placed.append(content if self._room >= 0 else ())
            self._span(column, content, rows - 1)

    def _place(self, placed: list[Runs], cell: HtmlElement) -> None:
        """Add a cell, followed by an empty one for each further column that it spans."""
        content, rows = self._read(cell), _row_span(cell)
        for each in [content, *[()] * (_number(cell.get("colspan"), 1, MOST_COLUMNS) - 1)]:
            if len(placed) < MOST_COLUMNS:
                self._span(len(placed), each, rows - 1)
                placed.append(each)

    def _span(self, column: int, content: Runs, rows: int) -> None:
        if rows > 0:
            self._spanning[column] = content, rows


def _cells(row: HtmlElement) -> list[HtmlElement]:
    return [cell for cell in row if cell.tag in ("td", "th")]


def _row_span(cell: HtmlElement) -> int:
    """Return how many rows a cell spans; 0 stands for all that follow in its section."""
    given = (cell.get("rowspan") or "").strip()
    return 65_534 if given == "0" else _number(given, 1, 65_534)


def _number(value: str | None, default: int, most: int) -> int:
    digits = (value or "").strip()
    return min(max(int(digits), 1), most) if digits.isascii() and digits.isdigit() and len(digits) < 9 else default


class Addresses:
    """The links and images of an article, each address once, by numbers from one on."""

    def __init__(self, absolute: Callable[[str], str]) -> None:
        self._absolute = absolute
        self._links: dict[str, int] = {}
        self._images: dict[Image, int] = {}

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(self._links)

    @property
    def images(self) -> tuple[Image, ...]:
        return tuple(self._images)

    def link(self, address: str | None) -> int:
        """Return the number of a link; 0 if it leads to nothing that can be opened."""
        absolute = self._absolute(address or "")
        return self._links.setdefault(absolute, len(self._links) + 1) if absolute else 0

    def image(self, element: HtmlElement) -> int:
        """Return the number of an image; 0 if it has no address."""
        address = next(filter(None, map(self._absolute, _sources(element))), "")
        alt = " ".join((element.get("alt") or "").split())[:LONGEST_ALT]
        return self._images.setdefault(Image(address, alt), len(self._images) + 1) if address else 0


def _sources(element: HtmlElement) -> list[str]:
    """Return the addresses that an image may have; pages that load images late keep them in other attributes."""
    sets = (element.get("srcset") or element.get("data-srcset") or "").split()
    late = [element.get(name) or "" for name in ("data-src", "data-original", "data-lazy-src")]
    return [element.get("src") or "", *late, *sets[:1]]


def build_blocks(root: HtmlElement, addresses: Addresses) -> Blocks:
    """Return the content of an element as blocks."""
    builder = _Builder(addresses)
    builder.add_children(root)
    return builder.finish()


class _Builder:
    """Collects runs of text into blocks. Lists, quotes and cells are built by builders of their own."""

    def __init__(self, addresses: Addresses, look: Run = PLAIN) -> None:
        self._addresses = addresses
        # What the text at this place looks like; it has no text of its own.
        self._look = look
        self._blocks: list[Block] = []
        self._runs: list[Run] = []

    def finish(self) -> Blocks:
        self._flush()
        return tuple(self._blocks)

    def add_children(self, element: HtmlElement) -> None:
        self._text(element.text)
        for child in element:
            if isinstance(child.tag, str):
                self.add(child, child.tag.lower())
            self._text(child.tail)

    def _text(self, text: str | None) -> None:
        if text:
            self._runs.append(replace(self._look, text=_SPACES.sub(" ", text)))

    def add(self, element: HtmlElement, tag: str) -> None:
        if tag in LEFT_OUT:
            return
        special = _SPECIAL.get(tag)
        if special is not None:
            special(self, element)
        elif tag in INLINE:
            self._add_inline(element, tag)
        else:
            self._flush()
            self.add_children(element)
            self._flush()

    def _add_inline(self, element: HtmlElement, tag: str) -> None:
        before = self._look
        self._look = replace(
            before,
            style=before.style or STYLES.get(tag, ""),
            link=self._addresses.link(element.get("href")) if tag == "a" else before.link,
            position=before.position or POSITIONS.get(tag, ""),
            is_struck=before.is_struck or tag in STRUCK,
        )
        self.add_children(element)
        self._look = before

    def _flush(self, make: Callable[[Runs], Block] = Paragraph) -> None:
        # Two line breaks in a row set paragraphs apart.
        for runs in _paragraphs(self._runs):
            if runs:
                self._blocks.append(make(runs))
        self._runs = []

    def _inside(self, element: HtmlElement) -> Blocks:
        builder = _Builder(self._addresses, self._look)
        builder.add_children(element)
        return builder.finish()

    def add_break(self, _: HtmlElement) -> None:
        self._runs.append(Run("\n"))

    def add_rule(self, _: HtmlElement) -> None:
        self._flush()
        self._blocks.append(Rule())

    def add_heading(self, element: HtmlElement) -> None:
        self._flush()
        level = int(str(element.tag)[1])
        blocks = self._inside(element)
        runs = tuple(run for block in blocks if isinstance(block, Paragraph) for run in (*block.runs, Run(" ")))
        self._blocks += [Heading(level, runs[:-1])] if runs else []
        self._blocks += (block for block in blocks if not isinstance(block, Paragraph))

    def add_code(self, element: HtmlElement) -> None:
        self._flush()
        text = _preformatted(element)
        if text.strip():
            self._blocks.append(Code(text.strip("\n"), _language(element)))

    def add_quote(self, element: HtmlElement) -> None:
        self._flush()
        blocks = self._inside(element)
        if blocks:
            self._blocks.append(Quote(blocks))

    def add_list(self, element: HtmlElement) -> None:
        self._flush()
        items = tuple(filter(None, self._items(element)))
        if items:
            self._blocks.append(Listing(items, element.tag == "ol", _start(element)))

    def _items(self, element: HtmlElement) -> Iterator[Blocks]:
        """Yield the items of a list; text that stands between them is an item too."""
        yield self._loose(element.text)
        for child in element:
            if isinstance(child.tag, str):
                yield self._item(child)
            yield self._loose(child.tail)

    def _loose(self, text: str | None) -> Blocks:
        is_empty = not (text or "").strip()
        return () if is_empty else _paragraph_blocks([replace(self._look, text=_SPACES.sub(" ", text or ""))])

    def _item(self, element: HtmlElement) -> Blocks:
        if element.tag in LEFT_OUT:
            return ()
        builder = _Builder(self._addresses, self._look)
        if element.tag == "li":
            builder.add_children(element)
        else:
            builder.add(element, str(element.tag))
        return builder.finish()

    def add_image(self, element: HtmlElement) -> None:
        number = self._addresses.image(element)
        if number:
            self._runs.append(Run(self._addresses.images[number - 1].alt, link=self._look.link, image=number))

    def add_quotation(self, element: HtmlElement) -> None:
        self._text("“")
        self._add_inline(element, "q")
        self._text("”")

    def add_button(self, element: HtmlElement) -> None:
        # Buttons beside each other have edges between them.
        self._text(" ")
        self._add_inline(element, "button")
        self._text(" ")

    def add_table(self, element: HtmlElement) -> None:
        self._flush()
        if is_data(element):
            captions = [self._inside(caption) for caption in element.findall("caption")]
            self._blocks += (block for caption in captions for block in caption)
            self._blocks.append(Table(place_cells(rows_of(element), self._cell)))
        else:
            self.add_children(element)
            self._flush()

    def _cell(self, element: HtmlElement) -> Runs:
        return _trimmed([run for block in self._inside(element) for run in (*_flat_runs(block), Run(" "))])


_SPECIAL: dict[str, Callable[[_Builder, HtmlElement], None]] = {
    "br": _Builder.add_break,
    "hr": _Builder.add_rule,
    "img": _Builder.add_image,
    "q": _Builder.add_quotation,
    "button": _Builder.add_button,
    "pre": _Builder.add_code,
    "listing": _Builder.add_code,
    "blockquote": _Builder.add_quote,
    "table": _Builder.add_table,
    **dict.fromkeys(("ul", "ol", "menu", "dir"), _Builder.add_list),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _Builder.add_heading),
}


def _paragraph_blocks(runs: Sequence[Run]) -> Blocks:
    return tuple(Paragraph(each) for each in _paragraphs(runs) if each)


def _flat_runs(block: Block) -> Runs:
    if isinstance(block, Paragraph | Heading):
        return block.runs
    if isinstance(block, Listing):
        return tuple(run for item in block.items for inner in item for run in (*_flat_runs(inner), Run(" ")))
    if isinstance(block, Quote):
        return tuple(run for inner in block.blocks for run in (*_flat_runs(inner), Run(" ")))
    if isinstance(block, Table):
        return tuple(run for row in block.rows for cell in row for run in (*cell, Run(" ")))
    return (Run(block.text, "code"),) if isinstance(block, Code) else ()


def _paragraphs(runs: Sequence[Run]) -> list[Runs]:
    """Divide runs where two line breaks or more are; collapse spaces."""
    parts: list[list[Run]] = [[]]
    breaks = 0
    for run in runs:
        if run.text == "\n":
            breaks += 1
        elif run.text.strip() or run.image:
            if breaks > 1:
                parts.append([])
            elif breaks:
                parts[-1].append(Run("\n"))
            breaks = 0
            parts[-1].append(run)
        elif not breaks:
            parts[-1].append(run)
    return [_trimmed(part) for part in parts]


def _trimmed(runs: Sequence[Run]) -> Runs:
    """Collapse spaces over the borders of runs, join runs that look alike, and trim both ends."""
    kept: list[Run] = []
    ends_with_space = True
    for run in runs:
        text = run.text if run.image else _collapsed(run.text, ends_with_space)
        if not text and not run.image:
            continue
        ends_with_space = not run.image and text[-1] in " \n"
        if run.text == "\n" and kept and not kept[-1].image:
            kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip(" "))
        _join(kept, replace(run, text=text))
    return _without_end(kept)


def _collapsed(text: str, after_space: bool) -> str:
    if text == "\n":
        return text
    collapsed = re.sub(r"[ \n]+", " ", text)
    return collapsed.lstrip(" ") if after_space else collapsed


def _join(kept: list[Run], run: Run) -> None:
    last = kept[-1] if kept else None
    if last is None or run.image or last.image or not last.looks_like(run):
        kept.append(run)
    else:
        kept[-1] = replace(last, text=last.text + run.text)


def _without_end(runs: list[Run]) -> Runs:
    while runs and not runs[-1].image and not runs[-1].text.rstrip():
        runs.pop()
    if runs and not runs[-1].image:
        runs[-1] = replace(runs[-1], text=runs[-1].text.rstrip())
    return tuple(runs)


def _preformatted(element: HtmlElement) -> str:
    pieces: list[str] = [element.text or ""]
    for child in element.iterdescendants():
        if child.tag == "br":
            pieces.append("\n")
        elif isinstance(child.tag, str) and child.tag not in LEFT_OUT:
            pieces.append(child.text or "")
        pieces.append(child.tail or "")
    return "".join(pieces)


def _language(element: HtmlElement) -> str:
    inner = element.find(".//code")
    classes = " ".join([element.get("class") or "", (inner.get("class") or "") if inner is not None else ""])
    found = _LANGUAGE.search(classes)
    return found[1].lower() if found else ""


def _start(element: HtmlElement) -> int:
    digits = (element.get("start") or "").strip()
    return max(int(digits), 1) if digits.isascii() and digits.isdigit() and len(digits) < 7 else 1
