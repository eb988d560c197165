"""Addresses in a page, made absolute. Only http and https addresses are kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

if TYPE_CHECKING:
    from lxml.html import HtmlElement

LONGEST = 2000
_SCHEMES = ("http://", "https://")
_ENCODED = str.maketrans({" ": "%20", "<": "%3C", ">": "%3E", '"': "%22", "`": "%60", "\\": "%5C"})


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
