"""Text above or below the line, such as exponents, in formats that have only one line."""

from __future__ import annotations

import re

from rove.reading.blocks import Position, Run

_PLAIN = "0123456789+-\u2212=()"
_FORMS = {
    "sup": str.maketrans(_PLAIN + "ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ"),
    "sub": str.maketrans(_PLAIN, "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎"),
}
_SIGNS = {"sup": "^", "sub": "_"}
# Words such as the ends of ordinals, and what begins with a mark of its own, read the same on the line.
_SAME_ON_THE_LINE = re.compile(r"[^\W\d_]{2,}\.?|[^\w\s+\-\u2212=].*|", re.DOTALL)


def characters_of(run: Run) -> str | None:
    """Return the text of a run in characters that show its position; None if there are none for it."""
    return _characters(run.text, run.position) if run.position else run.text


def written_out(run: Run) -> str:
    """Return the text of a run with a sign for its position where there are no characters for it: `^(a)`."""
    characters = characters_of(run)
    return f"{_SIGNS[run.position]}({run.text.strip()})" if characters is None else characters


def _characters(text: str, position: Position) -> str | None:
    formed = text.translate(_FORMS[position])
    if all(before != after or before.isspace() for before, after in zip(text, formed, strict=True)):
        return formed
    return text if _SAME_ON_THE_LINE.fullmatch(text.strip()) else None
