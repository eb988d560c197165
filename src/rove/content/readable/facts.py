"""What a page says of itself to readers: title, byline, date, site, language, and its next page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from rove.records import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_NAMES = (
    "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari",
    "february feb februar février févr fév febrero febbraio fevereiro fev februari",
    "march mar märz mär mars marzo março maart mrt",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août aoû agosto ago augustus",
    "september sep sept septembre septiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro",
)
MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
LONGEST_LINE = 200
LONGEST_NAME = 100
MOST_PLACES = 200
_BYLINES = (
    "//*[@rel='author']|//*[contains(@itemprop, 'author')]|//*[contains(concat(' ', @class, ' '), ' byline ')]"
    "|//*[contains(@class, 'byline') or contains(@class, 'author-name') or contains(@id, 'byline')]"
    "|//*[contains(concat(' ', @class, ' '), ' author ')]"
)
_DATES = "//time|//*[contains(@class, 'date') or contains(@class, 'published') or contains(@itemprop, 'datePublished')]"
_BY = re.compile(r"^\s*(?:written |posted |published )?by[:\s]+", re.IGNORECASE)
# Of lines in which each space is single.
_PARTS = re.compile(r" ?[|·•] ?| [–—-] ")
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b")
_DAY_FIRST = re.compile(
    r"\b(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:de\s+)?(?P<month>[^\W\d_]{3,10})\.?,?\s+(?:de\s+)?(?P<year>\d{4})\b"
)
_MONTH_FIRST = re.compile(r"\b(?P<month>[^\W\d_]{3,10})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})\b")
_TIME = re.compile(r"\b\d{1,2}:\d{2}")
# What leads from a name to the date after it.
_BEFORE_DATE = re.compile(
    r"(?:[\s,;:(/]|\b(?:on|at|updated|published|posted|last|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)\b)+$",
    re.IGNORECASE,
)
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
LONGEST_TEXT = 30
# Numbers above this are more likely those of articles than of pages.
MOST_PAGES = 60
_NEXT = re.compile(
    r"(?:next(?: page)?|continue(?: reading)?|weiter|nächste(?: seite)?|page suivante|suivante?|(?:página )?siguiente"
    r"|próxima(?: página)?|pagina successiva|successiv[ao]|volgende(?: pagina)?|nästa(?: sida)?|следующая(?: страница)?"
    r"|далее|下一页|下一頁|下页|次へ|次のページ|다음(?: 페이지)?|التالي|הבא)?\s*(?:[›»>→]+|\(\d+\))?",
    re.IGNORECASE,
)
_PAGE_IN_PATH = re.compile(
    r"/(?:page|seite|p|pagina)?[/_-]?(\d{1,3})/?$|[-_](?:page|seite|pagina|p)?[-_]?(\d{1,3})(?=\.\w{2,5}$|/?$)"
)
_PAGE_WORD = re.compile(r"page|seite|página|pagina|sida|страница|页|頁|ページ|페이지|continue", re.IGNORECASE)
_PAGE_IN_QUERY = frozenset(["page", "p", "pg", "seite", "pagina", "paged", "pagenumber"])


@dataclass(frozen=True)
class ShownDate:
    """A date in a text, as ISO 8601, and where it begins."""

    day: str
    start: int


def shown_byline(document: HtmlElement) -> str:
    """Return the author that a line of the page names; "" if none does."""
    names = (name for line in _lines(document, _BYLINES) for name in _names(line))
    return next((name for name in names if 2 < len(name) < LONGEST_NAME), "")


def shown_date(document: HtmlElement) -> str:
    """Return the date beside the author, or else the first that is marked as one; "" if there is none."""
    lines = (line for place in (_BYLINES, _DATES) for line in _lines(document, place))
    return next((found.day for line in lines if (found := find_date(line)) is not None), "")


def find_date(text: str) -> ShownDate | None:
    """Find a date with a year in a text; the months may be words of several languages."""
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST):
        for found in pattern.finditer(text):
            if day := _day(found):
                return ShownDate(day, found.start())
    return None


def _day(found: re.Match[str]) -> str:
    month = found["month"]
    number = int(month) if month.isdigit() else MONTHS.get(month.lower(), 0)
    try:
        return date(int(found["year"]), number, int(found["day"])).isoformat()
    except ValueError:  # no such month or day
        return ""


def _lines(document: HtmlElement, place: str) -> Iterator[str]:
    texts = (" ".join(element.text_content().split()) for element in document.xpath(place)[:MOST_PLACES])
    return (text for text in texts if 0 < len(text) < LONGEST_LINE)


def _names(line: str) -> list[str]:
    """Return the parts of a line that may be names, without dates; those that "by" introduces first."""
    parts = sorted(_PARTS.split(line), key=lambda part: _BY.match(part) is None)
    names = (_without_date(_BY.sub("", part)) for part in parts)
    return [name for name in names if any(map(str.isalpha, name))]


def _without_date(text: str) -> str:
    found, time = find_date(text), _TIME.search(text)
    ends = [*([found.start] if found else []), *([time.start()] if time else [])]
    return _BEFORE_DATE.sub("", text[: min(ends)]) if ends else text.strip()


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


def find_next_page(document: HtmlElement, url: str, absolute: Callable[[str], str]) -> str:
    """Return the address of the next page of the same article; "" if there is none."""
    for element in document.iter("link", "a"):
        if not _says_next(element):
            continue
        address = absolute(element.get("href") or "")
        if address and _is_next(element, url, address):
            return address.partition("#")[0]
    return ""


def _is_next(element: HtmlElement, url: str, address: str) -> bool:
    """Whether a link leads to the next page: the page says so in so many words, or its address does."""
    if _names_next_page(element):
        return _is_elsewhere_at_origin(url, address)
    return _follows(url, address)


def _names_next_page(element: HtmlElement) -> bool:
    """Whether a link is marked as the next one and speaks of a page. Blogs mark the next article in the same way."""
    if not _has_rel_next(element):
        return False
    return not element.get("title") if element.tag == "link" else _PAGE_WORD.search(element.text_content()) is not None


def _has_rel_next(element: HtmlElement) -> bool:
    return "next" in (element.get("rel") or "").lower().split()


def _is_elsewhere_at_origin(current: str, address: str) -> bool:
    try:
        here, there = urlsplit(current), urlsplit(address)
    except ValueError:
        return False
    is_elsewhere = (here.path, here.query) != (there.path, there.query)
    return is_elsewhere and (here.scheme, here.netloc) == (there.scheme, there.netloc)


def _says_next(element: HtmlElement) -> bool:
    if _has_rel_next(element):
        return True
    text = " ".join(element.text_content().split()) or element.get("aria-label") or element.get("title") or ""
    return element.tag == "a" and 0 < len(text) <= LONGEST_TEXT and _NEXT.fullmatch(text) is not None


def _follows(current: str, address: str) -> bool:
    """Return whether an address is that of the page after this one, of the same article and origin."""
    try:
        here, there = urlsplit(current), urlsplit(address)
    except ValueError:
        return False
    if (here.scheme, here.netloc) != (there.scheme, there.netloc):
        return False
    (path, page), (next_path, next_page) = _divided(here.path, here.query), _divided(there.path, there.query)
    return path == next_path and next_page == page + 1 and page < MOST_PAGES


def _divided(path: str, query: str) -> tuple[tuple[str, tuple[tuple[str, str], ...]], int]:
    """Return the address of an article without the number of the page, and that number: 1 where there is none."""
    others = tuple(pair for pair in parse_qsl(query) if pair[0].lower() not in _PAGE_IN_QUERY)
    for name, value in parse_qsl(query):
        if name.lower() in _PAGE_IN_QUERY and value.isascii() and value.isdigit() and len(value) < 4:
            return (_bare(path), others), int(value)
    found = _PAGE_IN_PATH.search(path)
    if found is None:
        return (_bare(path), others), 1
    return (_bare(path[: found.start()] + path[found.end() :]), others), int(found[1] or found[2])


def _bare(path: str) -> str:
    return path.rstrip("/")
