"""The known words, or lines, that are nearest to an unknown one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def nearest(word: str, known: Iterable[str], at_least: float = 0.6) -> str | None:
    """Return the most similar known word. `at_least` is the similarity needed, from 0 (nothing in common) to 1."""
    import difflib  # imported here, as it is rarely needed

    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=at_least)), None)


def close_lines(text: str, lines: Sequence[str]) -> list[str]:
    """Return the lines that contain, or are, something similar to a text, whatever its case; at most two."""
    import difflib

    wanted = text.lower()
    folded = {line.lower().strip('"'): line for line in lines}
    parts = [line for key, line in folded.items() if wanted in key]
    return (parts + [folded[key] for key in difflib.get_close_matches(wanted, folded, n=2, cutoff=0.6)])[:2]
