"""The HTML of a page as a tree: elements by CSS selectors, their text, and absolute addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from rove.errors import InvalidArguments
from rove.reading.markup.addresses import absolute_in
from rove.reading.markup.document import parse_document
from rove.reading.markup.hidden import drop_hidden
from rove.reading.page_source import PageSource

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# The text of these is apart from the text beside it.
_BLOCK_NAMES = (
    "address article aside blockquote br button caption dd details dialog div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section summary table tbody td tfoot th thead "
    "tr ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_NO_TEXT = frozenset(["script", "style", "noscript", "template", "head", "title"])
# What a form holds was entered by a person, and is no data of the page.
_ENTERED = frozenset(["input", "textarea", "select", "option"])
_ADDRESSES = frozenset(["href", "src", "action", "cite", "poster", "data-src", "data-href"])
LONGEST_VALUE = 5_000


class Page:
    """One document: that of a page, or of a frame of another origin in it."""

    def __init__(self, source: PageSource) -> None:
        self.url = source.url
        self.origin = source.origin
        document = parse_document(source.html)
        self.root = document.root
        # Whether the page has more than is in the tree.
        self.is_cut = source.is_cut or document.is_cut
        self.language = (self.root.get("lang") or "").lower()
        # Makes an address absolute; empty if it is none of http or https.
        self.absolute = absolute_in(self.root, source.url)
        # The texts of its JSON-LD, which are hidden as all scripts are.
        self.json_ld = [each.text or "" for each in self.root.iter("script") if _is_json_ld(each)]
        if not source.is_rendered:
            drop_hidden(self.root)

    def select(self, selector: str, below: HtmlElement | None = None) -> list[HtmlElement]:
        """Return the elements that a CSS selector matches, in the order of the page."""
        start, axis = (self.root, "descendant-or-self::") if below is None else (below, "descendant::")
        return cast("list[HtmlElement]", _compiled(selector, axis)(start))

    def attribute(self, element: HtmlElement, name: str) -> str | None:
        """Return an attribute; addresses are absolute, and values that a person entered are not given."""
        value = element.get(name)
        if value is None or (element.tag in _ENTERED and name == "value"):
            return None
        return self.absolute(value) if name in _ADDRESSES else " ".join(value.split())[:LONGEST_VALUE]

    def address(self, element: HtmlElement) -> str | None:
        """Return the address that an element, or the first link or picture in it, leads to."""
        for each in (element, *element.iter("a", "img")):
            if found := self.attribute(each, "href") or self.attribute(each, "src"):
                return found
        return None


def pages_of(source: PageSource) -> list[Page]:
    """Return the documents of a page: its own, then those of frames of other origins."""
    return [Page(each) for each in (source, *source.frames)]


@lru_cache(maxsize=256)
def _compiled(selector: str, axis: str) -> Callable[[HtmlElement], Any]:
    from cssselect import HTMLTranslator, SelectorError
    from lxml.etree import XPath, XPathSyntaxError

    is_child = selector.removeprefix(":scope").lstrip().startswith(">")
    plain = selector.removeprefix(":scope").lstrip().removeprefix(">") if is_child else selector
    try:
        compiled: Callable[[HtmlElement], Any] = XPath(
            HTMLTranslator().css_to_xpath(plain, "child::" if is_child else axis)
        )
        return compiled
    except (SelectorError, XPathSyntaxError) as error:
        raise InvalidArguments(
            f"`schema`: {selector!r} is not a CSS selector that can be used here: {error}.",
            hint="Selectors are those of CSS, without pseudo-elements; an attribute is written after @, as in a@href.",
        ) from error


def _is_json_ld(script: HtmlElement) -> bool:
    return "ld+json" in (script.get("type") or "").lower()


def text_of(element: HtmlElement) -> str:
    """Return the text of an element on one line, with spaces where blocks end."""
    return " ".join("".join(_pieces(element)).split())[:LONGEST_VALUE]


def _pieces(element: HtmlElement) -> Iterator[str]:
    from lxml.etree import iterwalk

    walk = iterwalk(element, events=("start", "end"))
    for event, each in walk:
        tag: Any = each.tag
        if event == "start":
            if tag in _NO_TEXT or tag in _ENTERED:
                walk.skip_subtree()
                continue
            if tag in _BLOCKS:
                yield " "
            yield each.text or ""
        else:
            if tag in _BLOCKS:
                yield " "
            if each is not element:
                yield each.tail or ""
