"""What a page has to offer as rows: its tables and lists, each with the schema that reads it."""

from __future__ import annotations

from typing import Any

from rove.reading.structured.lists import RepeatedList, lists_in
from rove.reading.structured.page import Page
from rove.reading.structured.paths import unique_selector
from rove.reading.structured.rows import read_rows
from rove.reading.structured.schema import TableSchema, parse_schema
from rove.reading.structured.table_rows import read_table_rows
from rove.reading.structured.tables import Table, tables_in
from rove.validation.record import dataclass

MOST_TABLES = 20
LONGEST_SAMPLE = 80


@dataclass(frozen=True)
class Offer:
    """A table or list: how many rows it has, its first row, and the schema that reads it."""

    kind: str
    rows: int
    schema: dict[str, Any]
    sample: dict[str, Any]
    caption: str = ""
    origin: str = ""


def offers_of(pages: list[Page]) -> list[Offer]:
    """Find the tables and lists of a page."""
    return [offer for page in pages for offer in (*_table_offers(page), *_list_offers(page))]


def _table_offers(page: Page) -> list[Offer]:
    tables = [table for table in tables_in(page) if _is_data(table)]
    return [_table_offer(page, table) for table in tables[:MOST_TABLES]]


def _is_data(table: Table) -> bool:
    """Whether a table holds data rather than arranging a page: more than one column, no table inside."""
    inner = table.element.iterdescendants("table")
    return bool(table.rows) and len(table.headers) > 1 and (not table.is_guessed or next(inner, None) is None)


def _table_offer(page: Page, table: Table) -> Offer:
    selector = unique_selector(page, table.element)
    headers = [table.headers[index] for index in table.all_columns]
    is_clear = all(headers) and len(set(headers)) == len(headers) and not table.is_guessed
    by_headers = {"headers": headers} if is_clear else {}
    schema: dict[str, Any] = {"table": {"selector": selector, **by_headers}}
    parsed = parse_schema(schema)
    assert isinstance(parsed, TableSchema)
    found = read_table_rows([page], parsed)
    kind = "definition list" if table.element.tag == "dl" else "table"
    sample = _shortened(found.rows[0]) if found and found.rows else {}
    return Offer(kind, len(table.rows), schema, sample, table.caption, page.origin)


def _list_offers(page: Page) -> list[Offer]:
    return [_list_offer(page, made) for made in lists_in(page)]


def _list_offer(page: Page, made: RepeatedList) -> Offer:
    schema = {"rows": made.selector, "fields": dict(made.fields)}
    parsed = parse_schema(schema)
    assert not isinstance(parsed, TableSchema)
    found = read_rows([page], parsed)
    return Offer("list", len(found.rows), schema, _shortened(found.rows[0]) if found.rows else {}, "", page.origin)


def _shortened(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value[:LONGEST_SAMPLE] if isinstance(value, str | list) else value for name, value in row.items()}
