"""Texts with their escapes decoded: those of URLs, HTML, JavaScript, CSS, JSON and quoted-printable.

Most escapes of a page only separate words, or stand for signs. Decoding is slow, so it is done around escapes that may
stand for a character of a secret.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from html.entities import html5
from itertools import repeat

from rove.guard.secrets.search.text_views import View, Without

# Nested encodings, such as a URL in the query of a URL.
MAX_ROUNDS = 4
_ESCAPE = re.compile(
    r"[%&\\=](?:(?<=%)(?:u[0-9a-fA-F]{4}|[0-9a-fA-F]{2}(?:%[0-9a-fA-F]{2})*)"
    r"|(?<=&)(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});?"
    r"|(?<=\\)(?:u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|[0-9a-fA-F]{2,6} ?|[nrtbf\"'\\/])"
    r"|(?<==)[0-9A-F]{2})"
)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
# The codes of ASCII letters and digits.
_HEX = r"3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]"
_DECIMAL = r"4[89]|5[0-7]|6[5-9]|[78][0-9]|90|9[7-9]|1[01][0-9]|12[0-2]"
# Escapes of separators, which stand between the groups of a number in a link or in HTML.
_SEPARATORS = re.compile(
    rb"[%&\\](?:(?<=%)(?:2[0-9b-f]|3a|5f|0[9ad]|a0|c2)|(?<=&)(?:nbsp|#160|#xa0|amp|shy|#173|ensp|emsp|thinsp);"
    rb"|(?<=\\)[nrt])"
)


def telling_escapes(values: str) -> re.Pattern[str]:
    """Return the pattern of escapes that may stand for a letter, a digit, another escape, or a sign in these values."""
    signs = {sign for sign in values if not sign.isalnum() and not sign.isspace()}
    codes = "|".join([_HEX, *(f"(?i:{ord(sign):02x})" for sign in signs if sign.isascii())])
    numbers = "|".join([_DECIMAL, *(str(ord(sign)) for sign in signs)])
    names = "|".join(sorted({name.rstrip(";") for name, meant in html5.items() if meant in signs}))
    other = "" if values.isascii() else "|[89a-fA-F][0-9a-fA-F]"
    quoted = "".join(sign for sign in signs if sign in "\"'\\/")
    return re.compile(
        rf"[%&\\=](?:(?<=%)(?:u[0-9a-fA-F]{{4}}|25|{codes}{other})"
        rf"|(?<=&)(?:#0*(?:{numbers})(?![0-9])|#[xX]0*(?:{codes})(?![0-9a-fA-F])|amp;(?=[#a-zA-Z]{{1,8}};?)"
        rf"{f'|(?:{names})(?![a-zA-Z])' if names else ''})"
        rf"|(?<=\\)(?:u\{{?0*(?:{codes}{other})|x(?:{codes})|0*(?:{codes})(?![0-9a-fA-F])"
        rf"{f'|[{re.escape(quoted)}]' if quoted else ''})"
        rf"|(?<==)(?:(?:{_HEX})(?==[0-9A-F]{{2}})|(?:{codes})(?<![0-9A-Za-z]{{2}})))"
    )


def escaped_windows(text: str, telling: re.Pattern[str], reach: int) -> Iterator[tuple[int, str]]:
    """Yield each piece of a text with telling escapes, and so many characters around it, with its position."""
    start = end = -1
    for match in telling.finditer(text) if any(sign in text for sign in "%\\&=") else ():
        if start >= 0 and match.start() - end > 2 * reach:
            yield start, text[start : end + reach]
            start = -1
        start, end = max(match.start() - reach, 0) if start < 0 else start, match.end()
    if start >= 0:
        yield start, text[start : end + reach]


def without_separators(text: bytes) -> Without | None:
    """Return a text without escapes that only separate; None if it has none."""
    if not any(sign in text for sign in b"%&\\"):
        return None
    reading = Without(_SEPARATORS, text)
    return reading if reading.count else None


def decoded(text: str) -> View:
    """Return the text with its escapes decoded, also where they are nested."""
    view = _decoded_once(text)
    for _ in range(MAX_ROUNDS - 1):
        again = _decoded_once(view.text)
        if again.text == view.text:
            break
        view = view.then(again)
    return view


def _decoded_once(text: str) -> View:
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def copy(first: int, last: int) -> None:
        pieces.append(text[first:last])
        starts.extend(range(first, last))
        ends.extend(range(first + 1, last + 1))

    done = 0
    for match in _ESCAPE.finditer(text):
        copy(done, match.start())
        at = match.start()
        for character, size in _characters(match[0]) or zip(match[0], repeat(1)):
            pieces.append(character)
            starts.extend([at] * len(character))
            at += size
            ends.extend([at] * len(character))
        done = match.end()
    copy(done, len(text))
    return View("".join(pieces), starts, ends)


def _characters(escape: str) -> list[tuple[str, int]] | None:
    """Return the characters of an escape, each with the length of what it is written as; None if it is no escape."""
    if escape[0] in "%=" and escape[1] != "u":
        return _bytes(bytes.fromhex(escape.replace(escape[0], "")))
    if escape[0] == "&":
        character = html.unescape(escape if escape.endswith(";") else escape + ";")
        return [(character, len(escape))] if len(character) <= 2 else None
    if len(escape) == 2:
        return [(_CONTROLS.get(escape[1], escape[1]), 2)]
    number = int(re.sub(r"[^0-9a-fA-F]", "", escape[1:]), 16)
    return [(chr(number), len(escape))] if number < 0x110000 else None


def _bytes(data: bytes) -> list[tuple[str, int]]:
    try:
        return [(character, 3 * len(character.encode())) for character in data.decode("utf-8")]
    except UnicodeDecodeError:
        return [(character, 3) for character in data.decode("latin-1")]
