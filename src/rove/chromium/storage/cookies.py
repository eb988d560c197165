"""Cookies of the page that a tab shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rove.browser.storage.cookies import Cookie, SameSite
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import InvalidArguments
from rove.outcome import PageText, origin_in

_SAME_SITE: dict[str, SameSite] = {"Strict": "strict", "Lax": "lax", "None": "none"}


class PageCookies:
    """The cookies that the browser sends with requests for the page; `find_url` returns its URL."""

    def __init__(self, cdp: CdpSession, find_url: Callable[[], str]) -> None:
        self._cdp = cdp
        self._find_url = find_url

    async def list(self) -> list[Cookie]:
        answer = await self._cdp.send("Network.getCookies", {"urls": [self._url]})
        return [_cookie(each, origin_in(self._url)) for each in answer["cookies"]]

    async def set(self, cookie: Cookie) -> None:
        """Set a cookie for the page. Raises InvalidArguments if the browser refuses it."""
        params = {"url": self._url, "name": cookie.name, "value": cookie.value, **_attributes(cookie)}
        if not await self._is_accepted(params):
            raise InvalidArguments(
                "The browser does not accept the cookie ",
                cookie.name,
                " for this page.",
                hint="Check `name`, its prefix, `value` and `path`, and their length; `secure` needs an https: page.",
            )

    async def _is_accepted(self, params: dict[str, Any]) -> bool:
        """Set a cookie; return whether the browser took it. It answers some with an error, others with no success."""
        try:
            answer = await self._cdp.send("Network.setCookie", params)
        except CdpError:
            if self._cdp.is_closed:
                raise
            return False
        return bool(answer["success"])

    async def delete(self, cookie: Cookie) -> None:
        """Delete a cookie that `list` returned."""
        place = {"name": cookie.name, "domain": cookie.domain, "path": cookie.path}
        await self._cdp.send("Network.deleteCookies", place)

    @property
    def _url(self) -> str:
        url = self._find_url()
        if not url.startswith(("http://", "https://")):
            raise InvalidArguments(
                PageText(url[:100], origin_in(url)), " has no cookies.", hint="{navigate} to a page of the web first."
            )
        return url


def _cookie(reported: dict[str, Any], origin: str) -> Cookie:
    quote = PageText("", origin).around
    return Cookie(
        quote(reported["name"]),
        quote(reported["value"]),
        quote(reported["domain"]),
        quote(reported["path"]),
        None if reported["session"] else reported["expires"],
        reported["httpOnly"],
        reported["secure"],
        _SAME_SITE.get(reported.get("sameSite", "")),
    )


def _attributes(cookie: Cookie) -> dict[str, Any]:
    """Return the attributes that a cookie has, as CDP names them."""
    given = {"domain": cookie.domain, "path": cookie.path, "expires": cookie.expires}
    same_site = {"sameSite": cookie.same_site.capitalize()} if cookie.same_site else {}
    present = {name: value for name, value in given.items() if value not in ("", None)}
    return {**present, **same_site, "secure": cookie.secure, "httpOnly": cookie.http_only}
