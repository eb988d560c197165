"""What a page has to offer as rows: its tables and lists, each with the schema that reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rove.content.structured.page import Page, text_of
from rove.content.structured.rows import TableSchema, parse_schema, read_rows
from rove.content.structured.tables import Table, read_table_rows, tables_in
from rove.records import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_NAME = re.compile(r"-?[A-Za-z_][\w-]{0,60}")
# Classes that say what state an element is in, or its place among others.
_STATES = frozenset([
    "active", "selected", "hover", "focus", "odd", "even", "first", "last", "current", "open", "visible", "show", "in",
])  # fmt: skip
# Classes that a program made up, which change with each release of a page.
_MADE_UP = re.compile(r"(?i)(?=[a-z_-]*\d)[a-z]{0,6}[-_]?[a-z0-9]{5,}$|^(?:css|sc|jss|emotion)-")
DEEPEST = 8
LEAST_ITEMS = 3
MOST_LISTS = 12
MOST_FIELDS = 8
MOST_ELEMENTS = 30_000
# Items that are looked at for fields.
LOOKED_AT = 20
# The share of the items that have a field.
COMMON = 0.6
_TAGS = frozenset(["li", "article", "section", "div", "a", "tr", "p", "figure", "details"])
_SKIPPED = frozenset(["table", "thead", "tbody", "tr", "td", "th", "select", "svg"])
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
MOST_TABLES = 20
LONGEST_SAMPLE = 80


def classes_of(element: HtmlElement) -> list[str]:
    """Return the classes of an element that tell what it is, those that a program made up last."""
    names = [name for name in (element.get("class") or "").split() if _NAME.fullmatch(name)]
    kept = [name for name in names if name.lower() not in _STATES]
    return sorted(dict.fromkeys(kept), key=lambda name: bool(_MADE_UP.search(name)))[:3]


def simple_selector(element: HtmlElement) -> str:
    """Return the tag of an element with its first class."""
    return "".join([str(element.tag), *(f".{name}" for name in classes_of(element)[:1])])


def unique_selector(page: Page, element: HtmlElement) -> str:
    """Return a selector that matches this element alone."""
    name = element.get("id") or ""
    if _NAME.fullmatch(name) and len(page.select(f"#{name}")) == 1:
        return f"#{name}"
    own = "".join([str(element.tag), *(f".{each}" for each in classes_of(element))])
    if page.select(own) == [element]:
        return own
    return _path(page, element)


def _path(page: Page, element: HtmlElement) -> str:
    """Return a path of places among siblings, from the nearest ancestor that needs no further one."""
    parts: list[str] = []
    each: HtmlElement | None = element
    while each is not None and len(parts) < DEEPEST and each.tag != "body":
        name = each.get("id") or ""
        parts.insert(0, f"#{name}" if _NAME.fullmatch(name) and parts else _place(each))
        selector = " > ".join(parts)
        if page.select(selector) == [element]:
            return selector
        each = each.getparent()
    return " > ".join(parts)


def _place(element: HtmlElement) -> str:
    tag = str(element.tag)
    before = sum(1 for _ in element.itersiblings(tag, preceding=True))
    return f"{tag}:nth-of-type({before + 1})"


@dataclass(frozen=True)
class RepeatedList:
    """Elements that repeat: their selector, and selectors of the fields in them by name."""

    selector: str
    items: tuple[HtmlElement, ...]
    fields: tuple[tuple[str, Any], ...]

    @property
    def weight(self) -> int:
        return len(self.items) * max(len(self.fields), 1)


def lists_in(page: Page) -> list[RepeatedList]:
    """Find the lists of a document, those with the most data first; a list inside of another's items is left out."""
    found = [made for items in _groups(page) if (made := _list(page, items)) is not None]
    kept: list[RepeatedList] = []
    for each in sorted(found, key=lambda made: -made.weight):
        if not any(_is_within(each, other) or _is_within(other, each) for other in kept):
            kept.append(each)
    return kept[:MOST_LISTS]


def _groups(page: Page) -> Iterator[list[HtmlElement]]:
    """Yield elements of the same kind whose parents are of the same kind."""
    groups: dict[tuple[str, ...], list[HtmlElement]] = {}
    for number, element in enumerate(page.root.iter(*_TAGS)):
        if number > MOST_ELEMENTS:
            break
        parent = element.getparent()
        if parent is None or parent.tag in _SKIPPED or element.tag in _SKIPPED:
            continue
        key = (str(element.tag), *classes_of(element)[:2], ">", str(parent.tag), *classes_of(parent)[:2])
        groups.setdefault(key, []).append(element)
    yield from (items for items in groups.values() if len(items) >= LEAST_ITEMS)


