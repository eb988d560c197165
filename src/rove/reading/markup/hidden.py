"""Elements that the markup of a page hides, as far as it can be told without a browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rove.reading.markup.document import body_of
from rove.reading.markup.styles import is_hiding

if TYPE_CHECKING:
    from lxml.html import HtmlElement

NEVER_SHOWN = ("script", "style", "noscript", "template")
# One without an end goes on to the end of the style.
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SIMPLE = re.compile(r"([a-z][a-z0-9]*)?([.#])(-?[A-Za-z_][\w-]*)", re.IGNORECASE)
_MARK = re.compile(r"[@{};]")
LONGEST_STYLE = 500_000


def drop_hidden(document: HtmlElement) -> list[str]:
    """Remove the elements that markup hides from a document; return their texts."""
    classes, ids = _hiding_names(document)
    drop_never_shown(document)
    _open_unended(document)
    texts = _drop_loose_texts(document)
    for element in list(body_of(document).iterdescendants()):
        if not isinstance(element.tag, str) or not _is_hidden(element, classes, ids):
            continue
        text = " ".join(element.text_content().split())
        if text:
            texts.append(text)
        if element.getparent() is not None:
            element.drop_tree()
    return texts


def _open_unended(document: HtmlElement) -> None:
    """Treat details that hold most of a page as open: the parser did not find their end, and took in what follows."""
    half = len(body_of(document).text_content()) / 2
    for details in document.iter("details"):
        if len(details.text_content()) > half:
            details.set("open", "")


def _drop_loose_texts(document: HtmlElement) -> list[str]:
    """Remove the text of closed details that is in no element of theirs; return it."""
    texts: list[str] = []
    for details in document.iter("details"):
        if details.get("open") is not None:
            continue
        texts += [text for text in (details.text, *(child.tail for child in details)) if text]
        details.text = None
        for child in details:
            child.tail = None
    return [" ".join(text.split()) for text in texts if text.strip()]


def drop_never_shown(document: HtmlElement) -> None:
    """Remove scripts, styles and what is shown only where they do not run."""
    for element in list(document.iter(*NEVER_SHOWN)):
        if element.getparent() is not None:
            element.drop_tree()
    # A frame's own content is for browsers without frames.
    for frame in document.iter("iframe", "noembed", "noframes"):
        frame.text = None
        del frame[:]


def _is_hidden(element: HtmlElement, classes: frozenset[str], ids: frozenset[str]) -> bool:
    if element.get("hidden") is not None and (element.get("hidden") or "").lower() != "until-found":
        return True
    if _is_closed(element):
        return True
    style = element.get("style")
    if style and is_hiding(style):
        return True
    return (element.get("id") or "") in ids or not classes.isdisjoint((element.get("class") or "").split())


def _is_closed(element: HtmlElement) -> bool:
    """Whether it opens only when a person asks for it: a popover, a dialog, or what is under a summary."""
    if element.get("popover") is not None or (element.tag == "dialog" and element.get("open") is None):
        return True
    parent = element.getparent()
    if parent is None or parent.tag != "details" or parent.get("open") is not None:
        return False
    return element is not next(parent.iterchildren("summary"), None)


def _hiding_names(document: HtmlElement) -> tuple[frozenset[str], frozenset[str]]:
    """Return the classes and ids that a rule of the document's own style plainly hides, and none shows again."""
    hidden: dict[tuple[str, str], bool] = {}
    for style in document.iter("style"):
        media = (style.get("media") or "all").lower()
        if media not in ("all", "screen"):
            continue
        for selectors, declarations in _rules((style.text or "")[:LONGEST_STYLE]):
            hides = is_hiding(declarations)
            for selector in selectors.split(","):
                found = _SIMPLE.fullmatch(selector.strip())
                if found and not found[1] and (hides or _shows(declarations)):
                    hidden[found[2], found[3]] = hides
    return _names(hidden, "."), _names(hidden, "#")


def _rules(style: str) -> list[tuple[str, str]]:
    """Return the selectors and the declarations of the rules that hold for all readers."""
    rules: list[tuple[str, str]] = []
    for block in _without_at_rules(_COMMENT.sub("", style)).split("}")[:-1]:
        before, brace, declarations = block.rpartition("{")
        if brace:
            rules.append((before.rpartition("{")[2], declarations))
    return rules


def _without_at_rules(style: str) -> str:
    """Leave out rules such as `@media`: what is within them holds only for some readers, and hides nothing for sure."""
    kept, start, depth, is_at_rule = list[str](), 0, 0, False
    for mark in _MARK.finditer(style):
        depth = max(depth + {"{": 1, "}": -1}.get(mark[0], 0), 0)
        if mark[0] == "@" and depth == 0 and not is_at_rule:
            kept.append(style[start : mark.start()])
            is_at_rule = True
        elif is_at_rule and depth == 0 and mark[0] in ";}":
            start, is_at_rule = mark.end(), False
    return "".join(kept) + ("" if is_at_rule else style[start:])


def _shows(declarations: str) -> bool:
    return re.search(r"display\s*:|visibility\s*:|opacity\s*:|font-size\s*:", declarations) is not None


def _names(hidden: dict[tuple[str, str], bool], kind: str) -> frozenset[str]:
    return frozenset(name for (mark, name), is_hidden in hidden.items() if mark == kind and is_hidden)
