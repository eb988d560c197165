"""The known word that is nearest to an unknown one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str], at_least: float = 0.6) -> str | None:
    """Return the most similar known word. `at_least` is the similarity needed, from 0 (nothing in common) to 1."""
    import difflib  # imported here, as it is rarely needed

    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=at_least)), None)
