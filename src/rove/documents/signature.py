"""What a file is, by its first bytes."""

from __future__ import annotations

# The first bytes of a PDF hold this; some writers put other bytes before it.
SIGNATURE = b"%PDF-"
SIGNATURE_WITHIN = 1024


def is_pdf(data: bytes) -> bool:
    """Whether a file that begins with these bytes is a PDF."""
    return SIGNATURE in data[:SIGNATURE_WITHIN]
