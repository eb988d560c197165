"""The element that a page itself marks as its main content, which no text outside of it replaces."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from typing import TYPE_CHECKING

from rove.reading.blocks import Blocks
from rove.reading.content.consensus import size_of, words_in, words_of
from rove.reading.content.measures import link_density, text_of
from rove.reading.content.vocabulary import BESIDE_ROLES

if TYPE_CHECKING:
    from lxml.html import HtmlElement

BESIDE_TAGS = ("nav", "aside", "footer", "dialog")
# An element with less text than this is the content as a whole.
SHORT = 500
# With more of its text linked, an element is a list of other pages.
MOST_LINKED = 0.5
# The share of a text's words that must be in the marked element, so that the text counts as a part of it.
INSIDE = 0.7


def find_main_element(body: HtmlElement) -> HtmlElement | None:
    """Return a copy of the element that the page marks as its main content, without menus and the like.

    That is its only `main`, or without one, the only `article`, which has to hold the page's heading: previews of
    other articles are marked so too.
    """
    marked = _outermost([each for each in body.iter() if each.tag == "main" or each.get("role") == "main"])
    if not marked:
        articles = _outermost(list(body.iter("article")))
        marked = [each for each in articles if each.find(".//h1") is not None] if len(articles) == 1 else []
    if len(marked) != 1:
        return None
    main = _without_beside(marked[0])
    return main if text_of(main) else None


def replaces(main: HtmlElement, chosen: Blocks) -> bool:
    """Return whether the marked element as a whole is the content, instead of the text that was chosen."""
    if link_density(main) > MOST_LINKED:
        return False
    return size_of(text_of(main)) < SHORT or not _is_inside(words_in(chosen), words_of(main.text_content()))


def _outermost(elements: list[HtmlElement]) -> list[HtmlElement]:
    known = set(elements)
    return [each for each in elements if known.isdisjoint(each.iterancestors())]


def _without_beside(marked: HtmlElement) -> HtmlElement:
    main = deepcopy(marked)
    main.tail = None
    for element in list(main.iterdescendants()):
        if element.tag in BESIDE_TAGS or element.get("role") in BESIDE_ROLES:
            element.drop_tree()
    return main


def _is_inside(words: Counter[str], around: Counter[str]) -> bool:
    return sum((words & around).values()) >= INSIDE * words.total()
