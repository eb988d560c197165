"""The main content by scores: attempts that use less and less against elements, until enough is left."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING

from rove.reading.content.candidates import Attempt, Candidates
from rove.reading.content.cleaning import clean_content
from rove.reading.content.measures import length_of
from rove.reading.content.paragraphs import divide_at_breaks

if TYPE_CHECKING:
    from lxml.html import HtmlElement

ENOUGH = 500
ATTEMPTS = (
    Attempt(),
    Attempt(drops_beside=False),
    Attempt(drops_beside=False, weighs_classes=False),
    Attempt(drops_beside=False, weighs_classes=False, cleans=False),
)


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
