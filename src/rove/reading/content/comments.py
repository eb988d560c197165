"""Comments of readers below an article, which may be longer than it and in elements whose names do not tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from rove.reading.content.consensus import size_of
from rove.reading.content.measures import text_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# What a control says that answers a comment, in many languages.
REPLY = re.compile(
    r"[\W\d]*(?:reply|antworten?|répondre|responder|rispondi|beantwoorden|svara?|svar|odpowiedz|odpovědět|ответить|yanıtla"
    r"|trả lời|balas|رد|השב|回复|回覆|返信|답글|답장)[\W\d]*",
    re.IGNORECASE,
)
CONTROLS = ("a", "button")
# A control with more elements in it is not read: elements in elements would be read again and again.
MOST_INSIDE = 8
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
ANSWER = re.compile("answer", re.IGNORECASE)
FEWEST = 2
# Characters of text without links that stand between the title and the comments of an article, at least. In a forum,
# the first post can be answered like all others.
ARTICLE = 500


def without_comments(document: HtmlElement) -> HtmlElement:
    """Return the document, or a copy without the comments if there are some below an article."""
    if not _comments_in(document):
        return document
    copy = deepcopy(document)
    for comment in _comments_in(copy):
        _drop_heading(comment.getprevious())
        comment.drop_tree()
    return copy


def _comments_in(document: HtmlElement) -> list[HtmlElement]:
    """Return the elements that each hold a comment and the answers to it."""
    marks = [each for each in document.iter() if _is_mark(each)]
    around = _around(marks)
    if around is None:
        return []
    paths = {each for mark in marks for each in (mark, *mark.iterancestors())}
    comments = [child for child in around if child in paths]
    if len(comments) < FEWEST or any(map(_is_answer, comments)):
        return []
    return comments if _length_before(document, comments[0]) >= ARTICLE else []


def _is_mark(element: HtmlElement) -> bool:
    """Return whether an element is a control that answers a comment, or is said to be a comment."""
    if (element.get("itemtype") or "").endswith("schema.org/Comment"):
        return True
    is_control = element.tag in CONTROLS or element.get("role") == "button"
    if not is_control or next(islice(element.iterdescendants(), MOST_INSIDE, None), None) is not None:
        return False
    return REPLY.fullmatch(text_of(element)) is not None


def _is_answer(element: HtmlElement) -> bool:
    """Return whether an element is an answer to the question of a page, which is content."""
    return any(ANSWER.search(element.get(name) or "") for name in ("class", "id", "itemprop", "itemtype"))


def _around(elements: list[HtmlElement]) -> HtmlElement | None:
    """Return the innermost element around all."""
    if len(elements) < FEWEST:
        return None
    common = set(elements[0].iterancestors())
    for element in elements[1:]:
        common.intersection_update(element.iterancestors())
    return next((each for each in elements[0].iterancestors() if each in common), None)


def _length_before(document: HtmlElement, comment: HtmlElement) -> int:
    """Return how much text without links stands between the page's heading and an element."""
    ancestors = set(comment.iterancestors())
    before = list(takewhile(lambda each: each is not comment, document.iter()))
    start = _heading_in(before)
    return 0 if start is None else sum(size_of(text) for text in _texts(before[start:], ancestors))


def _heading_in(elements: list[HtmlElement]) -> int | None:
    """Return the position of the first heading of the highest level."""
    positions = [number for number, each in enumerate(elements) if each.tag in HEADINGS]
    return min(positions, key=lambda number: (elements[number].tag != "h1", number), default=None)


def _texts(elements: list[HtmlElement], ancestors: set[HtmlElement]) -> Iterator[str]:
    for element in elements:
        if element.tag not in CONTROLS:
            yield " ".join((element.text or "").split())
        if element not in ancestors:
            yield " ".join((element.tail or "").split())


def _drop_heading(element: HtmlElement | None) -> None:
    if element is not None and element.tag in HEADINGS:
        element.drop_tree()
