"""HTML parsed into a tree of bounded size and depth, without what is never text."""

from __future__ import annotations

import re
from itertools import dropwhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MOST_CHARACTERS = 10_000_000
# Deeper elements are dissolved into those around them: no code that walks the tree needs to mind the stack.
DEEPEST = 150
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)[^>]*>")
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_OF_HEAD = frozenset(["title", "meta", "link", "script", "style", "base", "noscript", "template"])
# Their content is not parsed as tags.
_RAW = re.compile(r"(?is)<(script|style|textarea|title|xmp|iframe|noembed|noframes)\b[^>]*>.*?</\1\s*>|<!--.*?-->")
# libxml2 stops at these characters, or does not accept them.
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


def parse_document(html: str) -> HtmlElement:
    """Parse HTML. Any text gives a document; only its first ten million characters are read."""
    source = _CONTROL.sub("", html[:MOST_CHARACTERS])
    parsed = _parse(source)
    return parsed if _depth(parsed) <= DEEPEST else _parse(_flattened(source))


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
    content = [*dropwhile(lambda child: child.tag in _OF_HEAD, children)]
    for place, child in enumerate(content):
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
    pieces: list[str] = []
    position = 0
    for raw in _RAW.finditer(source):
        pieces.append(source[position : raw.start()])
        position = raw.end()
    text = "".join([*pieces, source[position:]])
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

    return _TAG.sub(keep, text)
