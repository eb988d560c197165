"""What a page said, without what nobody can see in it.

The snapshot's rows are cleaned where they are made (`chromium/scripts/text.js`); this is for everything else
that a page can put words into: titles, console lines, dialogs, addresses, extracted text, values of scripts.
"""

from __future__ import annotations

import re

# Zero-width and joining marks, bidirectional controls, Unicode tags, variation selectors beyond the one that
# picks an emoji's look, and fillers that render as nothing.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    "|(?<=\ufe0f)\ufe0f+"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def readable(text: str) -> str:
    """Text of several lines: line breaks and tabs stay, nothing invisible and no control character does."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text  # as most of it is: ten times as quick to know as to clean
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("\ufffd", _INVISIBLE.sub("", text)))


def one_line(text: str, longest: int = 500) -> str:
    """Text that cannot make a line of its own among ours."""
    tidy = readable(text).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", " ").strip()
    return tidy if len(tidy) <= longest else tidy[: longest - 1] + "…"
