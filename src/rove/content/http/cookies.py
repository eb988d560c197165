"""Cookies over HTTP, by the rules of browsers (RFC 6265bis): which are accepted, and which are sent with a request.

A cookie is a dict with the names and values of Chromium's DevTools protocol, as in saved states.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rove.content.http.answer import is_number, moment_of
from rove.storage.cookie_rules import cookie_complaint

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

Cookie = dict[str, Any]
# Browsers keep no cookie for longer.
LONGEST_SECONDS = 400 * 86400
SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None"}
# Cookies of one server that are kept of one answer.
MOST_OF_ONE_ANSWER = 180


def accepted_cookies(headers: Iterable[str], url: str, now: float) -> list[Cookie]:
    """Return the cookies that a browser would accept of an answer's `Set-Cookie` headers.

    One that has expired is among them: it deletes an earlier one.
    """
    read = (_accepted(_letters(header), url, now) for header in list(headers)[:MOST_OF_ONE_ANSWER])
    return [cookie for cookie in read if cookie is not None]


def not_overwriting(newer: Iterable[Cookie], known: Iterable[Cookie], url: str) -> list[Cookie]:
    """Leave out cookies that an unencrypted answer sets in the place of secure ones (RFC 6265bis, 5.7, step 16)."""
    secure = [] if is_trustworthy(url) else [cookie for cookie in known if cookie.get("secure")]
    return [cookie for cookie in newer if not any(_overwrites(cookie, other) for other in secure)]


def _overwrites(cookie: Cookie, secure: Cookie) -> bool:
    domain, other = str(cookie["domain"]), str(secure["domain"])
    is_one_domain = _is_of_host(f".{domain.lstrip('.')}", other.lstrip(".")) or _is_of_host(
        f".{other.lstrip('.')}", domain.lstrip(".")
    )
    is_under = _is_under(str(cookie.get("path", "/")), str(secure.get("path", "/")))
    return cookie["name"] == secure["name"] and is_one_domain and is_under


def cookie_header(cookies: Iterable[Cookie], url: str, is_cross_site: bool, now: float) -> str:
    """Return the `Cookie` header of a request that opens an address, as if it were typed; empty if none is sent.

    `is_cross_site`: an address of another site has redirected to this one. Each character stands for a byte.
    """
    sent = [cookie for cookie in cookies if is_sent(cookie, url, is_cross_site, now)]
    # Longer paths come first; among others the order is kept.
    sent.sort(key=lambda cookie: -len(str(cookie.get("path", "/"))))
    text = "; ".join(f"{each['name']}={each['value']}" if each["name"] else str(each["value"]) for each in sent)
    # Browsers send letters beyond ASCII as UTF-8.
    return text.encode("utf-8", "replace").decode("latin-1")


def is_sent(cookie: Cookie, url: str, is_cross_site: bool, now: float) -> bool:
    """Whether a browser would send a cookie with a request that opens an address."""
    parts = urlsplit(url)
    host = _host(url)
    if not _is_of_host(str(cookie["domain"]), host) or not _is_under(parts.path or "/", str(cookie.get("path", "/"))):
        return False
    if cookie.get("secure") and not is_trustworthy(url):
        return False
    if is_cross_site and cookie.get("sameSite") == "Strict":
        return False
    return not is_expired(cookie, now) and _is_of_partition(cookie, url)


def is_expired(cookie: Cookie, now: float) -> bool:
    expires = float(cookie.get("expires", -1))
    return expires != -1 and expires <= now


def identity(cookie: Cookie) -> tuple[str, str, str, str]:
    """Return what a newer cookie must share with an older one to replace it."""
    partition = cookie.get("partitionKey") or {}
    site = partition.get("topLevelSite", "") if isinstance(partition, dict) else str(partition)
    return str(cookie["name"]), str(cookie["domain"]), str(cookie.get("path", "/")), site


def merged(older: Iterable[Cookie], newer: Iterable[Cookie]) -> list[Cookie]:
    """Return cookies with newer ones in the place of those that they replace."""
    return [*{identity(cookie): cookie for cookie in (*older, *newer)}.values()]


def site_of(url: str) -> str:
    """Return the site of an address: its scheme and its registrable domain, or its host if it has none."""
    host = _host(url)
    domain = host if _is_address(host) else _suffixes().privatesuffix(host) or host
    return f"{urlsplit(url).scheme}://{domain}"


def is_trustworthy(url: str) -> bool:
    """Whether browsers let an address have secure cookies: it is encrypted, or on this machine."""
    host = _host(url)
    is_local = host == "localhost" or host.endswith(".localhost") or host == "::1" or host.startswith("127.")
    return url.startswith("https:") or is_local


def _letters(header: str) -> str:
    """Return the text of a header in which each character stands for a byte: UTF-8 if it is that."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header


