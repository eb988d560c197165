"""What is wrong with a document that was loaded for a caller."""

from __future__ import annotations

from rove.browser.network.navigation_errors import credentials_error, interrupted_error, navigation_error
from rove.browser.page_data import DocumentRequest

NO_CONTENT_STATUSES = (204, 205)


def raise_failure(document: DocumentRequest) -> None:
    """Raise if the document failed to load, failed halfway, or asks for a password."""
    if document.failure and document.status is None:
        raise navigation_error(document.failure, document.url, document.hops)
    if document.failure:
        raise interrupted_error(document.failure, document.url)
    if document.challenge and document.status:
        raise credentials_error(document.status, document.url, document.challenge)
