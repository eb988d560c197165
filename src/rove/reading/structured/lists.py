"""Lists of a page: elements that repeat, such as cards and items, and the fields that they have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rove.reading.structured.page import Page, text_of
from rove.reading.structured.paths import classes_of, simple_selector, unique_selector
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

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
