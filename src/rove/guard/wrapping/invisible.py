"""Removes invisible characters. With them, a page could write the same word so that a text search does not find it."""

from __future__ import annotations

import re

# Zero-width and joining characters, bidirectional controls, Unicode tags, variation selectors except the one that
# selects the emoji style, and fillers that render as nothing.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    "|(?<=\ufe0f)\ufe0f+"
)


def without_invisible(text: str) -> str:
    return text if text.isascii() else _INVISIBLE.sub("", text)
