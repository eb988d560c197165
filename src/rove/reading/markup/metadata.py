"""What a page says of itself: title, byline, date, site and language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rove.reading.markup.shown_facts import shown_byline, shown_date
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

LONGEST = 300
ARTICLES = re.compile(r"(?:Article|Posting|Report|Recipe|WebPage|Product|HowTo|Review|Event)$")
# In a title in which spaces have been joined.
_SEPARATOR = re.compile(r" [|\-–—\\/>»·•:]{1,20} | ?[|»] ?")
_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")
TITLE_NAMES = ("og:title", "twitter:title", "dc:title", "dc.title", "dcterm:title", "parsely-title", "citation_title")
AUTHOR_NAMES = ("author", "article:author", "dc:creator", "dc.creator", "dcterms.creator", "parsely-author", "byl")
DATE_NAMES = (
    "article:published_time", "og:published_time", "datepublished", "date", "dc:date", "dc.date", "dc.date.issued",
    "dcterms.created", "dcterms.date", "parsely-pub-date", "pubdate", "publishdate", "publication_date",
    "sailthru.date", "citation_publication_date", "article:modified_time", "last-modified",
)  # fmt: skip
SITE_NAMES = ("og:site_name", "application-name", "twitter:site")


@dataclass(frozen=True)
class Metadata:
    """Facts of a page; those that it does not give are empty."""

    title: str = ""
    byline: str = ""
    date: str = ""
    site: str = ""
    language: str = ""
    # Whether the page declares the byline, so that it need not be looked for in the text.
    has_byline: bool = False


def read_metadata(document: HtmlElement) -> Metadata:
    """Read what a page says of itself in its head, in JSON-LD and in its text."""
    named, linked = _meta(document), _first_article(_json_ld(document))
    site = _first(named, SITE_NAMES) or _name_of(linked.get("publisher"))
    return Metadata(
        title=_title(document, named, linked, site),
        byline=_declared_byline(named, linked) or shown_byline(document),
        date=_date(document, named, linked),
        site=_tidy(site).lstrip("@"),
        language=_language(document, named),
        has_byline=bool(_declared_byline(named, linked)),
    )


def _meta(document: HtmlElement) -> dict[str, str]:
    """Return the contents of `meta` elements by lower-case name; the first of a name counts."""
    found: dict[str, str] = {}
    for element in document.iter("meta"):
        names = " ".join(element.get(key) or "" for key in ("property", "name", "itemprop", "http-equiv"))
        for name in names.lower().split():
            if content := _tidy(element.get("content")):
                found.setdefault(name, content)
    return found


def _first(named: dict[str, str], names: Sequence[str]) -> str:
    return next((named[name] for name in names if named.get(name)), "")


def _json_ld(document: HtmlElement) -> Iterator[dict[str, Any]]:
    for script in document.iter("script"):
        if "ld+json" not in (script.get("type") or ""):
            continue
        try:
            yield from _objects(json.loads(script.text or "null"))
        except (ValueError, RecursionError):
            continue  # a page may write anything there


def _objects(data: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if isinstance(data, list) and depth < 4:
        yield from (each for item in data for each in _objects(item, depth + 1))
    elif isinstance(data, dict) and depth < 4:
        yield data
        yield from _objects(data.get("@graph"), depth + 1)


def _first_article(objects: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """Return the object that describes the article of the page."""
    pages: dict[str, Any] = {}
    for each in objects:
        kinds = each.get("@type")
        named = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(kind, str)]
        if any(ARTICLES.search(kind) and kind != "WebPage" for kind in named):
            return each
        if "WebPage" in named:
            pages = pages or each
    return pages


def _name_of(value: Any) -> str:
    """Return the name of a person or organisation in JSON-LD; names of several are joined."""
    if isinstance(value, list):
        return ", ".join(dict.fromkeys(filter(None, map(_name_of, value))))
    found = value.get("name") if isinstance(value, dict) else value
    return _tidy(found) if isinstance(found, str) and not found.startswith("http") else ""


def _tidy(text: object) -> str:
    return " ".join(text.split())[:LONGEST] if isinstance(text, str) else ""


def _title(document: HtmlElement, named: dict[str, str], linked: dict[str, Any], site: str) -> str:
    given = _first(named, TITLE_NAMES) or _tidy(linked.get("headline"))
    element = document.find(".//title")
    whole = _tidy(element.text_content()) if element is not None else ""
    heading = _only_heading(document)
    return given or _without_site(whole, site, heading) or heading


def _only_heading(document: HtmlElement) -> str:
    headings = list(document.iter("h1"))
    return _tidy(headings[0].text_content()) if len(headings) == 1 else ""


def _without_site(title: str, site: str, heading: str) -> str:
    """Leave out the name of the site, which pages write before or after the title of an article."""
    if heading and heading in title:
        return heading
    parts = [part for part in _SEPARATOR.split(title) if part]
    if len(parts) < 2:
        return title
    if site and site.lower() in (parts[0].lower(), parts[-1].lower()):
        return title[len(parts[0]) :].lstrip(" |-–—\\/>»·•:") if parts[0].lower() == site.lower() else _but_last(title)
    return _but_last(title) if len(_but_last(title).split()) > 3 else title


def _but_last(title: str) -> str:
    last = list(_SEPARATOR.finditer(title))[-1]
    return title[: last.start()]


def _declared_byline(named: dict[str, str], linked: dict[str, Any]) -> str:
    given = _name_of(linked.get("author")) or _first(named, AUTHOR_NAMES)
    return "" if given.startswith("http") else given


def _date(document: HtmlElement, named: dict[str, str], linked: dict[str, Any]) -> str:
    given = [linked.get("datePublished"), _first(named, DATE_NAMES), linked.get("dateCreated")]
    times = [element.get("datetime") for element in document.iter("time")]
    for text in (*given, *times[:1]):
        found = _DATE.search(text) if isinstance(text, str) else None
        if found:
            return found[0]
    return shown_date(document)


def _language(document: HtmlElement, named: dict[str, str]) -> str:
    declared = (
        document.get("lang") or document.get("xml:lang") or named.get("content-language") or named.get("og:locale")
    )
    code = (declared or "").strip().replace("_", "-")
    return code if re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", code) else ""
