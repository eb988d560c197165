"""Text that stands in divisions and between line breaks, put into paragraphs, so that it can be scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.reading.content.measures import link_density

if TYPE_CHECKING:
    from lxml.html import HtmlElement

PHRASING = frozenset(
    [
        "abbr",
        "audio",
        "b",
        "bdo",
        "br",
        "button",
        "cite",
        "code",
        "data",
        "datalist",
        "dfn",
        "em",
        "embed",
        "i",
        "img",
        "input",
        "kbd",
        "label",
        "mark",
        "math",
        "meter",
        "noscript",
        "object",
        "output",
        "progress",
        "q",
        "ruby",
        "samp",
        "script",
        "select",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "textarea",
        "time",
        "var",
        "wbr",
    ]
)
TRANSPARENT = frozenset(("a", "del", "ins"))
MOST_LINKED = 0.25


def is_phrasing(element: HtmlElement) -> bool:
    """Return whether an element is a part of a line of text."""
    return element.tag in PHRASING or (element.tag in TRANSPARENT and all(map(is_phrasing, element)))


def divide_at_breaks(root: HtmlElement) -> None:
    """Put what follows two line breaks or more into a paragraph."""
    # In the order of the document: the result must not depend on the order of a set.
    for parent in dict.fromkeys([br.getparent() for br in root.iter("br")]):
        if parent is not None:
            _divide(parent)


def _divide(parent: HtmlElement) -> None:
    # Goes from sibling to sibling: positions would be counted anew at each step.
    paragraph: HtmlElement | None = None
    child = next(iter(parent), None)
    while child is not None:
        following = child.getnext()
        if _begins_chain(child):
            paragraph = _replace_chain(child)
            following = paragraph.getnext()
        elif paragraph is not None and is_phrasing(child):
            paragraph.append(child)
        else:
            paragraph = None
        child = following
    if parent.tag == "p" and any(child.tag == "p" for child in parent):
        parent.tag = "div"


def _begins_chain(element: HtmlElement) -> bool:
    following = element.getnext()
    return element.tag == "br" and not (element.tail or "").strip() and following is not None and following.tag == "br"


def _replace_chain(first: HtmlElement) -> HtmlElement:
    """Replace line breaks in a row with a new paragraph that begins with the text after them."""
    paragraph = first.makeelement("p")
    first.addprevious(paragraph)
    tail = ""
    element: HtmlElement | None = first
    while element is not None and element.tag == "br" and not tail.strip():
        following = element.getnext()
        tail, element.tail = element.tail or "", None
        paragraph.getparent().remove(element)  # type: ignore[union-attr]
        element = following
    paragraph.text = tail
    return paragraph


def wrap_text(division: HtmlElement) -> None:
    """Put the text that stands beside blocks in a division into paragraphs."""
    child = next(iter(division), None)
    paragraph = _paragraph_of(division, division.text)
    if paragraph is not None:
        division.text = None
        division.insert(0, paragraph)
    while child is not None:
        following = child.getnext()
        paragraph = _wrap(child, paragraph)
        child = following


def _wrap(child: HtmlElement, paragraph: HtmlElement | None) -> HtmlElement | None:
    """Put a child into the paragraph before it if it is a part of a line; return the paragraph that goes on."""
    if is_phrasing(child):
        if paragraph is None and not _is_blank(child):
            paragraph = child.makeelement("p")
            child.addprevious(paragraph)
        if paragraph is not None:
            paragraph.append(child)
        return paragraph
    following = _paragraph_of(child, child.tail)
    if following is not None:
        child.tail = None
        child.addnext(following)
    return following


def _paragraph_of(division: HtmlElement, text: str | None) -> HtmlElement | None:
    if not (text or "").strip():
        return None
    paragraph = division.makeelement("p")
    paragraph.text = text
    return paragraph


def _is_blank(element: HtmlElement) -> bool:
    return element.tag == "br" and not (element.tail or "").strip()


def only_paragraph(division: HtmlElement) -> HtmlElement | None:
    """Return the paragraph that is all that a division holds, unless most of it is links."""
    if len(division) != 1 or division[0].tag != "p":
        return None
    if (division.text or "").strip() or (division[0].tail or "").strip():
        return None
    return division[0] if link_density(division) < MOST_LINKED else None
