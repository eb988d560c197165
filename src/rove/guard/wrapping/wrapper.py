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
from collections.abc import Iterable, Iterator

from rove.guard.wrapping.lookalikes import FOLDED, folded_with_places, unescaped
from rove.outcome import NOWHERE, Passage

WORD = "untrusted"
# Twenty decimal digits are 66 bits and cost a model 7 tokens; the same bits in hexadecimal would cost 11.
DIGITS = 20
NEUTRAL = "(not a marker: "

# Brackets, and the characters that a forged marker may have between its letters.
_SIGNS = r"\s\x00-\x08\x0e-\x1f\x7f\"'`\\|_.,:;*~^=+/#%&!?@$-"
_GAP = rf"[{_SIGNS}<>(){{}}\[\]]"
_BRACKET_BEFORE = re.compile(rf"[<>\[\](){{}}|][{_SIGNS}]{{0,48}}\Z")
_BRACKET_AFTER = re.compile(rf"[{_SIGNS}]{{0,48}}[<>\[\](){{}}|]")
_NUMBER_AFTER = re.compile(rf"{_GAP}{{0,48}}(?:\d[{_SIGNS}]{{0,2}}){{10}}")
_LONGEST_GAP = 48
# The word, also backwards and upside down. A letter may be doubled. No letter may be in a gap, so that no search
# has two ways to go on.
_WORDS = (WORD, WORD[::-1], "petsnrtun")
_SPELT = tuple(re.compile(rf"{_GAP}{{0,48}}+".join(f"{letter}{{1,8}}+" for letter in word)) for word in _WORDS)
# Digits that stand for letters; and signs, which may as well be in a gap: both ways are tried.
_DIGITS = {"5": "s", "7": "t", "3": "e", "v": "u"}
_AS_LETTERS = (str.maketrans(_DIGITS), str.maketrans({**_DIGITS, "$": "s", "+": "t"}))
# A part of each word. It begins with two plain letters, for which a search is many times as fast.
_PARTS = tuple(
    re.compile(f"{part[:2]}{part[1]}*{''.join(f'{letter}{letter}*' for letter in part[2:-1])}{part[-1]}".encode())
    for part in ("trusted", "surtnu", "snrtun")
)
_GAP_BYTES = bytes(code for code in range(128) if re.fullmatch(_GAP, chr(code)))
# Markers of models and of other programs, which no page needs.
_FOREIGN = re.compile(
    r"<(?=(?i:\|[a-z_]{2,30}\|>|</?SYS>>|/?(?:system|assistant|system-reminder|tool_(?:result|call|use)s?|"
    r"function_(?:call|result|response)s?|antml:[a-z_]{2,30})[\s>/]))|\[(?=/?INST\])"
)
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[a-z0-9._:\[\]%-]+|about:[a-z]+|null", re.IGNORECASE)


def wrapped(passages: Iterable[Passage]) -> str:
    """Return the passages as one text, with each run of passages from one origin in a wrapper."""
    number = f"{int.from_bytes(os.urandom(DIGITS), sys.byteorder) % 10**DIGITS:0{DIGITS}}"
    return "\n".join(_in_wrapper(passage, number) for passage in _merged(passages))


def neutralised(text: str) -> str:
    """Return the text without anything that looks like a marker."""
    return _FOREIGN.sub(NEUTRAL, _without_forged(text)) if "<" in text or "[" in text else _without_forged(text)


def _without_forged(text: str) -> str:
    plain = unescaped(text)
    folded = (plain if plain.isascii() else plain.translate(FOLDED)).lower()
    tables = _AS_LETTERS if "$" in folded or "+" in folded else _AS_LETTERS[:1]
    if not any(_words_in(folded.translate(table)) for table in tables):
        return text
    folded, places = folded_with_places(text)
    forged = {place for table in tables for place in _forged_in(folded, folded.translate(table))}
    parts: list[str] = []
    end = 0
    for start, stop in sorted(forged):
        if places[start] >= end:  # else it is a part of the one before
            parts += [text[end : places[start]], NEUTRAL]
            end = places[stop]
    return "".join([*parts, text[end:]])


def _words_in(letters: str) -> tuple[int, ...]:
    """Return which words may be in a text, by their letters alone.

    Most texts are known to be harmless by this, which is much faster than the search for words.
    """
    skeleton = letters.encode("ascii").translate(None, _GAP_BYTES)
    return tuple(index for index, part in enumerate(_PARTS) if part.search(skeleton))


def _forged_in(folded: str, letters: str) -> Iterator[tuple[int, int]]:
    """Yield where a forged marker begins, and the end of what is removed of it: of its bracket, if it has one."""
    for index in _words_in(letters):
        for match in _SPELT[index].finditer(letters):
            around = _BRACKET_BEFORE.search(folded, max(0, match.start() - _LONGEST_GAP - 1), match.start())
            if around is not None and index == 0:
                yield around.start(), around.start() + 1
            elif (index and _BRACKET_AFTER.match(folded, match.end())) or _NUMBER_AFTER.match(folded, match.end()):
                yield match.start(), match.start()


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
