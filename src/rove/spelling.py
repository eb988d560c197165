"""What was perhaps meant by a word that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str], at_least: float = 0.6) -> str | None:
    """The known word most like it, if one is: 1 is the same, 0 has nothing of it."""
    import difflib  # most people mistype nothing

    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=at_least)), None)
