"""The schema of rows: which elements are rows, and where in each of them the fields are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn, cast

from rove.errors import InvalidArguments
from rove.reading.structured.values import KINDS, Kind
from rove.validation.record import dataclass
from rove.validation.spelling import nearest

MOST_FIELDS = 100
DEEPEST = 6
EXAMPLE = (
    'Write {"rows": ".product", "fields": {"name": "h2", "price": {"selector": ".price", "type": "number"}, '
    '"url": "a@href", "tags": [".tag"]}}, or {"table": {"headers": ["Name", "Price"]}}.'
)


@dataclass(frozen=True)
class Field:
    """Where a value is in a row. With `fields`, it is an object, or several if `is_list`."""

    selector: str = ""
    attribute: str = ""
    kind: Kind = "text"
    is_list: bool = False
    fields: tuple[tuple[str, Field], ...] = ()


@dataclass(frozen=True)
class RowSchema:
    """Rows by CSS selectors. Without a selector of rows, the page is one row."""

    rows: str
    fields: tuple[tuple[str, Field], ...]


@dataclass(frozen=True)
class TableSchema:
    """Rows of the table with these headers, or of the one that a selector means; all columns if none is named."""

    selector: str
    headers: tuple[str, ...]
    kinds: tuple[tuple[str, Kind], ...]


def parse_schema(schema: Mapping[str, Any]) -> RowSchema | TableSchema:
    """Read a schema that a caller has written. Raises InvalidArguments."""
    _known(schema, ("rows", "fields", "table"), "")
    if "table" in schema:
        if len(schema) > 1:
            _wrong("`table` stands alone: rows of a table are found by its headers")
        return _table(schema["table"])
    if "fields" not in schema:
        _wrong("`fields` is missing")
    return RowSchema(_text(schema.get("rows", ""), "rows"), _fields(schema["fields"], "fields", 0))


def _fields(value: Any, where: str, depth: int) -> tuple[tuple[str, Field], ...]:
    if not isinstance(value, dict) or not value:
        _wrong(f"`{where}` must be an object of names and selectors")
    if len(value) > MOST_FIELDS or depth > DEEPEST:
        _wrong(f"`{where}` has too many fields, or they are nested too deeply")
    given = cast("dict[str, Any]", value)
    return tuple((str(name), _field(each, f"{where}.{name}", depth)) for name, each in given.items())


def _field(value: Any, where: str, depth: int) -> Field:
    if isinstance(value, str):
        return Field(*_divided(value))
    if isinstance(value, list):
        if len(value) != 1:
            _wrong(f"`{where}`: a list holds one selector, that of each of its values")
        one = _field(value[0], where, depth)
        return Field(one.selector, one.attribute, one.kind, True, one.fields)
    if not isinstance(value, dict):
        _wrong(f"`{where}` must be a selector, a list of one, or an object with `selector`")
    return _described(cast("dict[str, Any]", value), where, depth)


def _described(value: dict[str, Any], where: str, depth: int) -> Field:
    _known(value, ("selector", "attribute", "type", "all", "fields"), where)
    selector, attribute = _divided(_text(value.get("selector", ""), f"{where}.selector"))
    attribute = _text(value.get("attribute", attribute), f"{where}.attribute")
    fields = _fields(value["fields"], f"{where}.fields", depth + 1) if "fields" in value else ()
    return Field(selector, attribute, _kind(value.get("type", "text"), where), bool(value.get("all", False)), fields)


def _table(value: Any) -> TableSchema:
    if isinstance(value, list):
        value = {"headers": value}
    if isinstance(value, str):
        value = {"selector": value}
    if not isinstance(value, dict):
        _wrong("`table` must be an object with `headers`, `selector` or both")
    given = cast("dict[str, Any]", value)
    _known(given, ("headers", "selector", "types"), "table")
    headers = given.get("headers", [])
    if not isinstance(headers, list) or not (headers or given.get("selector")):
        _wrong("`table` needs `headers`, a list of texts, or `selector`")
    types = given.get("types", {})
    if not isinstance(types, dict):
        _wrong("`table.types` must be an object of headers and types")
    kinds: tuple[tuple[str, Kind], ...] = tuple(
        (str(name), _kind(kind, f"table.types.{name}")) for name, kind in types.items()
    )
    return TableSchema(_text(given.get("selector", ""), "table.selector"), tuple(map(str, headers)), kinds)


def _divided(selector: str) -> tuple[str, str]:
    """Divide `a@href` into selector and attribute. An @ inside of brackets or quotes belongs to the selector."""
    before, mark, name = selector.rpartition("@")
    is_attribute = mark and name.strip() and not set(name) & set("]\"')")
    return (before.strip(), name.strip().lower()) if is_attribute else (selector.strip(), "")


def _kind(value: Any, where: str) -> Kind:
    if value not in KINDS:
        _wrong(f"`{where}`: the type {value!r} is unknown; there are {', '.join(KINDS)}")
    kind: Kind = value
    return kind


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        _wrong(f"`{where}` must be a text, not {json.dumps(value)[:80]}")
    return value.strip()


def _known(value: Mapping[str, Any], names: tuple[str, ...], where: str) -> None:
    for name in value:
        if name not in names:
            meant = nearest(name, names)
            guess = f"; did you mean `{meant}`?" if meant else f"; there are {', '.join(names)}"
            _wrong(f"`{f'{where}.' if where else ''}{name}` is unknown{guess}")


def _wrong(why: str) -> NoReturn:
    raise InvalidArguments(f"`schema`: {why}.", hint=EXAMPLE)
