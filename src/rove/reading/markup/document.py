"""HTML parsed into a tree of bounded size and depth, without what is never text."""

from __future__ import annotations

import re
from itertools import dropwhile, islice
from typing import TYPE_CHECKING

from rove.validation.record import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MOST_CHARACTERS = 2_000_000
MOST_ELEMENTS = 40_000
# Deeper elements are dissolved into those around them: no code that walks the tree needs to mind the stack.
DEEPEST = 150
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]{0,50})[^<>]*>")
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_OF_HEAD = frozenset(["title", "meta", "link", "script", "style", "base", "noscript", "template"])
# The HTML elements that end a drawing in which they are written.
_HTML_IN_DRAWINGS = """
    b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta
    nobr ol p pre ruby s small span strong strike sub sup table tt u ul var
"""
_ENDS_DRAWING = frozenset(_HTML_IN_DRAWINGS.split())
# libxml2 stops at these characters, or does not accept them.
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
LONGEST_JSON_LD = 200_000


@dataclass(frozen=True)
class Document:
    """The root of a parsed document, and whether the HTML has more than was parsed."""

    root: HtmlElement
    is_cut: bool


def parse_document(html: str) -> Document:
    """Parse HTML. Any text gives a document; its size and its depth are limited."""
    source = _CONTROL.sub("", _without(_without(_without(html, "script"), "template"), "noscript"))
    kept = source[:MOST_CHARACTERS]
    parsed = _parse(kept)
    if _depth(parsed) > DEEPEST:
        parsed = _parse(_flattened(kept))
    is_cut = _cut_elements(parsed)
    _end_drawings(parsed)
    return Document(parsed, is_cut or len(kept) < len(source))


def _without(html: str, tag: str) -> str:
    """Leave out elements that are never shown, but for data about the page. Scripts may be most of a page.

    The parser does not know that the end of a template ends what is left open in it.
    """
    lower, pieces, position = html.lower(), list[str](), 0
    if len(lower) != len(html):  # letters that are longer in lower case
        lower = html
    while (start := lower.find(f"<{tag}", position)) >= 0:
        end = lower.find(f"</{tag}", start)
        after = lower.find(">", end) + 1 or len(html)
        is_kept = "ld+json" in lower[start : start + 200].partition(">")[0] and 0 <= end - start < LONGEST_JSON_LD
        pieces.append(html[position : after if is_kept else start])
        if end < 0:
            return "".join(pieces)
        position = after
    return "".join([*pieces, html[position:]])


def _cut_elements(root: HtmlElement) -> bool:
    """Remove the elements after the first so many; return whether there were more."""
    beyond = list(islice(root.iter(), MOST_ELEMENTS, None))
    for element in reversed(beyond):
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)
    return bool(beyond)


def _end_drawings(document: HtmlElement) -> None:
    """Dissolve drawings that contain HTML: browsers end one there, libxml2 would keep the rest of the page in it."""
    for element in list(document.iter(*_ENDS_DRAWING)):
        around = next(element.iterancestors("svg", "foreignobject", "desc", "title"), None)
        while around is not None and around.tag == "svg":
            outer = next(around.iterancestors("svg", "foreignobject", "desc", "title"), None)
            around.drop_tag()
            around = outer


def body_of(document: HtmlElement) -> HtmlElement:
    """Return the body of a parsed document, which has one in any case."""
    body = document.find("body")
    assert body is not None
    return body


def _parse(source: str) -> HtmlElement:
    from lxml import etree, html

    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        parsed = html.document_fromstring(source.encode(), parser=parser)
    except etree.ParserError:  # there is no element
        parsed = html.document_fromstring("<html><body></body></html>")
    if parsed.find("body") is None:
        parsed.append(parsed.makeelement("body"))
    _move_out_of_head(parsed)
    return parsed


def _move_out_of_head(document: HtmlElement) -> None:
    """Move content to the body: libxml2 leaves `<article>` and its like in the head, where no tag begins the body."""
    head, body = document.find("head"), body_of(document)
    children = list(head) if head is not None else []
    moved = list(dropwhile(lambda child: child.tag in _OF_HEAD, children))
    if moved:  # the body's own text follows them
        moved[-1].tail, body.text = (moved[-1].tail or "") + (body.text or ""), None
    for place, child in enumerate(moved):
        body.insert(place, child)


def _depth(root: HtmlElement) -> int:
    from lxml import etree

    deepest = depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest


def _flattened(source: str) -> str:
    """Leave out the tags of elements that are nested too deeply."""
    depth = 0

    def keep(tag: re.Match[str]) -> str:
        nonlocal depth
        if tag[2].lower() in _VOID:
            return tag[0]
        if tag[1]:
            depth = max(depth - 1, 0)
            return tag[0] if depth < DEEPEST // 2 else " "
        depth += 1
        return tag[0] if depth <= DEEPEST // 2 else " "

    return _TAG.sub(keep, source)
