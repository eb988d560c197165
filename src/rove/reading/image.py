"""An image of an article."""

from __future__ import annotations

from rove.validation.record import dataclass


@dataclass(frozen=True)
class Image:
    """An image of an article: its absolute http(s) address, and the text that the page gives in its place."""

    address: str
    alt: str = ""
