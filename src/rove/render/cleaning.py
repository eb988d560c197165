"""Removes invisible and control characters from text of pages.

The rows of a snapshot are cleaned in the page, by the snapshot script. This is for all other text that a page can
write: titles, console messages, dialogs, addresses, extracted text, values of scripts.
"""

from __future__ import annotations

import re

from rove.guard.wrapping.invisible import without_invisible

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def readable(text: str) -> str:
    """Return text of several lines without invisible and control characters; line breaks and tabs stay."""
    # Most text is printable ASCII with an ellipsis here and there, and to check that is ten times as fast as to clean.
    plain = text.replace("\n", "").replace("\t", "").replace("…", "")
    if plain.isascii() and plain.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("\ufffd", without_invisible(text)))


def one_line(text: str, longest: int = 500) -> str:
    """Return text on one line, cut at `longest` characters, so that it cannot imitate a line of ours."""
    tidy = readable(text).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", " ").strip()
    return tidy if len(tidy) <= longest else tidy[: longest - 1] + "…"
