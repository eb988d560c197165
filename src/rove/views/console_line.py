"""Console messages as Playwright writes them."""

from __future__ import annotations

from rove.validation.pattern import pattern

_POSITION = pattern(r"(?P<url>.*?)(?::(?P<line>\d+):\d+)?")
# Kinds that the browser itself writes, which Playwright tells by their level.
_OWN_KINDS = ("network", "security", "violation", "intervention", "deprecation", "recommendation", "other")


def console_line(kind: str, level: str, text: str, location: str) -> str:
    """Return one message; of an uncaught error, its stack."""
    if kind == "exception":
        return text.removeprefix("Uncaught ").removeprefix("(in promise) ")
    match = _POSITION.fullmatch(location)
    url, line = (match["url"], int(match["line"] or 1)) if match else (location, 1)
    # Playwright counts lines from 0.
    return f"[{(level if kind in _OWN_KINDS else kind).upper()}] {text} @ {url}:{line - 1}"
