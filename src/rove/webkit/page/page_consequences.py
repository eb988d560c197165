"""What acts on a page would send or open; WebDriver cannot hold the page to it."""

from __future__ import annotations

from rove.page.consequences import page_consequences
from rove.page.consequences.approved_documents import ApprovedDocuments
from rove.webkit.page.unsupported import unsupported


class PageConsequences(page_consequences.PageConsequences):
    """Reads what elements of one page send or open."""

    can_hold = False

    async def hold_documents(self, documents: ApprovedDocuments) -> None:
        """Raise Unsupported: what a person was shown could not be enforced, so that it is not done."""
        raise unsupported("hold a page to what a person approved")

    async def release_documents(self) -> None:
        """Do nothing, as nothing is held."""
