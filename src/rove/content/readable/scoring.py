"""The main content by scores: attempts that use less and less against elements, and cleaning of what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import TYPE_CHECKING

from rove.content.readable.candidates import (
    BLOCKS,
    HEADINGS,
    PLACEHOLDER,
    SHARING,
    VIDEO,
    Attempt,
    Candidates,
    class_weight,
    density_of,
    divide_at_breaks,
    has_ancestor,
    length_of,
    link_density,
    text_of,
)

if TYPE_CHECKING:
    from lxml.html import HtmlElement

ALWAYS = frozenset(["object", "embed", "footer", "link", "aside", "input", "textarea", "select", "button"])
TEXT_TAGS = (*BLOCKS, "span", "li", "td")
LONGEST_SHARING = 500
WHOLLY_LINKED = 0.6
DATA_TAGS = ("col", "colgroup", "tfoot", "thead", "th")
ENOUGH = 500
ATTEMPTS = (
    Attempt(),
    Attempt(drops_beside=False),
    Attempt(drops_beside=False, weighs_classes=False),
    Attempt(drops_beside=False, weighs_classes=False, cleans=False),
)


def clean_content(content: HtmlElement, attempt: Attempt) -> None:
    """Remove what does not belong to the content."""
    data = {table for table in content.iter("table") if _is_data(table)}
    cleaner = _Cleaner(data, attempt)
    cleaner.clean(content, "form", "fieldset")
    _drop(each for each in content.iter(*ALWAYS))
    _drop_sharing(content)
    _drop(each for each in content.iter("iframe") if not _is_video(each))
    _drop(each for each in content.iter("h1", "h2") if attempt.weighs_classes and class_weight(each) < 0)
    cleaner.clean(content, "table", "ul", "div")
    _drop(each for each in content.iter("p") if not each.text_content().strip() and each.find(".//img") is None)


def _drop(elements: Iterable[HtmlElement]) -> None:
    for element in list(elements):
        if element.getparent() is not None:
            element.drop_tree()


def _drop_sharing(content: HtmlElement) -> None:
    for element in list(content.iterdescendants()):
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        if SHARING.search(names) and len(element.text_content()) < LONGEST_SHARING and element.getparent() is not None:
            element.drop_tree()


def _is_video(element: HtmlElement) -> bool:
    return any(VIDEO.search(value) for value in element.attrib.values())


def _is_data(table: HtmlElement) -> bool:
    """Return whether a table holds data, not the layout of a page."""
    if table.get("role") == "presentation" or table.get("datatable") == "0":
        return False
    if table.get("summary"):
        return True
    caption = table.find("caption")
    if caption is not None and len(caption):
        return True
    if next(table.iterdescendants(*DATA_TAGS), None) is not None:
        return True
    if table.find(".//table") is not None:
        return False
    rows = list(table.iter("tr"))
    columns = max((sum(_span(cell) for cell in row.iterchildren("td")) for row in rows), default=0)
    if columns <= 1 or len(rows) <= 1:
        return False
    return len(rows) >= 10 or columns > 4 or len(rows) * columns > 10


def _span(cell: HtmlElement) -> int:
    digits = cell.get("colspan") or "1"
    return min(int(digits), 100) if digits.isascii() and digits.isdigit() else 1


class _Cleaner:
    """Removes elements that look like something else than content."""

    def __init__(self, data: set[HtmlElement], attempt: Attempt) -> None:
        self._data = data
        self._attempt = attempt

    def clean(self, content: HtmlElement, *tags: str) -> None:
        if not self._attempt.cleans:
            return
        for tag in tags:
            # Inner ones first, so that what is around them is judged without them.
            for element in reversed(list(content.iterdescendants(tag))):
                if not self._is_kept(element) and self._is_removed(element):
                    element.drop_tree()

    def _is_kept(self, element: HtmlElement) -> bool:
        if element in self._data or any(ancestor in self._data for ancestor in element.iterancestors("table")):
            return True
        if has_ancestor(element, "code") or any(has_ancestor(element, heading) for heading in HEADINGS):
            return True
        return any(table in self._data for table in element.iterdescendants("table"))

    def _is_removed(self, element: HtmlElement) -> bool:
        weight = class_weight(element) if self._attempt.weighs_classes else 0
        if weight < 0:
            return True
        text = text_of(element)
        if text.count(",") >= 10:
            return False
        frames = list(element.iterdescendants("object", "embed", "iframe"))
        if any(map(_is_video, frames)):
            return False
        if PLACEHOLDER.fullmatch(text):
            return True
        return _looks_odd(element, text, weight, len(frames)) and not _is_gallery(element)


def _looks_odd(element: HtmlElement, text: str, weight: int, frames: int) -> bool:
    paragraphs, images = _count(element, "p"), _count(element, "img")
    is_list, is_figure = _is_list(element, len(text)), has_ancestor(element, "figure")
    linked = link_density(element) - _linked_in_headings(element, len(text))
    if images > 1 and paragraphs / images < 0.5 and not is_figure:
        return True
    if not is_list and _count(element, "li") - 100 > paragraphs:
        return True
    if _count(element, "input") > paragraphs // 3:
        return True
    if not is_list and not is_figure and len(text) < 25 and (images == 0 or images > 2) and linked > 0:
        return density_of(element, HEADINGS) < 0.9
    if (not is_list and weight < 25 and linked > 0.2) or (weight >= 25 and linked > 0.5):
        return True
    if frames > 1 or (frames == 1 and len(text) < 75):
        return True
    return images == 0 and density_of(element, TEXT_TAGS) == 0


def _linked_in_headings(element: HtmlElement, length: int) -> float:
    """Return the share of text that is linked in headings of which a part is not: signatures link the names of types.

    A heading that is one link stands above the preview of another page.
    """
    headings = [each for each in element.iterdescendants(*HEADINGS - {"h1"}) if link_density(each) < WHOLLY_LINKED]
    return sum(link_density(each) * length_of(each) for each in headings) / max(1, length)


def _count(element: HtmlElement, tag: str) -> int:
    return sum(1 for _ in element.iterdescendants(tag))


def _is_list(element: HtmlElement, length: int) -> bool:
    if element.tag in ("ul", "ol"):
        return True
    inside = sum(length_of(each) for each in element.iterdescendants("ul", "ol"))
    return length > 0 and inside / length > 0.9


def _is_gallery(element: HtmlElement) -> bool:
    """Return whether an element is a list of one image in each item."""
    if element.tag not in ("ul", "ol") or any(len(child) > 1 for child in element):
        return False
    items, images = _count(element, "li"), _count(element, "img")
    return items > 0 and items == images


def find_by_scores(
    body: HtmlElement, title: str, *, drops_byline: bool, confirms: Callable[[str], bool] = lambda _: False
) -> HtmlElement | None:
    """Return the main content of a page in a new element; None if there is no text.

    `confirms` says whether a short text is all of the article.
    """
    divide_at_breaks(body)
    found: list[HtmlElement] = []
    for attempt in ATTEMPTS:
        html = deepcopy(body)
        content = Candidates(html, title, attempt, drops_byline=drops_byline).content()
        clean_content(content, attempt)
        if length_of(content) >= ENOUGH or confirms(content.text_content()):
            return content
        found.append(content)
    longest = max(found, key=length_of)
    return longest if length_of(longest) else None
