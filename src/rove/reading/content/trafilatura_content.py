"""The main content as trafilatura finds it."""

from __future__ import annotations

import logging
from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Its time grows faster than the document.
MOST_ELEMENTS = 15_000
# Its names of elements, which are those of TEI, in HTML.
TAGS = {
    "head": "h2",
    "list": "ul",
    "item": "li",
    "quote": "blockquote",
    "hi": "span",
    "ref": "a",
    "graphic": "img",
    "lb": "br",
    "row": "tr",
    "cell": "td",
}
STYLES = {"#b": "b", "#i": "i", "#t": "tt", "#sub": "sub", "#sup": "sup"}
logger = logging.getLogger(__name__)


def find_by_trafilatura(document: HtmlElement, *, is_whole: bool) -> HtmlElement | None:
    """Return the main content, with links and images if it is to be whole; None if none was found."""
    if sum(1 for _ in document.iter()) > MOST_ELEMENTS:
        return None
    from trafilatura import bare_extraction

    # It warns of each page in which it finds nothing.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        found = bare_extraction(
            deepcopy(document),
            include_comments=False,
            include_links=is_whole,
            include_images=is_whole,
            include_formatting=is_whole,
        )
    # Pages can be such that it fails; what was found by scores is used then.
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        logger.debug("trafilatura failed: %r", error)
        return None
    body = getattr(found, "body", None)
    return _as_html(body) if body is not None else None


def _as_html(body: Any) -> HtmlElement:
    """Return content that trafilatura found with the elements of HTML."""
    for element in body.iter():
        if isinstance(element.tag, str):
            _rename(element)
    content: HtmlElement = body
    return content


def _rename(element: Any) -> None:
    rendition = element.get("rend") or ""
    if element.tag == "ref":
        element.set("href", element.get("target") or "")
    if element.tag == "head" and rendition in ("h1", "h2", "h3", "h4", "h5", "h6"):
        element.tag = rendition
    elif element.tag == "list" and rendition == "ol":
        element.tag = "ol"
    elif element.tag == "code" and "\n" in "".join(element.itertext()):
        element.tag = "pre"
    elif element.tag == "hi":
        element.tag = STYLES.get(rendition, "span")
    elif element.tag in TAGS:
        # Any other keeps its name: lxml reads names that it does not let be set, such as that of `<a'>`.
        element.tag = TAGS[element.tag]
