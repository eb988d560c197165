"""What a page said, without what nobody can see in it.

The snapshot's rows are cleaned where they are made (`chromium/scripts/text.js`); this is for everything else
that a page can put words into: titles, console lines, dialogs, addresses, extracted text, values of scripts.
"""

from __future__ import annotations

import re

from rove.guard.wrapping.invisible import without_invisible

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def readable(text: str) -> str:
    """Text of several lines: line breaks and tabs stay, nothing invisible and no control character does."""
    # But for the marks of what was left out, most of it is plain: ten times as quick to know as to clean.
    plain = text.replace("\n", "").replace("\t", "").replace("…", "")
    if plain.isascii() and plain.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("\ufffd", without_invisible(text)))


def one_line(text: str, longest: int = 500) -> str:
    """Text that cannot make a line of its own among ours."""
    tidy = readable(text).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", " ").strip()
    return tidy if len(tidy) <= longest else tidy[: longest - 1] + "…"
