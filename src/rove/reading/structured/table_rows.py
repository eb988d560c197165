"""Rows of the table whose headers match."""

from __future__ import annotations

from typing import Any

from rove.reading.structured.page import Page
from rove.reading.structured.rows import MOST_ROWS, RowSet
from rove.reading.structured.schema import TableSchema
from rove.reading.structured.tables import Cell, Table, read_table, tables_in
from rove.reading.structured.values import Column, Kind

# Rows that a table may count beside those of data.
MOST_HEADER_ROWS = 3


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
    is_cut = len(table.rows) > MOST_ROWS
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
