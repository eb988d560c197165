"""The next page of an article that is divided over several pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from lxml.html import HtmlElement

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
