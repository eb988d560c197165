"""Elements that the markup of a page hides, as far as it can be told without a browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rove.reading.markup.document import body_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

NEVER_SHOWN = ("script", "style", "noscript", "template")
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?<![\w-])opacity\s*:\s*(?:0+(?:\.0*)?|\.0+)%?(?=[;\s!]|$)"
    r"|font-size\s*:\s*(?:0+(?:\.0*)?|\.0+)(?:[a-z%]*)(?=[;\s!]|$)|content-visibility\s*:\s*hidden"
    r"|(?<![\w-])(?:left|top|right|bottom|text-indent|margin-(?:left|top))\s*:\s*-\d{4,}(?:px|em|rem|pt)?"
    r"|clip-path\s*:\s*inset\(\s*(?:50|100)%|(?<![\w-])clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?",
    re.IGNORECASE,
)
# One without an end goes on to the end of the style.
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SIMPLE = re.compile(r"([a-z][a-z0-9]*)?([.#])(-?[A-Za-z_][\w-]*)", re.IGNORECASE)
_MARK = re.compile(r"[@{};]")
LONGEST_STYLE = 500_000


def drop_hidden(document: HtmlElement) -> list[str]:
    """Remove the elements that markup hides from a document; return their texts."""
    classes, ids = _hiding_names(document)
    drop_never_shown(document)
    texts: list[str] = []
    for element in list(body_of(document).iterdescendants()):
        if not isinstance(element.tag, str) or not _is_hidden(element, classes, ids):
            continue
        text = " ".join(element.text_content().split())
        if text:
            texts.append(text)
        if element.getparent() is not None:
            element.drop_tree()
    return texts


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
    if (element.get("aria-hidden") or "").lower() == "true" and "fallback-image" not in (element.get("class") or ""):
        return True
    style = element.get("style")
    if style and _HIDING.search(style):
        return True
    return (element.get("id") or "") in ids or not classes.isdisjoint((element.get("class") or "").split())


def _hiding_names(document: HtmlElement) -> tuple[frozenset[str], frozenset[str]]:
    """Return the classes and ids that a rule of the document's own style plainly hides, and none shows again."""
    hidden: dict[tuple[str, str], bool] = {}
    for style in document.iter("style"):
        media = (style.get("media") or "all").lower()
        if media not in ("all", "screen"):
            continue
        for selectors, declarations in _rules((style.text or "")[:LONGEST_STYLE]):
            is_hiding = _HIDING.search(declarations) is not None
            for selector in selectors.split(","):
                found = _SIMPLE.fullmatch(selector.strip())
                if found and not found[1] and (is_hiding or _shows(declarations)):
                    hidden[found[2], found[3]] = is_hiding
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
