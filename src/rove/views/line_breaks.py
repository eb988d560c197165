"""Line breaks in text of pages, which answers of lines must not contain."""

from __future__ import annotations

from rove.validation.pattern import pattern

_BREAK = pattern("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def unbroken(text: str) -> str:
    """Return text on one line: its line breaks as escape sequences, all else as it is."""
    return _BREAK.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
