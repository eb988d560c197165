"""Text of pages without invisible and control characters, or with these written out for a person who decides.

The rows of a snapshot are cleaned in the page, by the snapshot script. This is for all other text that a page can
write: titles, console messages, dialogs, addresses, extracted text, values of scripts.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Any

_INVISIBLE = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)

# Emoji of several characters: pictures that joiners make one, keycaps, and the three flags made of tags.
_PICTURE = "[\u00a9\u00ae\u203c\u2049\u2122-\u3299\U0001f000-\U0001faff][\U0001f3fb-\U0001f3ff]?\ufe0f?"
_FLAG = (
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
_EMOJI = f"{_FLAG}|{_PICTURE}(?:\u200d{_PICTURE})*|[#*0-9]\ufe0f\u20e3"

# Joiners change letters that join: in scripts like Arabic between two letters, in Indic scripts beside a virama.
_CURSIVE = "[\u0600-\u0603\u0606-\u061b\u061d-\u074f\u0750-\u077f\u07c0-\u07ff\u0870-\u08ff\u1820-\u18aa]"
_VIRAMA = "[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u103a\u17d2]"
_JOINER = (
    f"(?<={_CURSIVE})\u200c(?={_CURSIVE})|(?<={_CURSIVE})\u200d(?![\u200b-\u200f])"
    f"|(?<={_VIRAMA})[\u200c\u200d](?![\u200b-\u200f])|(?<=[\u0900-\u0dff])\u200d(?={_VIRAMA})"
)
INVISIBLE = re.compile(_INVISIBLE)
_VISIBLE_OR_NOT = re.compile(f"({_EMOJI}|{_JOINER})|{_INVISIBLE}")

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
# Control, format, surrogate, private and unassigned characters, and separators of lines.
_NOT_SEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
BLANK_BRAILLE = "\u2800"
EMOJI_STYLE = "\ufe0f"
_SURROGATE = re.compile("[\ud800-\udfff]")


def without_invisible(text: str) -> str:
    """Return the text without characters that show nothing; joiners stay where they join letters or emoji."""
    return text if text.isascii() else _VISIBLE_OR_NOT.sub(lambda match: match[1] or "", text)


def count_invisible(text: str) -> int:
    """Return how many characters of a text show nothing, which models are not told."""
    return len(text) - len(without_invisible(text))


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
