"""The documents that a page asks for, held to what a person was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rove.page.consequences import page_consequences
from rove.page.consequences.approved_documents import ApprovedDocuments, AskedDocument

if TYPE_CHECKING:
    from rove.chromium.events.live_page import LivePage
    from rove.chromium.interception.interceptor import Interceptor
    from rove.page.input.devices import InputDevices


class PageConsequences(page_consequences.PageConsequences):
    """Reads what elements of one page send or open, and holds the page to what a person was shown."""

    def __init__(self, page: LivePage, devices: InputDevices, interceptor: Interceptor) -> None:
        super().__init__(devices)
        self._live_page = page
        self._interceptor = interceptor

    async def hold_documents(self, documents: ApprovedDocuments) -> None:
        def refuses(event: dict[str, Any]) -> bool:
            return event["resourceType"] == "Document" and documents.refuses(_asked(event))

        cdps = (self._live_page.cdp, *self._live_page.worlds.cdp_sessions)
        await self._interceptor.hold_documents(self._page.target_id, cdps, refuses)

    async def release_documents(self) -> None:
        await self._interceptor.release_documents(self._page.target_id)


def _asked(event: dict[str, Any]) -> AskedDocument:
    request = event["request"]
    return AskedDocument(
        event["frameId"],
        request["method"],
        request["url"] + request.get("urlFragment", ""),
        request["headers"],
        is_redirect="redirectedRequestId" in event,
        is_of_popup=bool(event.get("isOfPopup")),
    )
