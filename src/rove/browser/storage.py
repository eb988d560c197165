"""What pages store in a browser: cookies, web storage, databases and caches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from rove.page_text import Text
from rove.validation.record import dataclass

SameSite = Literal["strict", "lax", "none"]
Area = Literal["local", "session", "indexeddb", "cache"]
Operation = Literal["list", "get", "set", "delete", "clear"]


@dataclass(frozen=True)
class Cookie:
    """A cookie; `expires` is in seconds since the epoch, None for one that ends with the session."""

    name: Text
    value: Text
    domain: Text
    path: Text
    expires: float | None = None
    http_only: bool = False
    secure: bool = False
    same_site: SameSite | None = None


class Cookies(Protocol):
    """The cookies that the browser sends with requests for the page that a tab shows."""

    async def list(self) -> Sequence[Cookie]: ...
    async def set(self, cookie: Cookie, /) -> None:
        """Set a cookie for the page. Raises InvalidArguments if the browser refuses it."""

    async def delete(self, cookie: Cookie, /) -> None:
        """Delete a cookie that `list` returned."""


class ContextCookies(Protocol):
    """The cookies of all pages of a context, each as Chromium's DevTools protocol describes it."""

    async def all(self) -> Sequence[dict[str, Any]]: ...
    async def add(self, cookies: Sequence[dict[str, Any]], /) -> None:
        """Set cookies; those that the browser refuses are left out. One that has expired deletes an earlier one."""


class PageStorage(Protocol):
    """The storage of the origin of the page that a tab shows."""

    async def run(self, request: dict[str, Any], /) -> dict[str, Any]:
        """Run an operation in the page (`scripts/storage/`); raise InvalidArguments with the reason if it fails."""
        ...
