"""Removes invisible and control characters from text of pages, or writes them out for a person who decides.

The rows of a snapshot are cleaned in the page, by the snapshot script. This is for all other text that a page can
write: titles, console messages, dialogs, addresses, extracted text, values of scripts.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Any

from rove.guard.wrapping.invisible import INVISIBLE, without_invisible

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
# Control, format, surrogate, private and unassigned characters, and separators of lines.
_NOT_SEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
BLANK_BRAILLE = "\u2800"
EMOJI_STYLE = "\ufe0f"
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


def visible_line(text: str, longest: int = 500) -> str:
    """Return text on one line as a person is asked about it: nothing is left out but what is cut at the end."""
    tidy = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", " ").strip()
    shown: str = visible(tidy)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def visible(value: Any) -> Any:
    """Return a value in which characters that a person would not see are written out.

    They could make what is approved look like something else, for example by writing it backwards.
    """
    if isinstance(value, str):
        plain = value.isascii() and value.isprintable()
        return value if plain else "".join(_written(*two) for two in pairwise(f" {value}"))
    if isinstance(value, dict):
        return {visible(key): visible(each) for key, each in value.items()}
    return [visible(each) for each in value] if isinstance(value, list | tuple) else value


def _written(before: str, char: str) -> str:
    is_style_of_emoji = char == EMOJI_STYLE and unicodedata.category(before) == "So" and _is_seen(before)
    return char if char in "\n\t" or is_style_of_emoji or _is_seen(char) else f"\\u{{{ord(char):x}}}"


def _is_seen(char: str) -> bool:
    return unicodedata.category(char) not in _NOT_SEEN and char != BLANK_BRAILLE and not INVISIBLE.match(char)
