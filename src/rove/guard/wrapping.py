"""Marks page text as untrusted, with markers that pages cannot forge.

Letters of other scripts are from Unicode's table of confusable characters. All others are derived: compatibility forms
from their decomposition; Latin letters that are turned, small capitals, circled or tagged, and brackets, from their
names.

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
from array import array
from collections.abc import Iterable, Iterator, Sequence

from rove.outcome import Passage
from rove.page_text import NOWHERE

# What a character is folded to if it is none of those in a marker: another letter, or one that may be in a gap.
OTHER = "x"
GAP = "~"
BRACKET = "<"
_LETTERS = {
    other: latin
    for latin, others in {
        "u": "ʋυύϋΰμսՍሀᑌ∪⋃∩ꓴꞟꭎꭒᥙцџᴜ𐓎𐓶𑢸𑣘𖽂𐐭ᶙƱɥ",
        "n": "ոռηήΝпɴᴎℼͷŋɳꓠⲚᥒᑎ∏ПΠπ𐔓",
        "t": "тТτΤᴛ⊤⟙ፕᎢᎿꓔⲦⲧƭ†ʇ𐊗𐊱𐌕𑢼𖼊🝨┬╤╥╦",
        "r": "гГᴦꭇꭈꮁᴙЯяɾⲅɼʀƦᎡᏒꓣᖇ𐒴𖼵𝈖",
        "s": "ѕЅꜱƽꓢᏕᏚՏ∫ʂꮪᔕ𐊖𐐠𐑈𑣁𖼺",
        "e": "еЕєЄҽεέΕԐℯꓰⴹᎬ℮əəᴇᥱ⋿∈∊ɛэ€𐊆𑢦𑢮",
        "d": "ԁժɗđðᏧꓒꓓԃƌᎠᴅᑯᗞᗪ∂",
        "p": "рρ",
    }.items()
    for other in others
}
_CLICKS = frozenset("ǀǁǂǃ")
_SLASHES = frozenset("⁄∕⧸⟋╱／＼∖⧵⟍╲\\÷╳⼃𝈺")
_MORE_BRACKETS = frozenset("˂˃ᐸᐳᐊᐅ≤≥⩽⩾⊂⊃⊏⊐⌈⌉⌊⌋❰❱ㄑㄥ𝈶𝈷")
_LATIN = re.compile(
    r"\bLETTER (?:[A-Z-]+ )*([A-Z])(?: WITH .*)?$|\b(?:LATIN|SQUARED|CIRCLED) (?:[A-Z-]+ )*([A-Z])(?: WITH .*)?$"
)
_LATIN_SCRIPTS = ("LATIN", "REGIONAL INDICATOR", "SQUARED", "CIRCLED", "PARENTHESIZED", "MODIFIER LETTER")
_BRACKET_NAME = re.compile(
    r"BRACKET|PARENTHES|BRACE\b|LESS-THAN|GREATER-THAN|QUOTATION MARK|POINTING (?:SMALL )?TRIANGLE|POINTING POINTER|"
    r"ARROWHEAD|CHEVRON|PRECEDES|SUCCEEDS|NORMAL SUBGROUP|BOX DRAWINGS .*(?:RIGHT|LEFT)|"
    r"LEFT-POINTING|RIGHT-POINTING|CORNER|BRAILLE PATTERN DOTS|VERTICAL LINE|PARALLEL TO|ANGLE$"
)
# `&lt;` and the like, of any character, also encoded twice or without a semicolon; `%3C`; and the escapes of scripts.
_HEX = "[0-9a-fA-F]"
# Begins with a set of characters, and ignores no case as a whole, so that the search skips what is no escape.
_ESCAPE = re.compile(
    rf"[&%\\](?:(?<=&)(?:amp;?|AMP;?){{0,9}}(?:#0{{0,9}}(\d{{1,7}})|#[xX]0{{0,9}}({_HEX}{{1,6}})"
    rf"|([a-zA-Z][a-zA-Z0-9]{{1,30}})(?=;)|([lL][tT]|[gG][tT]|laquo|raquo));?"
    rf"|(?<=%)(?:25){{0,9}}(2[89fF]|3[cCeE]|[4-7]{_HEX})"
    rf"|(?<=\\)\\{{0,8}}(?:[uU]\{{?0{{0,9}}({_HEX}{{2,6}})\}}?|[xX]({_HEX}{{2}})))"
)
_ESCAPING = re.compile(r"[&%\\]")
_MOST_REMEMBERED = 50_000
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


def fold(character: str) -> str:
    """Return what a character looks like: lower-case letters, a digit, a bracket, a slash, a gap, or another letter."""
    if character in _SLASHES:
        return "/"
    if (letter := _LETTERS.get(character)) is not None:
        return letter
    category = unicodedata.category(character)
    if category[0] == "M" or character in _CLICKS:
        return GAP
    plain = "".join(each for each in unicodedata.normalize("NFKD", character) if not unicodedata.combining(each))
    if plain and plain != character:
        inner = plain.strip("()") or plain  # of a letter in parentheses, the letter
        return "".join(each.lower() if each.isascii() else fold(each) for each in inner)
    name = unicodedata.name(character, "")
    if character in _MORE_BRACKETS or category in ("Ps", "Pe", "Pi", "Pf") or _BRACKET_NAME.search(name):
        return BRACKET
    if name.startswith(_LATIN_SCRIPTS) or " LATIN " in name or name.startswith("TAG "):
        match = _LATIN.search(name)
        if match is not None:
            return (match[1] or match[2]).lower()
    if category == "Nd":
        return str(unicodedata.digit(character))
    return {"P": GAP, "S": GAP, "C": GAP, "Z": " "}.get(category[0], OTHER)


class _Folded(dict[int, str]):
    """The folded form of each character that was met, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        self[code] = folded = chr(code).lower() if code < 128 else fold(chr(code))
        return folded


FOLDED = _Folded()


def unescaped(text: str) -> str:
    """Return the text with escaped characters as they are meant."""
    return _ESCAPE.sub(_character, text) if _ESCAPING.search(text) else text


def folded_with_places(text: str) -> tuple[str, Sequence[int]]:
    """Return the folded text, and for each character of it the place in the text that it comes from, then the end."""
    pieces: list[str] = []
    places = array("L")
    end = 0
    for match in _ESCAPE.finditer(text):
        _add(text, end, match.start(), pieces, places)
        meant = _character(match).translate(FOLDED)
        pieces.append(meant)
        places.extend([match.start()] * len(meant))
        end = match.end()
    _add(text, end, len(text), pieces, places)
    places.append(len(text))
    return "".join(pieces), places


def _add(text: str, start: int, end: int, pieces: list[str], places: array[int]) -> None:
    folded = text[start:end].translate(FOLDED)
    if len(folded) == end - start:
        pieces.append(folded)
        places.extend(range(start, end))
        return
    for place in range(start, end):  # a character that looks like two letters is among them
        pieces.append(FOLDED[ord(text[place])])
        places.extend([place] * len(pieces[-1]))


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name, short, *others = match.groups()
    if short or name:
        from html.entities import html5  # imported late: it is large, and few texts have such names

        return html5.get(f"{name or short};") or html5.get(f"{(name or short).lower()};") or match[0]
    code = int(decimal) if decimal else int(hexadecimal or next(filter(None, others)), 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else GAP


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
