"""Requests and responses that carry a secret are withheld as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from rove.outcome import origin_in

_LABEL = re.compile(r"\[secret ([^\]]*)\]")


class TextRedactor(Protocol):
    """Removes secrets, and what a person typed, from texts; `names` is empty if there is nothing to remove."""

    @property
    def names(self) -> tuple[str, ...]: ...
    def redact(self, text: str, /) -> str: ...
    def redact_all(self, texts: Sequence[str], /) -> list[str]:
        """Redact texts that are shown together, over which a secret may be spread."""
        ...


class NoRedactor:
    """Removes nothing."""

    names: tuple[str, ...] = ()

    def redact(self, text: str) -> str:
        return text

    def redact_all(self, texts: Sequence[str]) -> list[str]:
        return [*texts]


def withheld(text: str, redact: Callable[[str], str]) -> str:
    """Return the text, or a note in its place if it carries a secret or a part of one."""
    clear = redact(text)
    if clear == text:
        return text
    names = dict.fromkeys(_LABEL.findall(clear))
    return f"[withheld: carries secret {', '.join(names)}]"


def withheld_url(url: str, redact: Callable[[str], str]) -> str:
    """Return the URL; if it carries a secret, only its origin."""
    shown = withheld(url, redact)
    if shown == url:
        return url
    origin = origin_in(url)
    return f"{origin}/{shown}" if redact(origin) == origin and origin != url else shown
