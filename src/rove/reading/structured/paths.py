"""Short CSS selectors for elements, in terms that a person would write."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from rove.reading.structured.page import Page

_NAME = re.compile(r"-?[A-Za-z_][\w-]{0,60}")
# Classes that say what state an element is in, or its place among others.
_STATES = frozenset([
    "active", "selected", "hover", "focus", "odd", "even", "first", "last", "current", "open", "visible", "show", "in",
])  # fmt: skip
# Classes that a program made up, which change with each release of a page.
_MADE_UP = re.compile(r"(?i)(?=[a-z_-]*\d)[a-z]{0,6}[-_]?[a-z0-9]{5,}$|^(?:css|sc|jss|emotion)-")
DEEPEST = 8


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
