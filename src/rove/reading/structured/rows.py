"""Rows of a page by CSS selectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rove.reading.structured.page import Page, text_of
from rove.reading.structured.schema import Field, RowSchema
from rove.reading.structured.values import Column
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MOST_ROWS = 100_000
Fields = tuple[tuple[str, Field], ...]


@dataclass(frozen=True)
class RowSet:
    """Rows, and what the caller should know of them: fields that were found nowhere, or could not be converted."""

    rows: tuple[dict[str, Any], ...]
    columns: tuple[str, ...]
    origin: str = ""
    missing: tuple[str, ...] = ()
    # By field, how many values are not of its type, and the first of them.
    unconverted: tuple[tuple[str, int, str], ...] = ()
    is_cut: bool = False
    # How many rows a table says that it has, where more than the page holds.
    claimed: int = 0


class RowReader:
    """Reads the rows of one document. Doubtful values are decided after all texts of their field are known."""

    def __init__(self, page: Page, schema: RowSchema) -> None:
        self._page = page
        self._schema = schema
        self._texts: dict[str, list[str]] = {}
        self._columns: dict[str, Column] = {}
        self._failed: dict[str, list[str]] = {}

    def read(self) -> RowSet:
        """Return the rows; none if no element matches."""
        elements = self._page.select(self._schema.rows) if self._schema.rows else [self._page.root]
        raw = [self._row(element, self._schema.fields, "") for element in elements[:MOST_ROWS]]
        rows = tuple(self._converted(row, self._schema.fields, "") for row in raw)
        names = tuple(name for name, _ in self._schema.fields)
        found = {name for row in rows for name in names if row[name] not in (None, [])}
        failed = tuple((name, len(texts), texts[0]) for name, texts in self._failed.items())
        missing = tuple(name for name in names if name not in found and name not in self._failed)
        return RowSet(rows, names, self._page.origin, missing, failed, len(elements) > MOST_ROWS)

    def _row(self, element: HtmlElement, fields: Fields, path: str) -> dict[str, Any]:
        return {name: self._raw(element, field, f"{path}{name}") for name, field in fields}

    def _raw(self, element: HtmlElement, field: Field, path: str) -> Any:
        """Return the texts of a field, or the rows in it."""
        found = self._page.select(field.selector, element) if field.selector else [element]
        chosen = found if field.is_list else found[:1]
        if field.fields:
            values: list[Any] = [self._row(each, field.fields, f"{path}.") for each in chosen]
        else:
            values = [text for each in chosen if (text := self._text(each, field)) is not None]
            self._texts.setdefault(path, []).extend(values)
        return values if field.is_list else values[0] if values else None

    def _text(self, element: HtmlElement, field: Field) -> str | None:
        if field.kind == "boolean" and field.attribute and field.attribute in element.attrib:
            return self._page.attribute(element, field.attribute) or "true"
        if field.attribute:
            return self._page.attribute(element, field.attribute)
        if field.kind == "url":
            return self._page.address(element)
        if field.kind == "date" and element.get("datetime"):
            return str(element.get("datetime"))
        return text_of(element)

    def _converted(self, row: dict[str, Any], fields: Fields, path: str) -> dict[str, Any]:
        return {name: self._value(row[name], field, f"{path}{name}") for name, field in fields}

    def _value(self, raw: Any, field: Field, path: str) -> Any:
        if isinstance(raw, list):
            return [self._value(each, field, path) for each in raw]
        if isinstance(raw, dict):
            return self._converted(raw, field.fields, f"{path}.")
        if raw is None:
            return None
        column = self._columns.get(path)
        if column is None:
            column = self._columns[path] = Column(field.kind, self._texts.get(path, []), self._page.language)
        value = column.value(raw)
        if value is None and raw:
            self._failed.setdefault(path, []).append(raw)
        return value


def read_rows(pages: list[Page], schema: RowSchema) -> RowSet:
    """Return the rows of the first document that has some: the page itself before its frames."""
    sets = _row_sets(pages, schema)
    first = next(sets)
    return first if first.rows else next((each for each in sets if each.rows), first)


def _row_sets(pages: list[Page], schema: RowSchema) -> Iterator[RowSet]:
    return (RowReader(page, schema).read() for page in pages)
