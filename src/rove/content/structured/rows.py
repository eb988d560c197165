"""Rows of a page by a schema: CSS selectors, fields, their values as numbers and dates; and rows as CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

from rove.advice import nearest
from rove.content.readable.facts import MONTHS
from rove.content.structured.page import Page, text_of
from rove.errors import InvalidArguments
from rove.records import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

Kind = Literal["text", "number", "integer", "boolean", "date", "url"]
KINDS: tuple[Kind, ...] = ("text", "number", "integer", "boolean", "date", "url")
# Languages in which 1.234 is more than a thousand.
_COMMA_LANGUAGES = frozenset([
    "de", "fr", "es", "it", "pt", "nl", "da", "sv", "nb", "no", "fi", "pl", "cs", "sk", "hu", "ro", "tr", "ru", "uk",
    "el", "id", "vi", "ca", "hr", "sl", "bg",
])  # fmt: skip
# Languages of English in which a date begins with the day.
_DAY_FIRST = ("en-gb", "en-au", "en-ie", "en-nz")
_SPACES = "\u00a0\u202f\u2009' ’"
_NUMBER = re.compile(
    rf"(?<![\w.,])([-+−–(]?\s?)(?:[A-Z]{{2,3}}|[^\w\s.,()+−–-])?\s?((?:\d[\d.,{_SPACES}]*)?\d|[.,]\d+)"
)
_DIGITS = re.compile(r"\d")
_TRUE = frozenset(["true", "yes", "y", "on", "1", "✓", "✔", "☑", "ja", "oui", "sí", "si"])
_FALSE = frozenset(["false", "no", "n", "off", "0", "✗", "✘", "☐", "✕", "×", "nein", "non"])
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?)(Z|[+-]\d{2}:?\d{2})?)?")
_YEAR_FIRST = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_NUMERIC = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})")
_NAMED = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.|er)?\s*(?:de\s+)?([^\W\d]{3,})\.?,?\s*(?:de\s+)?(\d{4})")
_NAMED_FIRST = re.compile(r"(?<![^\W\d])([^\W\d]{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")
MOST_FIELDS = 100
DEEPEST = 6
EXAMPLE = (
    'Write {"rows": ".product", "fields": {"name": "h2", "price": {"selector": ".price", "type": "number"}, '
    '"url": "a@href", "tags": [".tag"]}}, or {"table": {"headers": ["Name", "Price"]}}.'
)
MOST_ROWS = 100_000

# Spreadsheets take a text that begins with one of these for a formula.
_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER_CELL = re.compile(r"[+-]?\d[\d.,\s%]*")


class Column:
    """The values of one field: what is doubtful in one of them is decided by the others, and by the page's language."""

    def __init__(self, kind: Kind, texts: Sequence[str], language: str) -> None:
        self._language = language
        self._decimal = _decimal_mark(texts, language) if kind in ("number", "integer") else "."
        self._day_first = _is_day_first(texts, language) if kind == "date" else None
        readers: dict[Kind, Callable[[str], Any]] = {
            "text": lambda text: text,
            "number": self._number,
            "integer": self._integer,
            "boolean": _boolean,
            "date": self._date,
            "url": lambda text: text or None,
        }
        self._read = readers[kind]

    def value(self, text: str) -> Any:
        """Return the value that a text stands for; None if that is not clear."""
        return self._read(text)

    def _number(self, text: str) -> float | int | None:
        found = list(_NUMBER.finditer(text))
        if len(found) != 1 or _has_suffix(text, found[0]):
            return None
        value = _parsed(found[0][2], self._decimal)
        is_negative = found[0][1].strip() in ("-", "−", "–") or (found[0][1].strip() == "(" and ")" in text)
        if value is None:
            return None
        return -value if is_negative else value

    def _integer(self, text: str) -> int | None:
        value = self._number(text)
        return int(value) if value is not None and value == int(value) else None

    def _date(self, text: str) -> str | None:
        if match := _ISO.search(text):
            day = _day(match[1], match[2], match[3])
            return f"{day}T{match[4]}{match[5] or ''}" if day and match[4] else day
        if match := _YEAR_FIRST.search(text):
            return _day(match[1], match[2], match[3])
        if match := _NUMERIC.search(text):
            return self._numeric_date(match)
        if match := _NAMED.search(text):
            return _day(match[3], MONTHS.get(match[2].lower()), match[1])
        if match := _NAMED_FIRST.search(text):
            return _day(match[3], MONTHS.get(match[1].lower()), match[2])
        return None

    def _numeric_date(self, match: re.Match[str]) -> str | None:
        first, mark, second, year = match.groups()
        if mark == "." or self._day_first:
            return _day(year, second, first)
        return _day(year, first, second) if self._day_first is False else None


