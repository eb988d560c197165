"""Cookies of the page that a tab shows, and of all pages that are open."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from rove.browser.shared import storage
from rove.browser.shared.frames import WEB
from rove.browser.shared.storage import cookie_of
from rove.browser.storage import Cookie
from rove.browser.webkit.connection import WebDriverError
from rove.browser.webkit.live_page import LivePage
from rove.outcome import origin_in

_FIELDS: tuple[str, ...] = ("name", "value", "domain", "path", "secure", "httpOnly", "sameSite")


async def read_cookies(page: LivePage) -> list[dict[str, Any]]:
    """Return the cookies of a page, as WebDriver has them."""
    cookies: list[dict[str, Any]] = await page.send_to(page.place, "GET", "/cookie")
    return cookies


class PageCookies(storage.PageCookies):
    """The cookies that the browser sends with requests for the page."""

    _page: LivePage

    async def list(self) -> list[Cookie]:
        origin = origin_in(self._url)
        found = await read_cookies(self._page)
        return [cookie_of(each, origin, float(each["expiry"]) if "expiry" in each else None) for each in found]

    async def is_accepted(self, cookie: Cookie, url: str) -> bool:
        try:
            await self._page.send_to(self._page.place, "POST", "/cookie", {"cookie": _written(cookie)})
        except WebDriverError:
            if self._page.is_closed:
                raise
            return False
        return True

    async def delete(self, cookie: Cookie) -> None:
        await self._page.send_to(self._page.place, "DELETE", f"/cookie/{quote(cookie.name, safe='')}")


class ContextCookies(storage.ContextCookies):
    """The cookies of the pages that are open: WebDriver tells of no others."""

    def __init__(self, pages: Callable[[], Sequence[LivePage]]) -> None:
        self._pages = pages

    async def all(self) -> list[dict[str, Any]]:
        found: dict[tuple[str, str, str], dict[str, Any]] = {}
        for page in self._pages():
            if page.url.startswith(WEB) and not page.is_closed and page.dialogs.open is None:
                with contextlib.suppress(WebDriverError):
                    for each in await read_cookies(page):
                        found[each["domain"], each["path"], each["name"]] = _described(each)
        return list(found.values())

    async def set(self, cookies: Sequence[dict[str, Any]]) -> None:
        await self.add(cookies)

    async def add(self, cookies: Sequence[dict[str, Any]]) -> None:
        """Set cookies in the pages that are open; those of other hosts are left out."""
        for page in self._pages():
            if page.url.startswith(WEB) and not page.is_closed:
                for cookie in cookies:
                    with contextlib.suppress(WebDriverError):  # it is of another host
                        await page.send_to(page.place, "POST", "/cookie", {"cookie": _taken(cookie)})


def _written(cookie: Cookie) -> dict[str, Any]:
    given = {"domain": str(cookie.domain), "path": str(cookie.path), "expiry": _expiry(cookie.expires)}
    same_site = {"sameSite": cookie.same_site.capitalize()} if cookie.same_site else {}
    present = {name: value for name, value in given.items() if value not in ("", None)}
    flags = {"secure": cookie.secure, "httpOnly": cookie.http_only}
    return {"name": str(cookie.name), "value": str(cookie.value), **present, **same_site, **flags}


def _expiry(seconds: float | None) -> int | None:
    return None if seconds is None else max(int(seconds), 0)


def _described(told: dict[str, Any]) -> dict[str, Any]:
    """Return a cookie as the DevTools protocol describes it."""
    kept = {name: told[name] for name in _FIELDS if name in told}
    return {**kept, **({"expires": told["expiry"]} if "expiry" in told else {})}


def _taken(cookie: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {name: cookie[name] for name in _FIELDS if cookie.get(name) is not None}
    expires = cookie.get("expires", -1)
    return {**kept, **({"expiry": int(expires)} if expires and expires > 0 else {})}