def _accepted(header: str, url: str, now: float) -> Cookie | None:
    pair, *attributes = header.split(";")
    name, equals, value = pair.partition("=")
    if not equals:
        name, value = "", name
    given = {key.strip().lower(): text.strip() for key, _, text in (each.partition("=") for each in attributes)}
    cookie: Cookie = {
        "name": name.strip(),
        "value": value.strip(),
        "path": given["path"] if given.get("path", "").startswith("/") else _default_path(url),
        "secure": "secure" in given,
        "httpOnly": "httponly" in given,
        "expires": _expiry(given, now),
    }
    if same_site := SAME_SITE.get(given.get("samesite", "").lower()):
        cookie["sameSite"] = same_site
    if "partitioned" in given:
        cookie["partitionKey"] = {"topLevelSite": site_of(url), "hasCrossSiteAncestor": False}
    domain = _domain(given.get("domain", ""), _host(url))
    return cookie if domain is not None and _is_allowed(cookie | {"domain": domain}, url, cookie) else None


def _is_allowed(candidate: Cookie, url: str, cookie: Cookie) -> bool:
    """Whether a browser accepts a cookie with these attributes; its domain is set if so."""
    needs_secure = candidate.get("sameSite") == "None" or "partitionKey" in candidate
    if (candidate["secure"] and not is_trustworthy(url)) or (needs_secure and not candidate["secure"]):
        return False
    checked = {key: value for key, value in candidate.items() if key != "partitionKey"}
    if cookie_complaint(checked) is not None:
        return False
    cookie["domain"] = candidate["domain"]
    return True


def _domain(attribute: str, host: str) -> str | None:
    """Return the domain of a cookie, with a dot if other hosts under it get it too; None if it may not be set."""
    wanted = attribute.lower().lstrip(".")
    if not wanted or (wanted == host and (_is_address(host) or _is_public_suffix(host))):
        return host
    if _is_public_suffix(wanted) or not _is_of_host(f".{wanted}", host) or _is_address(host):
        return None
    return f".{wanted}"


def _expiry(given: Mapping[str, str], now: float) -> float:
    """Return when a cookie ends, in seconds since the epoch; -1 if with the session."""
    age = given.get("max-age", "")
    if is_number(age.removeprefix("-")):
        # One that has ended at once is kept as such, as it deletes an earlier one.
        return now + min(int(age[:12]), LONGEST_SECONDS) if int(age[:12]) > 0 else 0
    moment = moment_of(given["expires"]) if given.get("expires") else None
    return -1 if moment is None else min(max(moment, 0), now + LONGEST_SECONDS)


def _default_path(url: str) -> str:
    path = urlsplit(url).path
    return path[: path.rindex("/")] or "/" if path.startswith("/") else "/"


def _is_of_host(domain: str, host: str) -> bool:
    if not domain.startswith("."):
        return domain.lower() == host
    bare = domain[1:].lower()
    return host == bare or (host.endswith(f".{bare}") and not _is_address(host))


def _is_under(path: str, cookie_path: str) -> bool:
    return path == cookie_path or path.startswith(cookie_path if cookie_path.endswith("/") else f"{cookie_path}/")


def _is_of_partition(cookie: Cookie, url: str) -> bool:
    """Whether a cookie is kept for pages that are opened by themselves, not for frames in pages of other sites."""
    partition = cookie.get("partitionKey")
    if not partition:
        return True
    if not isinstance(partition, dict) or partition.get("hasCrossSiteAncestor"):
        return False
    return bool(partition.get("topLevelSite") == site_of(url))


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").removesuffix(".").lower()


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_public_suffix(host: str) -> bool:
    return not _is_address(host) and _suffixes().privatesuffix(host) is None


@cache
def _suffixes() -> PublicSuffixList:
    """Return the domains under which anyone can register a name. Reading the list takes 0.1 s."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
