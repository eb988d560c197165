"""Tables of a page as headers and rows, and the rows of the table whose headers match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rove.content.structured.page import Page, text_of
from rove.content.structured.rows import MOST_ROWS, Column, Kind, RowSet, TableSchema
from rove.records import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MOST_TABLE_ROWS = 20_000
MOST_COLUMNS = 500
MOST_CELLS = 400_000
LONGEST_HEADER = 100
_HEADER_ROLES = ("columnheader",)
_CELL_ROLES = ("cell", "gridcell", "rowheader", "columnheader")
_GRID_ROLES = "[@role='table' or @role='grid' or @role='treegrid']"

# Rows that a table may count beside those of data.
MOST_HEADER_ROWS = 3


@dataclass(frozen=True)
class Cell:
    """A cell: its element, and its text. A cell that spans several places is in all of them."""

    element: HtmlElement
    text: str
    is_header: bool


Row = tuple[Cell | None, ...]


@dataclass(frozen=True)
class Table:
    """A table: the element, the text of each column's header, and rows of cells."""

    element: HtmlElement
    headers: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    # Whether the headers are only the texts of the first row, which is not marked as one of headers.
    is_guessed: bool = False

    @property
    def claimed(self) -> int:
        """How many rows the table says that it has, headers included, if it keeps only some of them in the page."""
        count = self.element.get("aria-rowcount") or ""
        return int(count[:9]) if count.isascii() and count.isdigit() else 0

    @property
    def all_columns(self) -> list[int]:
        """The columns that have a header or a text; others hold buttons and the like."""
        return [
            index
            for index, header in enumerate(self.headers)
            if header or any(cell is not None and cell.text for cell in (row[index] for row in self.rows))
        ]

    def columns(self, wanted: Sequence[str]) -> list[int] | None:
        """Return the columns with these headers; None if one is missing. Case, spaces and marks do not matter."""
        own = [_plain(header) for header in self.headers]
        found = [_column(own, _plain(header.partition("@")[0])) for header in wanted]
        return None if None in found else [index for index in found if index is not None]


def tables_in(page: Page) -> list[Table]:
    """Find the tables of a document: `table` elements, grids by their roles, and definition lists."""
    found = [table for element in page.root.iter("table") if (table := read_table(element)) is not None]
    grids = page.root.xpath(f"//*[not(self::table)]{_GRID_ROLES}")
    found += [table for element in grids if (table := read_table(element)) is not None]
    lists = [table for element in page.root.iter("dl") if (table := read_table(element)) is not None]
    return [*_joined(found), *lists]


def read_table(element: HtmlElement) -> Table | None:
    """Read one table, whatever it is made of; None if it has no rows."""
    if element.tag == "dl":
        return _definitions(element)
    if element.get("role") in ("presentation", "none"):
        return None
    rows = list(_table_rows(element)) if element.tag == "table" else list(_grid_rows(element))
    if not any(_has_content(cell) for row in rows for cell in row):
        return None
    width = max(map(len, rows))
    filled: list[Row] = [(*row, *[None] * (width - len(row))) for row in rows if any(map(_has_content, row))]
    caption = next((text_of(each) for each in element.iterchildren("caption")), element.get("aria-label") or "")
    return _with_headers(element, filled, caption[:LONGEST_HEADER])


def _has_content(cell: Cell | None) -> bool:
    return cell is not None and bool(cell.text or next(cell.element.iter("a", "img"), None) is not None)


def _with_headers(element: HtmlElement, rows: list[Row], caption: str) -> Table | None:
    """Decide where the headers are: in the rows at the top, or in the first column."""
    top = 0
    while top < len(rows) and all(cell is None or cell.is_header for cell in rows[top]) and any(rows[top]):
        top += 1
    if 0 < top < len(rows) or (top and _is_header_part(element)):
        return Table(element, _header_texts(rows[:top]), tuple(rows[top:]), caption)
    if top:  # only headers: what is marked as such cannot be that
        return Table(element, _header_texts(rows[:1]), tuple(rows[1:]), caption)
    if len(rows[0]) > 1 and all(row[0] is not None and row[0].is_header for row in rows):
        columns: list[Row] = list(zip(*rows, strict=True))
        return Table(element, _header_texts(columns[:1], True), tuple(columns[1:]), caption)
    texts = [cell.text if cell else "" for cell in rows[0]]
    if (
        len(rows) > 1
        and len(texts) > 1
        and all(texts)
        and len(set(texts)) == len(texts)
        and not any(map(_is_value, texts))
    ):
        return Table(element, tuple(text[:LONGEST_HEADER] for text in texts), tuple(rows[1:]), caption, True)
    return Table(element, tuple(f"Column {number}" for number in range(1, len(texts) + 1)), tuple(rows), caption, True)


