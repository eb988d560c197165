"""Cookies of all pages of a user context, in the form in which Chromium's DevTools protocol has them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import Any

from rove.firefox.protocol.connection import BidiConnection, BidiError
from rove.firefox.protocol.request_facts import text_of

_SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None"}


class ContextCookies:
    """Reads and sets the cookies of one context."""

    def __init__(self, connection: BidiConnection, context: str) -> None:
        self._connection = connection
        self._partition = {"type": "storageKey", "userContext": context}

    async def all(self) -> list[dict[str, Any]]:
        answer = await self._connection.send("storage.getCookies", {"partition": self._partition})
        return [_as_chromium(cookie) for cookie in answer["cookies"]]

    async def set(self, cookies: Sequence[dict[str, Any]]) -> None:
        """Set cookies. Raises BidiError if Firefox refuses one."""
        for cookie in cookies:
            await self.set_one(cookie)

    async def add(self, cookies: Sequence[dict[str, Any]]) -> None:
        """Set cookies; those that Firefox refuses are left out. One that has expired deletes an earlier one."""
        for cookie in cookies:
            with contextlib.suppress(BidiError):
                if 0 <= cookie.get("expires", -1) <= time.time():
                    await self.delete(cookie["name"], cookie["domain"], cookie.get("path", "/"))
                else:
                    await self.set_one(cookie)

    async def set_one(self, cookie: dict[str, Any]) -> None:
        """Set one cookie. Raises BidiError if Firefox refuses it."""
        given: dict[str, Any] = {
            "name": cookie["name"],
            "value": {"type": "string", "value": cookie["value"]},
            "domain": cookie["domain"],
            "path": cookie.get("path") or "/",
            "secure": bool(cookie.get("secure")),
            "httpOnly": bool(cookie.get("httpOnly")),
            "sameSite": (cookie.get("sameSite") or "default").lower(),
        }
        if cookie.get("expires", -1) is not None and cookie.get("expires", -1) >= 0:
            given["expiry"] = int(cookie["expires"])
        await self._connection.send("storage.setCookie", {"cookie": given, "partition": self._partition})

    async def delete(self, name: str, domain: str, path: str) -> None:
        place = {"name": name, "domain": domain, "path": path}
        await self._connection.send("storage.deleteCookies", {"filter": place, "partition": self._partition})


def _as_chromium(cookie: dict[str, Any]) -> dict[str, Any]:
    found = {
        "name": cookie["name"],
        "value": text_of(cookie["value"]),
        "domain": cookie["domain"],
        "path": cookie["path"],
        "secure": cookie["secure"],
        "httpOnly": cookie["httpOnly"],
        "expires": float(cookie.get("expiry", -1)),
    }
    same_site = _SAME_SITE.get(cookie.get("sameSite", ""))
    return {**found, "sameSite": same_site} if same_site else found
