"""The documents that a page asks for, held to what a person was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.page.consequences import page_consequences
from rove.page.consequences.approved_documents import ApprovedDocuments

if TYPE_CHECKING:
    from rove.firefox.interception.interceptor import Interceptor
    from rove.page.input.devices import InputDevices


class PageConsequences(page_consequences.PageConsequences):
    """Reads what elements of one page send or open, and holds the page to what a person was shown."""

    def __init__(self, devices: InputDevices, interceptor: Interceptor) -> None:
        super().__init__(devices)
        self._interceptor = interceptor

    async def hold_documents(self, documents: ApprovedDocuments) -> None:
        await self._interceptor.hold_documents(self._page.target_id, documents.refuses)

    async def release_documents(self) -> None:
        await self._interceptor.release_documents(self._page.target_id)
