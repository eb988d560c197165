"""Cookies of all pages of a browser context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rove.chromium.protocol.connection import CdpError, CdpSession

# The fields of a cookie from `Storage.getCookies` that `Storage.setCookies` accepts.
COOKIE_FIELDS = (
    "name", "value", "domain", "path", "secure", "httpOnly", "sameSite", "expires", "priority", "partitionKey",
)  # fmt: skip


class ContextCookies:
    """Reads and sets the cookies of one context."""

    def __init__(self, root: CdpSession, context: str) -> None:
        self._root = root
        self._context = context

    async def all(self) -> list[dict[str, Any]]:
        answer = await self._root.send("Storage.getCookies", {"browserContextId": self._context})
        return [{key: cookie[key] for key in COOKIE_FIELDS if key in cookie} for cookie in answer["cookies"]]

    async def set(self, cookies: Sequence[dict[str, Any]]) -> None:
        """Set cookies, all or none. Raises CdpError if the browser refuses one."""
        if cookies:
            await self._root.send("Storage.setCookies", {"cookies": [*cookies], "browserContextId": self._context})

    async def add(self, cookies: Sequence[dict[str, Any]]) -> None:
        """Set cookies; those that the browser refuses are left out."""
        try:
            await self.set(cookies)
        except CdpError:
            if self._root.is_closed:
                raise
            for cookie in cookies if len(cookies) > 1 else ():
                await self.add([cookie])
