"""The header Retry-After of a response."""

from __future__ import annotations

import time


def seconds_in(header: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for, which may be given as a date; None if it asks nothing."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    from email.utils import parsedate_to_datetime  # imported late, as few servers send the header

    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError):
        return None