def _list(page: Page, items: list[HtmlElement]) -> RepeatedList | None:
    """Describe a group of elements; None if they hold no data."""
    if sum(bool(text_of(item)) for item in items[:LOOKED_AT]) < LEAST_ITEMS or _holds_tables(items):
        return None
    selector = _selector(page, items)
    if selector is None:
        return None
    fields = _fields(page, items[:LOOKED_AT])
    is_plain = items[0].tag in ("div", "section", "p", "a") and len(fields) < 2
    return None if is_plain else RepeatedList(selector, tuple(items), fields or (("text", ""),))


def _holds_tables(items: list[HtmlElement]) -> bool:
    return any(next(item.iter("table"), None) is not None for item in items[:LOOKED_AT])


def _selector(page: Page, items: list[HtmlElement]) -> str | None:
    """Return the shortest selector that matches these elements and no others."""
    own, parent = simple_selector(items[0]), items[0].getparent()
    assert parent is not None
    all_classes = "".join([str(items[0].tag), *(f".{name}" for name in classes_of(items[0]))])
    above = simple_selector(parent)
    is_one_parent = all(item.getparent() is parent for item in items)
    options = [own, all_classes, f"{above} > {own}", f"{above} > {all_classes}"]
    if is_one_parent:
        options.append(f"{unique_selector(page, parent)} > {own}")
        options.append(f"{unique_selector(page, parent)} > {all_classes}")
    return next((option for option in options if page.select(option) == items), None)


def _is_within(inner: RepeatedList, outer: RepeatedList) -> bool:
    """Whether the items of one list are parts of the items of another."""
    holders = set(outer.items)
    return all(any(each in holders for each in item.iterancestors()) for item in inner.items[:LOOKED_AT])


def _fields(page: Page, items: list[HtmlElement]) -> tuple[tuple[str, Any], ...]:
    """Return the fields that most items have, each with a selector within the item."""
    counts: dict[str, int] = {}
    several: set[str] = set()
    for item in items:
        for selector in dict.fromkeys(_parts(item)):
            plain = selector.partition("@")[0]
            found = page.select(plain, item) if plain else [item]
            counts[selector] = counts.get(selector, 0) + 1
            if len(found) > 1:
                several.add(selector)
    common = [selector for selector, count in counts.items() if count >= COMMON * len(items)]
    named: dict[str, Any] = {}
    for selector in common[:MOST_FIELDS]:
        named[_unused(_name(selector), named)] = [selector] if selector in several else selector
    return tuple(named.items())


def _parts(item: HtmlElement) -> Iterator[str]:
    """Yield selectors of the parts of an item that hold data: texts, links, pictures, times."""
    if item.tag == "a" and item.get("href"):
        yield "@href"
    for element in item.iterdescendants():
        selector = simple_selector(element)
        if element.tag == "img" and element.get("src"):
            yield f"{selector}@src"
        if element.tag == "time" and element.get("datetime"):
            yield f"{selector}@datetime"
        elif _own_text(element):
            yield selector
        if element.tag == "a" and element.get("href"):
            yield f"{selector}@href"


def _own_text(element: HtmlElement) -> bool:
    texts = [element.text, *(child.tail for child in element.iterchildren())]
    return any(text and any(each.isalnum() for each in text) for text in texts)


def _name(selector: str) -> str:
    """Return a name for a field: `.product-title` is `title`."""
    plain, _, attribute = selector.partition("@")
    tag, _, name = plain.partition(".")
    if attribute:
        return {"href": "url", "src": "image", "datetime": "date"}[attribute]
    words: list[str] = _WORD.findall(name.replace("_", " ").lower())
    if words:
        return words[-1]
    return {"a": "link", "h1": "title", "h2": "title", "h3": "title", "h4": "title", "p": "text"}.get(
        tag, tag or "text"
    )


def _unused(name: str, used: dict[str, Any]) -> str:
    number = 1
    while (wanted := name if number == 1 else f"{name}_{number}") in used:
        number += 1
    return wanted


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
