"""Web storage, IndexedDB and Cache Storage of the page that a tab shows."""

from __future__ import annotations

from typing import Any

from rove.browser.scripts import storage_script
from rove.errors import InvalidArguments
from rove.page.frames.world import World
from rove.page.frames.worlds import Worlds


class PageStorage:
    """The storage of the origin of the page. Its script runs in rove's own world, where the page cannot change it."""

    def __init__(self, worlds: Worlds[World]) -> None:
        self._worlds = worlds

    async def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run an operation in the page; raise InvalidArguments with the reason if it fails."""
        document = await self._worlds.main.document()
        answer: dict[str, Any] = await document.call(storage_script(), request)
        if "error" in answer:
            raise InvalidArguments(answer["error"], hint="{storage} with operation=list shows what there is.")
        return answer