def _has_suffix(text: str, match: re.Match[str]) -> bool:
    """Whether letters follow a number that change it, as in 1.2k or 3M; a currency or a word apart do not."""
    after = text[match.end() :]
    letters = re.match(r"[^\W\d_]+", after)
    return letters is not None and len(letters[0]) < 3


def _decimal_mark(texts: Sequence[str], language: str) -> str:
    """Return the mark before decimals: that of a text which leaves no doubt, or the language's."""
    for text in texts:
        for match in _NUMBER.finditer(text):
            if mark := _certain_mark(match[2]):
                return mark
    return "," if language.partition("-")[0] in _COMMA_LANGUAGES and language != "es-mx" else "."


def _certain_mark(number: str) -> str:
    """Return the decimal mark of a number that can be read in one way only."""
    marks = [each for each in number if each in ".,"]
    if not marks:
        return ""
    last, after = marks[-1], len(number) - number.rindex(marks[-1]) - 1
    other = "," if last == "." else "."
    if other in marks:
        return last
    if len(marks) > 1:
        return other  # 1.234.567: the marks divide thousands
    before = _DIGITS.findall(number[: number.index(last)])
    if after != 3 or not before or len(before) > 3 or before == ["0"]:
        return last
    return ""


def _parsed(number: str, decimal: str) -> float | int | None:
    """Return the value of a number's digits; None if it cannot be given exactly."""
    plain = re.sub(f"[{_SPACES}]", "", number)
    whole, _, fraction = plain.rpartition(decimal) if decimal in plain else (plain, "", "")
    digits = re.sub(r"[.,]", "", whole)
    if decimal in whole or re.search(r"[.,]", fraction):
        # The mark is there twice, so that it divides thousands after all.
        digits, fraction = re.sub(r"[.,]", "", plain), ""
    if fraction:
        return _exact_float(f"{digits or '0'}.{fraction}")
    try:
        return int(digits)
    except ValueError:  # more digits than Python converts
        return None


def _exact_float(text: str) -> float | None:
    """Return a number with a fraction; None if a float has no room for all of its digits."""
    value = float(text)
    return value if Decimal(repr(value)) == Decimal(text) else None


def _boolean(text: str) -> bool | None:
    word = text.strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def _is_day_first(texts: Sequence[str], language: str) -> bool | None:
    """Return whether dates such as 3/4/2025 begin with the day; None if neither they nor the language tell."""
    for text in texts:
        if match := _NUMERIC.search(text):
            if int(match[1]) > 12:
                return True
            if int(match[3]) > 12:
                return False
    if language in ("en-us", "en-ph"):
        return False
    is_day_first = language in _DAY_FIRST or (language and not language.startswith("en"))
    return True if is_day_first else None


def _day(year: str, month: str | int | None, day: str) -> str | None:
    try:
        return date(int(year), int(month or 0), int(day)).isoformat()
    except ValueError:
        return None


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
        return RowSet(rows, names, self._page.origin, missing, failed, len(elements) > MOST_ROWS or self._page.is_cut)

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


def csv_text(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    """Return rows as CSV with a line of headers. Lists and objects are written as JSON."""
    output = io.StringIO()
    writer = csv.writer(output)
    writer.writerow([_cell(name) for name in columns])
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return output.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _harmless(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else _harmless(json.dumps(value, ensure_ascii=False))


def _harmless(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run; numbers stay as they are."""
    is_formula = _FORMULA.match(text.lstrip(" ")) is not None and _NUMBER_CELL.fullmatch(text) is None
    return f"'{text}" if is_formula else text
