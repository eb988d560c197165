"""The HTML of a page as a tree for CSS selectors, and what it says of itself to programs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from rove.content.html_document import absolute_in, drop_hidden, parse_document
from rove.content.page_source import PageSource
from rove.errors import InvalidArguments

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
MOST_ITEMS = 200
MOST_PROPERTIES = 2_000
DEEPEST = 12
LONGEST_JSON = 1_000_000
_GRAPH_PREFIXES = ("og:", "article:", "product:", "book:", "profile:", "video:", "music:", "fb:")
_LINKED = {"a": "href", "area": "href", "link": "href", "img": "src", "audio": "src", "video": "src", "embed": "src",
           "iframe": "src", "source": "src", "track": "src", "object": "data"}  # fmt: skip
# The properties of cards whose values are addresses.
_ADDRESS = re.compile(r"(?:og|twitter):(?:url|(?:image|video|audio|player)(?::(?:url|secure_url|src|stream))?)")
# Programs that write pages wrap JSON in these.
_WRAPPING = re.compile(r"^\s*+(?://\s*+)?(?:<!\[CDATA\[|<!--)|(?:(?://\s*+)?\]\]>|-->)\s*+;?\s*+$")


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


def metadata_of(page: Page) -> dict[str, Any]:
    """Return what is there, by its kind; kinds that the page does not use are left out."""
    json_ld, broken = _json_ld(page)
    found: dict[str, Any] = {
        "json_ld": json_ld,
        "microdata": _Items(page, "itemprop", "itemscope", "itemtype").read(),
        "rdfa": _Items(page, "property", "typeof", "typeof").read(),
        **_cards(page),
        "page": _facts(page),
    }
    if broken:
        found["json_ld_not_readable"] = broken
    return {name: value for name, value in found.items() if value}


def _json_ld(page: Page) -> tuple[list[Any], int]:
    """Return the values of all JSON-LD scripts, and how many could not be read."""
    values: list[Any] = []
    broken = 0
    for text in page.json_ld:
        try:
            value = json.loads(_WRAPPING.sub("", text[:LONGEST_JSON]), strict=False)
        except (ValueError, RecursionError):
            broken += 1
        else:
            values += value if isinstance(value, list) else [value]
    return values[:MOST_ITEMS], broken


def _cards(page: Page) -> dict[str, dict[str, Any]]:
    """Return the Open Graph and Twitter properties; several values of one property are a list."""
    graph: dict[str, Any] = {}
    twitter: dict[str, Any] = {}
    for element in page.root.iter("meta"):
        name = (element.get("property") or element.get("name") or "").strip().lower()
        content = element.get("content")
        kind = graph if name.startswith(_GRAPH_PREFIXES) else twitter if name.startswith("twitter:") else None
        if content is None or kind is None:
            continue
        is_address = _ADDRESS.fullmatch(name) is not None
        value = page.absolute(content) if is_address else content.strip()
        if value or not is_address:
            _add(kind, name, value)
    return {"open_graph": graph, "twitter": twitter}


def _facts(page: Page) -> dict[str, Any]:
    """Return title, description, language and canonical address of the page."""
    title = page.root.find(".//title")
    facts = {
        "title": " ".join(title.text_content().split()) if title is not None else "",
        "description": _meta(page, "description"),
        "language": page.root.get("lang") or "",
        "canonical": _canonical(page),
    }
    return {name: fact for name, fact in facts.items() if fact}


def _meta(page: Page, name: str) -> str:
    found = (each.get("content") for each in page.root.iter("meta") if (each.get("name") or "").lower() == name)
    return next((text.strip() for text in found if text), "")


def _canonical(page: Page) -> str:
    links = (each for each in page.root.iter("link") if "canonical" in (each.get("rel") or "").lower().split())
    return next((address for each in links if (address := page.attribute(each, "href"))), "")


def _add(values: dict[str, Any], name: str, value: Any) -> None:
    if name not in values:
        values[name] = value
    elif isinstance(values[name], list):
        values[name].append(value)
    else:
        values[name] = [values[name], value]


class _Items:
    """Reads items with properties: microdata, or RDFa Lite, which has other names for the same attributes."""

    def __init__(self, page: Page, property_name: str, scope: str, kind: str) -> None:
        self._page = page
        self._property, self._scope, self._kind = property_name, scope, kind
        self._room = MOST_PROPERTIES
        self._ids = {each.get("id"): each for each in page.root.iter() if each.get("id")}

    def read(self) -> list[dict[str, Any]]:
        """Return the items that are no property of another item."""
        tops = self._page.root.xpath(f"//*[@{self._scope} and not(@{self._property})]")
        return [self._item(element, 0) for element in tops[:MOST_ITEMS]]

    def _item(self, element: HtmlElement, depth: int) -> dict[str, Any]:
        item: dict[str, Any] = {}
        if kind := (element.get(self._kind) or "").strip():
            item["@type"] = kind
        if name := (element.get("itemid") or element.get("resource") or "").strip():
            item["@id"] = name
        for owner in (element, *self._referred(element)):
            self._add_properties(item, owner, depth, is_item=owner is element)
        return item

    def _referred(self, element: HtmlElement) -> list[HtmlElement]:
        names = (element.get("itemref") or "").split()
        found = [self._ids[name] for name in names if name in self._ids]
        return [each for each in found if each is not element and each not in element.iterancestors()]

    def _add_properties(self, item: dict[str, Any], owner: HtmlElement, depth: int, is_item: bool) -> None:
        waiting = list(reversed(list(owner))) if is_item else [owner]
        while waiting and self._room > 0:
            element = waiting.pop()
            names = (element.get(self._property) or "").split()
            is_scope = self._scope in element.attrib
            if names:
                self._room -= len(names)
                value = self._item(element, depth + 1) if is_scope and depth < DEEPEST else self._value(element)
                for name in names:
                    _add(item, name, value)
            if not is_scope:
                waiting.extend(reversed(list(element)))

    def _value(self, element: HtmlElement) -> str:
        tag = str(element.tag)
        if element.get("content") is not None:
            return (element.get("content") or "").strip()
        if tag in _LINKED:
            return self._page.attribute(element, _LINKED[tag]) or ""
        if tag in ("data", "meter"):
            return element.get("value") or text_of(element)
        return (element.get("datetime") if tag == "time" else None) or text_of(element)
