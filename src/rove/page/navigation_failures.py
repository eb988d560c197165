"""What is wrong with a document that was loaded for a caller, or with its address."""

from __future__ import annotations

from rove.browser.network.navigation_errors import (
    credentials_error,
    interrupted_error,
    navigation_error,
    quoted_url,
)
from rove.browser.page_data import DocumentRequest
from rove.errors import Denied

NO_CONTENT_STATUSES = (204, 205)


def raise_failure(document: DocumentRequest) -> None:
    """Raise if the document failed to load, failed halfway, or asks for a password."""
    if document.failure and document.status is None:
        raise navigation_error(document.failure, document.url, document.hops)
    if document.failure:
        raise interrupted_error(document.failure, document.url)
    if document.challenge and document.status:
        raise credentials_error(document.status, document.url, document.challenge)


def refuse_other_schemes(url: str, engine: str) -> None:
    """Raise Denied unless an address is of the web: only on Chromium does rove read files of the workspace itself.

    The policy may allow such files for a session on Chromium that runs beside this one.
    """
    if not url.lower().startswith(("http:", "https:", "about:blank")):
        raise Denied(quoted_url(url), f" is not opened on {engine}.", hint="Use an http: or https: address.")
