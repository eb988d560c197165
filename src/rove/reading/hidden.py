"""Elements that the markup of a page hides, as far as it can be told without a browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rove.reading.document import body_of

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
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SIMPLE = re.compile(r"([a-z][a-z0-9]*)?([.#])(-?[A-Za-z_][\w-]*)", re.IGNORECASE)
# Rules within these hold only for some readers, so that they hide nothing for sure.
_AT_RULE = re.compile(r"@[\w-]+[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@[^;{]*;")
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
    plain = _AT_RULE.sub("", _COMMENT.sub("", style))
    return [(found[1], found[2]) for found in _RULE.finditer(plain)]


def _shows(declarations: str) -> bool:
    return re.search(r"display\s*:|visibility\s*:|opacity\s*:|font-size\s*:", declarations) is not None


def _names(hidden: dict[tuple[str, str], bool], kind: str) -> frozenset[str]:
    return frozenset(name for (mark, name), is_hidden in hidden.items() if mark == kind and is_hidden)
