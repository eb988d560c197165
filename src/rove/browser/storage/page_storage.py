"""What the origin of a page stores: web storage, IndexedDB and Cache Storage."""

from __future__ import annotations

from typing import Any, Literal, Protocol

Area = Literal["local", "session", "indexeddb", "cache"]
Operation = Literal["list", "get", "set", "delete", "clear"]


class PageStorage(Protocol):
    """The storage of the origin of the page that a tab shows."""

    async def run(self, request: dict[str, Any], /) -> dict[str, Any]:
        """Run an operation in the page (`scripts/storage/`); raise InvalidArguments with the reason if it fails."""
        ...
