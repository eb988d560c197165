"""Cookies of the page that a tab shows."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from rove.browser.storage.cookies import Cookie, SameSite
from rove.errors import InvalidArguments
from rove.firefox.protocol.connection import BidiError, PageChannel
from rove.firefox.storage.context_cookies import ContextCookies
from rove.outcome import PageText, origin_in
from rove.states.cookie_rules import cookie_complaint

_SAME_SITE: dict[str, SameSite] = {"Strict": "strict", "Lax": "lax", "None": "none"}


class PageCookies:
    """The cookies that Firefox sends with requests for the page; `find_url` returns its URL."""

    def __init__(self, channel: PageChannel, cookies: ContextCookies, find_url: Callable[[], str]) -> None:
        self._channel = channel
        self._cookies = cookies
        self._find_url = find_url

    async def list(self) -> builtins.list[Cookie]:
        url = self._url
        found = [each for each in await self._cookies.all() if _is_sent(each, url)]
        return [_cookie(each, origin_in(url)) for each in found]

    async def set(self, cookie: Cookie) -> None:
        """Set a cookie for the page. Raises InvalidArguments if Firefox refuses it."""
        url = self._url
        given = {
            "name": str(cookie.name),
            "value": str(cookie.value),
            "domain": str(cookie.domain) or urlsplit(url).hostname or "",
            "path": str(cookie.path) or "/",
            "expires": -1 if cookie.expires is None else cookie.expires,
            "secure": cookie.secure,
            "httpOnly": cookie.http_only,
            "sameSite": cookie.same_site,
        }
        # Firefox sets what WebDriver gives it without the checks that pages meet.
        if cookie_complaint(given) or not _may_set(given, url) or not await self._is_accepted(given):
            raise InvalidArguments(
                "The browser does not accept the cookie ",
                cookie.name,
                " for this page.",
                hint="Check `name`, its prefix, `value` and `path`, and their length; `secure` needs an https: page.",
            )

    async def _is_accepted(self, given: dict[str, Any]) -> bool:
        try:
            await self._cookies.set_one(given)
        except BidiError:
            if self._channel.is_closed:
                raise
            return False
        return True

    async def delete(self, cookie: Cookie) -> None:
        """Delete a cookie that `list` returned."""
        await self._cookies.delete(str(cookie.name), str(cookie.domain), str(cookie.path))

    @property
    def _url(self) -> str:
        url = self._find_url()
        if not url.startswith(("http://", "https://")):
            raise InvalidArguments(
                PageText(url[:100], origin_in(url)), " has no cookies.", hint="{navigate} to a page of the web first."
            )
        return url


def _may_set(cookie: dict[str, Any], url: str) -> bool:
    """Return whether a page may have a cookie: of its host or one above it, and a secure one only over https."""
    return _matches_host(cookie["domain"], url) and (not cookie["secure"] or _is_secure(url))


def _is_secure(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1")


def _is_sent(cookie: dict[str, Any], url: str) -> bool:
    path = urlsplit(url).path or "/"
    own = cookie["path"].rstrip("/")
    is_below = path == own or path.startswith(f"{own}/")
    return _matches_host(cookie["domain"], url) and is_below and (not cookie["secure"] or _is_secure(url))


def _matches_host(domain: str, url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host == domain or (domain.startswith(".") and (host == domain[1:] or host.endswith(domain)))


def _cookie(reported: dict[str, Any], origin: str) -> Cookie:
    quote = PageText("", origin).around
    return Cookie(
        quote(reported["name"]),
        quote(reported["value"]),
        quote(reported["domain"]),
        quote(reported["path"]),
        None if reported["expires"] < 0 else reported["expires"],
        reported["httpOnly"],
        reported["secure"],
        _SAME_SITE.get(reported.get("sameSite", "")),
    )
