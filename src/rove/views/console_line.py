"""Console messages as Playwright writes them."""

from __future__ import annotations

from rove.validation.pattern import pattern
from rove.views.line_breaks import unbroken

_POSITION = pattern(r"(?P<url>.*?)(?::(?P<line>\d+):\d+)?")
_FRAME = "\n    at "
# Kinds that the browser itself writes, which Playwright tells by their level.
_OWN_KINDS = ("network", "security", "violation", "intervention", "deprecation", "recommendation", "other")


def console_line(kind: str, level: str, text: str, location: str) -> str:
    """Return one message on one line; of an uncaught error, its stack on lines of their own."""
    if kind == "exception":
        return _error_lines(text.removeprefix("Uncaught ").removeprefix("(in promise) "))
    match = _POSITION.fullmatch(location)
    url, line = (match["url"], int(match["line"] or 1)) if match else (location, 1)
    # Playwright counts lines from 0.
    return f"[{(level if kind in _OWN_KINDS else kind).upper()}] {unbroken(text)} @ {unbroken(url)}:{line - 1}"


def _error_lines(text: str) -> str:
    """Return an uncaught error. One that does not begin like the name of an error is marked as one."""
    told = _FRAME.join(map(unbroken, text.split(_FRAME)))
    return told if told[:1].isalpha() else f"[ERROR] {told}"
