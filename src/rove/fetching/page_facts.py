"""What the HTML of an answer shows before any of its scripts has run."""

from __future__ import annotations

import re
from itertools import dropwhile
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from rove.validation.record import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Elements whose text no person reads.
UNREAD = ("script", "style", "noscript", "template", "iframe", "object", "svg", "math", "head", "title", "select")
# Elements that show something without text. A picture may stand in a page that is not there yet, to say so.
SHOWN = frozenset({"video", "canvas", "table", "form", "input", "audio", "embed", "textarea"})
PICTURES = frozenset({"img", "picture"})
# The ids of elements that frameworks put pages into.
ROOT_IDS = frozenset({
    "root", "app", "__next", "__nuxt", "___gatsby", "svelte", "q-app", "react-root", "reactroot", "app-root", "approot",
    "main-app", "application", "mount", "ember-app", "page-root", "spa", "layout-root", "redwood-app", "solid-root",
    "__docusaurus", "app-container", "app-mount", "vue-app", "ng-app", "main_app",
})  # fmt: skip
# A text in an element of a page that is not there yet: "Loading …".
LONGEST_PLACEHOLDER = 60
MOST_TEXT = 20_000
MOST_PARSED = 3_000_000
OF_HEAD = frozenset({"title", "meta", "link", "script", "style", "base", "noscript", "template"})
_SPACE = re.compile(r"\s+")
# As the HTML standard reads it: seconds, of which fractions are ignored, and an address, with or without quotes.
_REFRESH = re.compile(
    r"\s*+(?=[0-9.])([0-9]{0,6}+)[0-9.]*+(?:$|(?=[;,\s])\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+"
    r"(?:\"([^\"]*+)|'([^']*+)|([^\"'].*+))?+)",
    re.IGNORECASE | re.DOTALL,
)
_MOVES = re.compile(
    r"(?:location(?:\.href)?\s*=(?!=)|location\.(?:replace|assign|reload)\s*\(|document\.forms?\[?[^;]{0,40}\.submit\()"
)


@dataclass(frozen=True)
class PageFacts:
    """`text`: what a person would read, roughly. `shows`: whether there are pictures, forms or the like.

    `roots`: empty elements that scripts fill. `has_frames`: whether there are frames with an address of their own.
    `refresh`: seconds and the address of a meta element that leads elsewhere. `moves`: whether a script does.
    """

    title: str = ""
    text: str = ""
    shows: bool = False
    noscript: str = ""
    has_scripts: bool = False
    roots: tuple[str, ...] = ()
    refresh: tuple[float, str] | None = None
    moves: bool = False
    has_frames: bool = False
    has_frameset: bool = False


def page_facts(html: str, url: str) -> PageFacts:
    """Read the facts of a page."""
    root = _parsed(html)
    scripts = [script for script in root.iter("script") if _is_code(script)]
    title, noscript = _text(next(root.iter("title"), None)), " ".join(_text(each) for each in root.iter("noscript"))
    refresh, moves = _refresh(root, url), any(_MOVES.search(script.text or "") for script in scripts)
    has_frames, has_frameset = any(map(_is_frame, root.iter("iframe"))), next(root.iter("frameset"), None) is not None
    body = _body(root)
    _strip(body)
    text = _text(body)
    roots = tuple(_empty_roots(body, has_text=len(text) >= LONGEST_PLACEHOLDER))
    shows = any(each.tag in SHOWN | PICTURES for each in body.iter())
    return PageFacts(
        title, text[:MOST_TEXT], shows, noscript, bool(scripts), roots, refresh, moves, has_frames, has_frameset
    )


def _parsed(html: str) -> HtmlElement:
    from lxml import etree
    from lxml import html as lxml_html

    # As bytes, since lxml refuses text that declares an encoding; without characters at which libxml2 stops.
    data = html[:MOST_PARSED].replace("\0", "").encode("utf-8", "replace")
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        return lxml_html.document_fromstring(data, parser=parser)
    except etree.ParserError:  # there is no element
        return lxml_html.document_fromstring("<html><body></body></html>")


def _body(root: HtmlElement) -> HtmlElement:
    """Return the body. libxml2 leaves `<article>` and its like in the head, where no tag begins the body."""
    head, body = root.find("head"), root.find("body")
    if body is None:
        body = root.makeelement("body")
        root.append(body)
    misplaced = [*dropwhile(lambda child: child.tag in OF_HEAD, list(head) if head is not None else [])]
    for place, child in enumerate(misplaced):
        body.insert(place, child)
    return body


def _is_frame(frame: HtmlElement) -> bool:
    """Whether a frame shows another document, not just to browsers without scripts, and is no pixel of statistics."""
    is_for_others = any(parent.tag == "noscript" for parent in frame.iterancestors())
    is_pixel = frame.get("width") in ("0", "1") or frame.get("height") in ("0", "1")
    return (
        bool(frame.get("src") or frame.get("srcdoc")) and not is_for_others and not is_pixel and not _is_hidden(frame)
    )


def _is_code(script: HtmlElement) -> bool:
    kind = (script.get("type") or "").lower()
    is_script = not kind or "javascript" in kind or kind == "module"
    return is_script and bool(script.get("src") or (script.text or "").strip())


def _strip(body: HtmlElement) -> None:
    """Remove what no person reads."""
    from lxml import etree

    etree.strip_elements(body, *UNREAD, with_tail=False)
    for element in [each for each in body.iter(etree.Element) if _is_hidden(each)]:
        parent = element.getparent()
        if parent is not None and element is not body:
            element.text = None
            for child in list(element):
                element.remove(child)
            element.set("hidden", "")


def _is_hidden(element: HtmlElement) -> bool:
    style = (element.get("style") or "").replace(" ", "").lower()
    return element.get("hidden") is not None or "display:none" in style or "visibility:hidden" in style


def _empty_roots(body: HtmlElement, has_text: bool) -> list[str]:
    """Return the elements that frameworks fill; on a page without text, also other empty elements with an id."""
    from lxml import etree

    found: list[str] = []
    for element in body.iter(etree.Element):
        name, tag = element.get("id") or "", str(element.tag)
        is_known = name.lower() in ROOT_IDS or "-" in tag or element.get("ng-version") is not None
        is_block = bool(name) and not has_text and tag in ("div", "main", "section")
        if (is_known or is_block) and _is_empty(element):
            # Other names are the page's own words, and this is told in rove's.
            found.append(f"#{name.lower()}" if name.lower() in ROOT_IDS else "an element")
    return found[:5]


def _is_empty(element: HtmlElement) -> bool:
    if element.get("hidden") is not None or len(_text(element)) > LONGEST_PLACEHOLDER:
        return False
    return not any(each.tag in SHOWN for each in element.iter())


def _refresh(root: HtmlElement, url: str) -> tuple[float, str] | None:
    for meta in root.iter("meta"):
        # One for browsers without scripts says that the page needs them, not where it leads.
        is_for_others = any(parent.tag == "noscript" for parent in meta.iterancestors())
        if (meta.get("http-equiv") or "").lower() == "refresh" and not is_for_others:
            match = _REFRESH.match(meta.get("content") or "")
            if match:
                address = match[2] or match[3] or match[4] or ""
                return float(match[1] or 0), _joined(url, address.strip())
    return None


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address) if address else base
    except ValueError:
        return base


def _text(element: HtmlElement | None) -> str:
    if element is None:
        return ""
    return _SPACE.sub(" ", " ".join(str(part) for part in element.itertext() if part)).strip()
