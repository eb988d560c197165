"""Wraps page text in markers that pages cannot forge.

    <untrusted 41872206630915574920 https://example.com>
    heading "Welcome" [e1]
    </untrusted 41872206630915574920>

Every answer has a new random number, which a page cannot know. Page text that looks like such a marker, with whatever
letters and brackets, is changed so that it no longer does: a model should not have to compare twenty digits.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from rove.outcome import NOWHERE, Passage

WORD = "untrusted"
# Twenty decimal digits are 66 bits and cost a model 7 tokens; the same bits in hexadecimal would cost 11.
DIGITS = 20
NEUTRAL = "(not a marker: "

# Brackets, and the characters that a forged marker may have between its letters.
_OPENING = r"(?:[<>\[\](){}|]|&(?:lt|#0*60|#x0*3c);)"
_GAP = r"[\s\"'`\\|_.,:;*~^=+/#%&!?@$-]{0,48}"
_GAP_BYTES = bytes(code for code in range(128) if re.fullmatch(_GAP, chr(code)))
_LOOKALIKE_MARKER = re.compile(rf"({_OPENING}){_GAP}/*{_GAP}" + _GAP.join(WORD), re.IGNORECASE)
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[a-z0-9._:\[\]%-]+|about:[a-z]+|null", re.IGNORECASE)
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_SLASHES = dict.fromkeys(map(ord, "⁄∕⧸⟋╱／＼∖⧵⟍╲\\"), "/")
_BRACKETS = dict.fromkeys(
    map(
        ord,
        "‹›«»〈〉⟨⟩《》⟪⟫❮❯❰❱≺≻≪≫⋘⋙⧼⧽˂˃ᐸᐳ„“”「」『』【】〔〕〖〗〘〙〚〛⟦⟧⟬⟭⁅⁆⦃⦄❲❳❬❭❴❵﴾﴿⋖⋗⪡⪢⸨⸩⟮⟯◁▷◄►⊲⊳◀▶⪦⪧≤≥⩽⩾",
    ),
    "<",
)
# Letters of other scripts that look like those of the word. Compatibility forms are found by their decomposition.
_LETTERS = {
    ord(other): latin
    for latin, others in {
        "u": "υսᴜꭎꭒцʋᥙџ∪⋃ሀՍꓴᑌƱᶙ𐐭🇺",
        "n": "ոռηпɴᴎℼͷ∩⋂ŋɳꓠᥒᑎ🇳",
        "t": "тτᴛ⊤⟙ፕꓔⲦⲧƭ†Ꭲʇ🇹",
        "r": "гᴦꭇꭈᴙɾⲅɼʀᎡꓣᖇ🇷",
        "s": "ѕꜱƽꓢᏕՏ∫ʂ🇸",
        "e": "еєҽℯεΕЕꓰⴹᎬ℮əᴇᥱ🇪",
        "d": "ԁժɗđᏧꓒⅾⅆԃƌᎠꓓᴅᗪ🇩",
    }.items()
    for other in others
}
_LOOKALIKE_CHARACTERS = {**_SLASHES, **_BRACKETS, **_LETTERS}
# Other characters that are not letters may be in a gap: combining marks, punctuation, symbols.
_BY_CATEGORY = {"M": "~", "P": "~", "S": "~", "Z": " "}


def wrapped(passages: Iterable[Passage]) -> str:
    """Return the passages as one text, with each run of passages from one origin in a wrapper."""
    number = f"{int.from_bytes(os.urandom(DIGITS), sys.byteorder) % 10**DIGITS:0{DIGITS}}"
    return "\n".join(_in_wrapper(passage, number) for passage in _merged(passages))


def _has_no_marker(text: str) -> bool:
    """Return whether an ASCII text cannot contain a marker, without the regular expression, which is 20 times slower.

    However a page splits the word, its letters stay in order; so removing the gap characters makes it appear.
    """
    return text.isascii() and WORD.encode() not in text.encode("ascii").translate(None, _GAP_BYTES).lower()


def neutralised(text: str) -> str:
    """Return the text without anything that looks like a marker."""
    if _has_no_marker(text.replace("…", "")):  # rove's own sign for omitted text, which is never part of a marker
        return text
    folded = _NON_ASCII.sub(lambda match: _ascii_lookalike(match[0]), text)
    if _has_no_marker(folded):
        return text
    parts: list[str] = []
    end = 0
    for match in _LOOKALIKE_MARKER.finditer(folded):
        parts += [text[end : match.start()], NEUTRAL]
        # Remove the bracket only; the letters stay readable.
        end = match.end(1)
    return "".join([*parts, text[end:]])


def _merged(passages: Iterable[Passage]) -> Iterable[Passage]:
    """Merge adjacent passages of the same origin."""
    previous: Passage | None = None
    for passage in passages:
        if not passage.text:
            continue
        if previous is not None and previous.origin == passage.origin and not (previous.is_raw or passage.is_raw):
            previous = Passage(f"{previous.text}\n{passage.text}", passage.origin)
            continue
        if previous is not None:
            yield previous
        previous = passage
    if previous is not None:
        yield previous


def _in_wrapper(passage: Passage, number: str) -> str:
    if passage.origin is None:
        return passage.text
    origin = passage.origin if _ORIGIN.fullmatch(passage.origin) else NOWHERE
    return f"<{WORD} {number} {origin}>\n{neutralised(passage.text)}\n</{WORD} {number}>"


@lru_cache(maxsize=4096)
def _ascii_lookalike(character: str) -> str:
    """Return the ASCII character that a character looks like, or the character itself."""
    known = _LOOKALIKE_CHARACTERS.get(ord(character))
    if known is not None:
        return known
    plain = unicodedata.normalize("NFKD", character)
    first = next((each for each in plain if not unicodedata.combining(each)), character)
    if first.isascii():
        return first
    return _LOOKALIKE_CHARACTERS.get(ord(first)) or _BY_CATEGORY.get(unicodedata.category(first)[0], first)
