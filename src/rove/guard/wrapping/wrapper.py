"""Page text in a wrapper that no page can forge.

    <untrusted 41872206630915574920 https://example.com>
    heading "Welcome" [e1]
    </untrusted 41872206630915574920>

The number is drawn anew for every answer, so no page can know it. What merely looks like such a marker, in whatever
letters and brackets, is made to look like none: a model must not have to compare twenty digits to be safe.
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
# Twenty digits are 66 bits, and cost a model 7 tokens where hexadecimal ones would cost 11.
DIGITS = 20
NEUTRAL = "(not a marker: "

# Brackets, and what may stand between the letters of a marker that was taken apart.
_OPENING = r"(?:[<>\[\](){}|]|&(?:lt|#0*60|#x0*3c);)"
_GAP = r"[\s\"'`\\|_.,:;*~^=+/#%&!?@$-]{0,48}"
_IN_GAPS = bytes(code for code in range(128) if re.fullmatch(_GAP, chr(code)))
_LOOKALIKE = re.compile(rf"{_OPENING}{_GAP}/*{_GAP}" + _GAP.join(WORD), re.IGNORECASE)
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[a-z0-9._:\[\]%-]+|about:[a-z]+|null", re.IGNORECASE)
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_SLASHES = dict.fromkeys(map(ord, "⁄∕⧸⟋╱／＼∖⧵⟍╲\\"), "/")
_BRACKETS = dict.fromkeys(
    map(
        ord,
        "‹›«»〈〉⟨⟩《》⟪⟫❮❯❰❱≺≻≪≫⋘⋙⧼⧽˂˃ᐸᐳ„“”「」『』【】〔〕〖〗〘〙〚〛⟦⟧⟬⟭⁅⁆⦃⦄❲❳❬❭❴❵﴾﴿⋖⋗⪡⪢⸨⸩⟮⟯◁▷◄►⊲⊳◀▶⪦⪧≤≥⩽⩾",
    ),
    "<",
)
# Letters of other scripts that pass for those of the word; compatibility forms are found by their decomposition.
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
_FOLDED = {**_SLASHES, **_BRACKETS, **_LETTERS}
# Whatever else is no letter may stand in a gap: strokes laid over letters, dots, pictures.
_BY_KIND = {"M": "~", "P": "~", "S": "~", "Z": " "}


def wrapped(passages: Iterable[Passage]) -> str:
    """The passages one after the other; each run of one origin's words in a wrapper."""
    number = f"{int.from_bytes(os.urandom(DIGITS), sys.byteorder) % 10**DIGITS:0{DIGITS}}"
    return "\n".join(_in_wrapper(passage, number) for passage in _joined(passages))


def _is_plain(text: str) -> bool:
    """Twenty times as quick as to search for it: whoever takes the word apart leaves its letters in their order."""
    return text.isascii() and WORD.encode() not in text.encode("ascii").translate(None, _IN_GAPS).lower()


def neutralised(text: str) -> str:
    """The text, with nothing in it that could be taken for a marker."""
    if _is_plain(text.replace("…", "")):  # the sign for what was left out, which is part of no marker
        return text
    skeleton = _FOREIGN.sub(lambda match: _folded(match[0]), text)
    if _is_plain(skeleton):
        return text
    parts: list[str] = []
    end = 0
    for match in _LOOKALIKE.finditer(skeleton):
        parts += [text[end : match.start()], NEUTRAL]
        # Its bracket goes; its letters stay readable.
        end = match.start() + 1
    return "".join([*parts, text[end:]])


def _joined(passages: Iterable[Passage]) -> Iterable[Passage]:
    """Neighbours that have one origin made one."""
    waiting: Passage | None = None
    for passage in passages:
        if not passage.text:
            continue
        if waiting is not None and waiting.origin == passage.origin and not (waiting.is_raw or passage.is_raw):
            waiting = Passage(f"{waiting.text}\n{passage.text}", passage.origin)
            continue
        if waiting is not None:
            yield waiting
        waiting = passage
    if waiting is not None:
        yield waiting


def _in_wrapper(passage: Passage, number: str) -> str:
    if passage.origin is None:
        return passage.text
    origin = passage.origin if _ORIGIN.fullmatch(passage.origin) else NOWHERE
    return f"<{WORD} {number} {origin}>\n{neutralised(passage.text)}\n</{WORD} {number}>"


@lru_cache(maxsize=4096)
def _folded(character: str) -> str:
    """One character that it could be taken for."""
    known = _FOLDED.get(ord(character))
    if known is not None:
        return known
    plain = unicodedata.normalize("NFKD", character)
    first = next((each for each in plain if not unicodedata.combining(each)), character)
    if first.isascii():
        return first
    return _FOLDED.get(ord(first)) or _BY_KIND.get(unicodedata.category(first)[0], first)
