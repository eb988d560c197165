"""The consequences of acts on one page."""

from __future__ import annotations

import asyncio
import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from rove.browser.consequences.consequence import Cause, Consequence, SentField
from rove.page.consequences.approved_documents import ApprovedDocuments
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.consequences.consequence import Hold
    from rove.browser.element import Element
    from rove.page.input.devices import InputDevices

CHUNK_BYTES = 2**20


class PageConsequences(ABC):
    """Reads what elements of one page send or open, and holds the page to what a person was shown."""

    can_hold = True

    def __init__(self, devices: InputDevices) -> None:
        self._page = devices.page
        self._devices = devices

    @abstractmethod
    async def hold_documents(self, documents: ApprovedDocuments) -> None:
        """Refuse the documents that are not those that were shown, in the page and in windows that it opens."""

    @abstractmethod
    async def release_documents(self) -> None:
        """Let the page ask for documents as it likes."""

    async def of_element(self, element: Element, argument: str, cause: Cause) -> Consequence | None:
        """Return the form or the link that an element sends or opens, by its markup; None if there is none."""
        world: Any = element.frame
        ref = element.ref.removeprefix(world.prefix)
        answer = await world.call("(ref, cause) => rove.consequenceOf(ref, cause)", ref, cause)
        found: dict[str, Any] | None = answer.get("found")
        if not found:
            return None
        fields = tuple(SentField(**each) for each in found.pop("fields", ()))
        return Consequence(argument=argument, fields=fields, **found)

    async def of_files(self, paths: Sequence[str]) -> tuple[Consequence, ...]:
        """Return each file of the workspace with the digest of its content now."""
        workspace = Workspace(self._page.settings.workspace_folder)
        return await asyncio.to_thread(lambda: tuple(_digested(workspace, path) for path in paths))

    @asynccontextmanager
    async def hold_to(self, shown: Sequence[Consequence]) -> AsyncGenerator[Hold]:
        """Refuse documents and files other than those that were shown, while the context is entered."""
        documents = ApprovedDocuments(self._page.worlds.main.frame_id, shown)
        self._devices.approved_files = {each.argument: each.sha256 for each in shown if each.kind == "file"}
        holds = any(each.url for each in shown)
        if holds:
            await self.hold_documents(documents)
        try:
            yield documents
        finally:
            self._devices.approved_files = {}
            if holds:
                await self.release_documents()


def _digested(workspace: Workspace, path: str) -> Consequence:
    digest = hashlib.sha256()
    with workspace.reading(path) as file, os.fdopen(os.dup(file.descriptor), "rb") as opened:
        left = file.size
        while left > 0 and (chunk := opened.read(min(left, CHUNK_BYTES))):
            digest.update(chunk)
            left -= len(chunk)
        return Consequence("file", path, name=file.name, size=file.size, sha256=digest.hexdigest())
