"""Removes invisible characters. With them, a page could write the same word so that a text search does not find it."""

from __future__ import annotations

import re

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


def without_invisible(text: str) -> str:
    """Return the text without characters that show nothing; joiners stay where they join letters or emoji."""
    return text if text.isascii() else _VISIBLE_OR_NOT.sub(lambda match: match[1] or "", text)


def count_invisible(text: str) -> int:
    """Return how many characters of a text show nothing, which models are not told."""
    return len(text) - len(without_invisible(text))
