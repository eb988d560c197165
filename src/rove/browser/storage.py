"""What pages store in a browser: cookies, web storage, databases and caches."""

from __future__ import annotations

from typing import Literal

from rove.page_text import Text
from rove.records import dataclass

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
