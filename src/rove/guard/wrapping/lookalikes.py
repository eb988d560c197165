"""Which character, or escaped character, looks like a letter of a marker, a bracket or a slash.

Letters of other scripts are from Unicode's table of confusable characters. All others are derived: compatibility forms
from their decomposition; Latin letters that are turned, small capitals, circled or tagged, and brackets, from their
names.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence

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
