"""Measures of elements: how much text they hold, and how much of it is linked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rove.reading.content.vocabulary import LOWERS, RAISES

if TYPE_CHECKING:
    from lxml.html import HtmlElement

WEIGHT = 25
# Links within a page say less against a text than those to others.
LOCAL_LINK_SHARE = 0.3


def text_of(element: HtmlElement) -> str:
    """Return the text of an element, with single spaces."""
    return " ".join(element.text_content().split())


def length_of(element: HtmlElement) -> int:
    return len(text_of(element))


def link_density(element: HtmlElement) -> float:
    """Return the share of an element's text that is linked."""
    length = length_of(element)
    if not length:
        return 0.0
    linked = 0.0
    for link in element.iter("a"):
        is_local = (link.get("href") or "").startswith("#") and len(link.get("href") or "") > 1
        linked += length_of(link) * (LOCAL_LINK_SHARE if is_local else 1)
    return linked / length


def density_of(element: HtmlElement, tags: Iterable[str]) -> float:
    """Return the share of an element's text that is in elements of these tags, each counted by itself."""
    length = length_of(element)
    inside = sum(length_of(each) for each in element.iterdescendants(*tags))
    return inside / length if length else 0.0


def class_weight(element: HtmlElement) -> int:
    """Return what the class and the id of an element say for or against it."""
    weight = 0
    for name in (element.get("class"), element.get("id")):
        if name:
            weight -= WEIGHT if LOWERS.search(name) else 0
            weight += WEIGHT if RAISES.search(name) else 0
    return weight


def has_ancestor(element: HtmlElement, tag: str, levels: int = 3) -> bool:
    """Return whether an element is within one of a tag, at most so many levels and one above it; 0 for any."""
    for level, ancestor in enumerate(element.iterancestors()):
        if levels and level > levels:
            return False
        if ancestor.tag == tag:
            return True
    return False