def _is_value(text: str) -> bool:
    """Whether a text is more likely a value than a header."""
    return len(text) > 60 or sum(each.isdigit() for each in text) * 2 > len(text)


def _header_texts(rows: Sequence[Row], is_column: bool = False) -> tuple[str, ...]:
    """Join the headers above each column, from the top: `Sales / 2024`."""
    columns = [[cell] for cell in rows[0]] if is_column else list(zip(*rows, strict=True))
    joined = (" / ".join(dict.fromkeys(cell.text for cell in column if cell and cell.text)) for column in columns)
    return tuple(text[:LONGEST_HEADER] for text in joined)


def _is_header_part(element: HtmlElement) -> bool:
    return next(element.iter("thead"), None) is not None or element.get("role") is not None


# Elements `table`
def _table_rows(table: HtmlElement) -> Iterator[Row]:
    """Yield rows of cells, each span of rows and columns resolved."""
    pending: dict[int, tuple[int, Cell]] = {}
    cells = 0
    for number, row in enumerate(_own_rows(table)):
        if number >= MOST_TABLE_ROWS or cells > MOST_CELLS:
            return
        placed = _placed(row, pending)
        cells += len(placed)
        if placed:
            yield tuple(placed)


def _own_rows(table: HtmlElement) -> Iterator[HtmlElement]:
    for child in table.iterchildren():
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from child.iterchildren("tr")


def _placed(row: HtmlElement, pending: dict[int, tuple[int, Cell]]) -> list[Cell | None]:
    """Return the cells of a row in their columns; `pending` holds those that reach down from rows above."""
    placed: list[Cell | None] = []

    def take_pending() -> None:
        while len(placed) in pending:
            left, cell = pending.pop(len(placed))
            if left > 1:
                later[len(placed)] = (left - 1, cell)
            placed.append(cell)

    later: dict[int, tuple[int, Cell]] = {}
    section = row.getparent()
    is_head = section is not None and section.tag == "thead"
    for element in row.iterchildren("td", "th"):
        take_pending()
        cell = Cell(element, text_of(element), is_head or element.tag == "th" or element.get("role") in _HEADER_ROLES)
        down, across = _span(element, "rowspan", MOST_TABLE_ROWS), _span(element, "colspan", MOST_COLUMNS)
        for _ in range(min(across, MOST_COLUMNS - len(placed))):
            if down > 1:
                later[len(placed)] = (down - 1, cell)
            placed.append(cell)
    take_pending()
    for column in sorted(pending):  # cells from above to the right of what this row has
        placed += [None] * (column - len(placed))
        take_pending()
    pending.update(later)
    return placed


def _span(element: HtmlElement, name: str, most: int) -> int:
    text = (element.get(name) or "").strip()
    if not text.isascii() or not text.isdigit():
        return 1
    return most if int(text[:7]) == 0 and name == "rowspan" else max(1, min(int(text[:7]), most))


# Grids made of other elements, by their roles
def _grid_rows(grid: HtmlElement) -> Iterator[Row]:
    """Yield rows of a grid. Parts of a row in several containers, such as fixed columns, are joined by its index."""
    by_index: dict[str, dict[int, Cell]] = {}
    order: list[str] = []
    for number, row in enumerate(grid.xpath(".//*[@role='row'] | .//tr[not(@role)]")):
        if number >= MOST_TABLE_ROWS:
            break
        key = row.get("aria-rowindex") or row.get("row-index") or f"#{number}"
        if key not in by_index:
            order.append(key)
        _add_cells(by_index.setdefault(key, {}), row)
    for key in order:
        cells = by_index[key]
        if cells:
            yield tuple(cells.get(column) for column in range(min(max(cells) + 1, MOST_COLUMNS)))


def _add_cells(cells: dict[int, Cell], row: HtmlElement) -> None:
    for element in row.xpath(".//*[@role='cell' or @role='gridcell' or @role='columnheader' or @role='rowheader']"):
        index = element.get("aria-colindex") or ""
        column = int(index[:4]) - 1 if index.isascii() and index.isdigit() and int(index[:4]) > 0 else len(cells)
        while column in cells and not index:
            column += 1
        cells.setdefault(column, Cell(element, text_of(element), element.get("role") in _HEADER_ROLES))


def _definitions(element: HtmlElement) -> Table | None:
    """Read a definition list: terms are headers, and what is said of them is one row."""
    pairs: list[tuple[HtmlElement, HtmlElement]] = []
    term: HtmlElement | None = None
    for child in element.xpath("./dt | ./dd | ./div/dt | ./div/dd"):
        if child.tag == "dt":
            term = child
        elif term is not None:
            pairs.append((term, child))
    terms = [text_of(term)[:LONGEST_HEADER] for term, _ in pairs]
    if not pairs:
        return None
    values = [Cell(definition, text_of(definition), False) for _, definition in pairs]
    if len(set(terms)) == len(terms):
        return Table(element, tuple(terms), (tuple(values),))
    named = (Cell(term, text_of(term), False) for term, _ in pairs)
    return Table(element, ("Term", "Definition"), tuple(zip(named, values, strict=True)))


