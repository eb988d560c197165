"""HTML parsed into a tree of bounded size: what it hides, and its absolute addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import dropwhile, islice
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from rove.records import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

LONGEST = 2000
_SCHEMES = ("http://", "https://")
_ENCODED = str.maketrans({" ": "%20", "<": "%3C", ">": "%3E", '"': "%22", "`": "%60", "\\": "%5C"})
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?<![\w-])opacity\s*:\s*(?:0+(?:\.0*)?|\.0+)%?(?=[;\s!]|$)"
    r"|(?<![\w-])(?:transform\s*:[^;]*?scale[xy3d]*\(|scale\s*:)\s*(?:0+(?:\.0*)?|\.0+)\s*(?=[,);\s!]|$)"
    r"|font-size\s*:\s*(?:0+(?:\.0*)?|\.0+)(?:[a-z%]*)(?=[;\s!]|$)|content-visibility\s*:\s*hidden"
    r"|(?<![\w-])(?:left|top|right|bottom|text-indent|margin-(?:left|top))\s*:\s*-\d{4,}(?:px|em|rem|pt)?"
    r"|clip-path\s*:\s*inset\(\s*(?:50|100)%|(?<![\w-])clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?",
    re.IGNORECASE,
)
_ZERO = re.compile(r"(?:0+(?:\.0*)?|\.0+)(?:[a-z]+|%)?")
_SHORT_HEX = re.compile(r"#([0-9a-f])([0-9a-f])([0-9a-f])")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*(?:1|1\.0+|100%)\s*)?\)")
_NAMED = {"white": "#ffffff", "black": "#000000"}
_SIZES = ("height", "max-height", "width", "max-width")
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
NEVER_SHOWN = ("script", "style", "noscript", "template")
# One without an end goes on to the end of the style.
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_SIMPLE = re.compile(r"([a-z][a-z0-9]*)?([.#])(-?[A-Za-z_][\w-]*)", re.IGNORECASE)
_MARK = re.compile(r"[@{};]")
LONGEST_STYLE = 500_000


def absolute_in(document: HtmlElement, url: str) -> Callable[[str], str]:
    """Return a function that makes addresses of a document absolute; it returns "" for those that are not kept."""
    base = document.find(".//base[@href]")
    start = _joined(url, base.get("href") or "") if base is not None else url

    @cache
    def absolute(address: str) -> str:
        # Browsers leave out spaces at the ends, and line breaks and tabs anywhere.
        given = "".join(address.split("\n")).replace("\t", "").replace("\r", "").strip()
        if not given or given.startswith("#") or len(given) > LONGEST:
            return ""
        joined = _joined(start, given)
        return _encoded(joined) if joined.lower().startswith(_SCHEMES) and _has_host(joined) else ""

    return absolute


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:  # such as a broken IPv6 address
        return ""


def _has_host(address: str) -> bool:
    try:
        return bool(urlsplit(address).hostname)
    except ValueError:
        return False


def _encoded(address: str) -> str:
    """Encode what would end an address in Markdown or in a list of addresses."""
    printable = address if address.isprintable() else "".join(filter(str.isprintable, address))
    return printable.translate(_ENCODED)


def is_hiding(declarations: str) -> bool:
    """Whether declarations plainly hide an element and all that is in it."""
    if _HIDING.search(declarations):
        return True
    given = _parsed(declarations)
    return _is_flat(given) or _is_on_itself(given)


def _parsed(declarations: str) -> dict[str, str]:
    pairs = (part.partition(":") for part in declarations.split(";"))
    return {name.strip().lower(): value.lower().replace("!important", "").strip() for name, _, value in pairs}


def _is_flat(given: Mapping[str, str]) -> bool:
    """Whether an element has no room and shows nothing outside of it."""
    overflow = f"{given.get('overflow', '')} {given.get('overflow-x', '')} {given.get('overflow-y', '')}"
    is_clipped = "hidden" in overflow or "clip" in overflow
    return is_clipped and any(_ZERO.fullmatch(given.get(name, "")) for name in _SIZES)


def _is_on_itself(given: Mapping[str, str]) -> bool:
    """Whether letters are transparent, or have the colour of what is behind them."""
    colour = _colour(given.get("color", ""))
    if colour == "transparent":
        return "background-clip" not in given and "-webkit-background-clip" not in given
    behind = given.get("background-color") or given.get("background", "")
    return bool(colour) and colour == _colour(behind)


def _colour(written: str) -> str:
    """Return a colour in one of the ways in which it can be written."""
    if found := _SHORT_HEX.fullmatch(written):
        return "#" + "".join(digit * 2 for digit in found.groups())
    if found := _RGB.fullmatch(written):
        return "#" + "".join(f"{min(int(part), 255):02x}" for part in found.groups())
    return _NAMED.get(written, written)


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
