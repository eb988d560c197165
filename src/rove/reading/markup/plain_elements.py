"""Elements as the ones that finders of content know, so that what they hold is not taken for a part of a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

RENAMED = {"output": "span", "center": "div", "search": "div", "menu": "ul", "dir": "ul"}
# Where a button may stand in a sentence, and how many characters that takes beside it.
_OF_SENTENCES = frozenset(["p", "li", "dd", "td", "span", "em", "strong", "b", "i", "blockquote", "figcaption"])
SHORTEST_SENTENCE = 15
# They say what a program cannot see, or what the browser has already decided for a rendered page.
_HIDING = ("aria-hidden", "hidden", "inert")


def make_plain(body: HtmlElement) -> None:
    """Rename elements that only few pages use, buttons within sentences, and groups of fields outside of forms."""
    for element in body.iter(*RENAMED):
        element.tag = RENAMED[str(element.tag)]
    for button in list(body.iter("button")):
        if _is_in_sentence(button):
            button.tag = "span"
    for fields in list(body.iter("fieldset")):
        if next(fields.iterancestors("form"), None) is None:
            fields.tag = "div"


def forget_hiding(body: HtmlElement) -> None:
    """Remove the attributes that hide elements from a rendered page, which holds only what a person sees."""
    for element in body.iter():
        for name in _HIDING:
            element.attrib.pop(name, None)


def _is_in_sentence(button: HtmlElement) -> bool:
    parent = button.getparent()
    if parent is None or parent.tag not in _OF_SENTENCES:
        return False
    beside = [parent.text, *(child.tail for child in parent)]
    return sum(len((text or "").strip()) for text in beside) >= SHORTEST_SENTENCE