# Tables in parts
def _joined(tables: list[Table]) -> list[Table]:
    """Join a table of headers with the table of rows after it: libraries divide one that scrolls in this way."""
    joined: list[Table] = []
    for table in tables:
        last = joined[-1] if joined else None
        if last and not last.rows and table.is_guessed and _has_same_width(last, table):
            rows = (*_first_row(table), *table.rows)
            headers = last.headers[: len(table.headers)]
            joined[-1] = Table(table.element, headers, rows, last.caption or table.caption)
        else:
            joined.append(table)
    return joined


def _has_same_width(head: Table, body: Table) -> bool:
    # The headers may have a further cell, above the scroll bar.
    return len(head.headers) - len(body.headers) in (0, 1) and any(head.headers)


def _first_row(table: Table) -> tuple[Row, ...]:
    """Return the row that was guessed to be one of headers."""
    if table.headers and table.headers[0] == "Column 1":
        return ()
    first = next(iter(_table_rows(table.element)), None)
    return () if first is None else (first,)


# Matching of headers
def _plain(header: str) -> str:
    return "".join(each for each in header.casefold() if each.isalnum()) or header.strip().casefold()


def _column(own: list[str], wanted: str) -> int | None:
    """Return the column with a header: the same text before one that ends or begins with it."""
    for matches in (str.__eq__, str.endswith, str.startswith):
        found = [index for index, header in enumerate(own) if header and matches(header, wanted)]
        if len(found) == 1 or (found and matches is str.__eq__):
            return found[0]
    return None


def read_table_rows(pages: list[Page], schema: TableSchema) -> RowSet | None:
    """Return the rows of the first table that matches; None if there is none."""
    for page in pages:
        for table in _candidates(page, schema):
            columns = table.columns(schema.headers) if schema.headers else table.all_columns
            if columns is not None:
                names = _unique(schema.headers or tuple(table.headers[index] for index in columns))
                return _rows(page, table, names, columns, dict(schema.kinds))
    return None


def _candidates(page: Page, schema: TableSchema) -> list[Table]:
    """Return tables, that with the fewest other columns first: one that holds others repeats their headers."""
    if schema.selector:
        read = (read_table(element) for element in page.select(schema.selector))
        tables = [table for table in read if table is not None]
        # A table that is divided into several is found as a whole.
        whole = [table for table in tables_in(page) if any(table.element is each.element for each in tables)]
        return whole or tables
    return sorted((table for table in tables_in(page) if table.rows), key=lambda table: len(table.headers))


def _unique(names: tuple[str, ...]) -> list[str]:
    """Return names of columns that differ: `Price`, `Price 2`."""
    unique: list[str] = []
    for number, name in enumerate(names, 1):
        plain = name or f"Column {number}"
        same = sum(each == plain or each.startswith(f"{plain} ") for each in unique)
        unique.append(f"{plain} {same + 1}" if plain in unique else plain)
    return unique


def _rows(page: Page, table: Table, names: list[str], columns: list[int], kinds: dict[str, Kind]) -> RowSet:
    rows: list[dict[str, Any]] = [{} for _ in table.rows[:MOST_ROWS]]
    failed: list[tuple[str, int, str]] = []
    for name, index in zip(names, columns, strict=True):
        kind: Kind = kinds.get(name, "text")
        texts = [_text(page, row[index], name, kind) for row in table.rows[:MOST_ROWS]]
        column = Column(kind, [text for text in texts if text], page.language)
        wrong: list[str] = []
        for row, text in zip(rows, texts, strict=True):
            row[name] = None if text is None else column.value(text)
            if text and row[name] is None:
                wrong.append(text)
        if wrong:
            failed.append((name, len(wrong), wrong[0]))
    claimed = table.claimed if table.claimed > len(table.rows) + MOST_HEADER_ROWS else 0
    is_cut = len(table.rows) > MOST_ROWS or page.is_cut
    return RowSet(tuple(rows), tuple(names), page.origin, (), tuple(failed), is_cut, claimed)


def _text(page: Page, cell: Cell | None, name: str, kind: Kind) -> str | None:
    """Return the text of a cell, or the attribute that a header such as `Name@href` asks for."""
    if cell is None:
        return None
    attribute = name.partition("@")[2]
    if attribute:
        found = (page.attribute(each, attribute) for each in cell.element.iter())
        return next((value for value in found if value), None)
    return page.address(cell.element) if kind == "url" else cell.text
