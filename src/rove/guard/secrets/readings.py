"""The readings of a text that is searched for secrets: escapes decoded, separators and tags left out.

Each reading keeps for every character the span of the original text that it stands for. Readings of bytes are made for
every text, so they compute positions only where something was found.

Most escapes of a page only separate words, or stand for signs. Decoding is slow, so it is done around escapes that may
stand for a character of a secret.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from html.entities import html5
from itertools import accumulate, compress, repeat
from typing import NamedTuple, Protocol, TypeVar

from rove.guard.cleaning import INVISIBLE

_ASCII_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789")
# Characters of a secret that are not ASCII stand for these.
_FIRST_OTHER = 0x80
_KINDS = bytes(0x20 if code == 0x20 else ord("d") if code in b"0123456789" else ord("x") for code in range(256))
_OTHERS = re.compile("[^\0-\x7f]+")
T_co = TypeVar("T_co", covariant=True)
_TAG = re.compile(rb"<[^<>]{1,300}>")
# Fewer tags do not set five letters apart.
MIN_TAGS = 4
_CHUNK = 2000

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

# As kinds: hexadecimal digits are `h`, separators `s`, the `x` and `\` before a code `p`, and all else is `o`.
_HEX_KINDS = bytes(
    ord("h")
    if code in b"0123456789abcdef"
    else ord("s")
    if code in b" \t\n\r\f\v:,.;_-"
    else ord("p")
    if code in b"x\\"
    else ord("o")
    for code in range(256)
)
# Each pattern begins with fixed characters, by which the regex engine skips most of a text.
_RUN = re.compile(rb"hhhhhhhhhhh*")
_PAIRS = re.compile(rb"hhs{1,2}(?:(?:[hp]p)?hhs{1,2}){3,}(?:[hp]p)?hh")
_DECIMAL_KINDS = bytes(
    ord("d") if code in b"0123456789" else ord("s") if code in b" \t\n\r\f\v,;" else ord("o") for code in range(256)
)
_NUMBERS = re.compile(rb"dds{1,2}(?:d{2,3}s{1,2}){3,}d{2,3}")
_OCTAL = re.compile(rb"\\[0-7]{2,3}(?:\\[0-7]{2,3}){4,}")

# Fewer letters are no part of a secret.
MIN_LETTERS = 5
# Longer numbers do not count the letters of a secret.
MAX_DIGITS = 3
# A letter of a table may have so many tokens beside it, less one: its number, and the numbers of columns.
MAX_STRIDE = 4
# Of texts in which letters are `x`, digits `d`, and separators spaces.
_TOKEN = re.compile(rb"(?<= )(?:[dx]|d{2,3})(?= )")


class Alphabet:
    """The letters, digits and other characters that some secrets are written with.

    A character that is neither ASCII nor in a secret becomes a question mark, which separates letters.
    """

    def __init__(self, values: Iterable[str]) -> None:
        others = sorted({character for value in values for character in _lower(value) if not character.isascii()})
        codes = {character: _FIRST_OTHER + number % 0x80 for number, character in enumerate(others)}
        self._table = {ord(character): chr(code) for character, code in codes.items()}
        letters = _ASCII_LETTERS | {code for character, code in codes.items() if character.isalnum()}
        self.separators = bytes(code for code in range(256) if code not in letters)
        # Tables for separators as spaces: with letters and digits as they are, and as `x` and `d`.
        self.spaced = bytes(code if code in letters else 0x20 for code in range(256))
        self.kinds = self.spaced.translate(_KINDS)

    def encode(self, text: str) -> bytes:
        """Return a text in lower case, with one byte for each character."""
        lowered = _lower(text)
        return (lowered.translate(self._table) if self._table else lowered).encode("latin-1", "replace")

    def letters(self, text: str) -> bytes:
        """Return only the letters and digits of a text."""
        return self.encode(text).translate(None, self.separators)


def _lower(text: str) -> str:
    """Return the text in lower case, character by character, so that positions stay the same."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


def compatible(text: str) -> str:
    """Return a text with full-width and other compatible forms of ASCII characters as these; of the same length."""
    if text.isascii():
        return text
    table = _compatible_forms()
    return text.translate(table) if any(ord(character) in table for character in others_in(text)) else text


def others_in(text: str) -> set[str]:
    """Return the different characters of a text that are not ASCII."""
    return set("".join(_OTHERS.findall(text)))


@cache
def _compatible_forms() -> dict[int, str]:
    codes = [*range(0x80, 0x3400), *range(0xF900, 0x10000), *range(0x1D400, 0x1D800), *range(0x1F100, 0x1FC00)]
    forms = {code: unicodedata.normalize("NFKC", chr(code)) for code in codes}
    return {code: form for code, form in forms.items() if len(form) == 1 and form.isascii() and form.isprintable()}


class Reading(Protocol[T_co]):
    """A reading of a text, and where its characters are in the text."""

    @property
    def text(self) -> T_co: ...
    def span(self, start: int, end: int, /) -> tuple[int, int]: ...


class View(NamedTuple):
    """A reading of a text. The character at index i stands for `starts[i]` up to `ends[i]` of the original."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that a span of this reading stands for."""
        return self.starts[start], self.ends[end - 1]

    def then(self, inner: View) -> View:
        """Return a reading of this reading."""
        starts = [self.starts[at] for at in inner.starts]
        return View(inner.text, starts, [self.ends[at - 1] for at in inner.ends])


def visible(text: str) -> View | None:
    """Return the text without characters that show nothing; None if there are none."""
    if text.isascii() or not any(map(INVISIBLE.match, others_in(text))):
        return None
    places = [at for at, character in enumerate(text) if not INVISIBLE.match(character)]
    return View("".join([text[at] for at in places]), places, [at + 1 for at in places])


class Squeezed:
    """Only the letters and digits of a text."""

    def __init__(self, text: bytes, separators: bytes) -> None:
        self._original = text
        self._separators = separators
        self.text = text.translate(None, separators)

    @cached_property
    def _before(self) -> list[int]:
        """How many characters are before each chunk of the original."""
        starts = range(0, len(self._original), _CHUNK)
        return [0, *accumulate(len(self._letters(self._original[at : at + _CHUNK])) for at in starts)]

    def _letters(self, text: bytes) -> bytes:
        return text.translate(None, self._separators)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that a span of this reading stands for."""
        return self._place(start), self._place(end - 1) + 1

    def _place(self, at: int) -> int:
        chunk = bisect_right(self._before, at) - 1
        place, left = chunk * _CHUNK, at - self._before[chunk]
        while True:
            if self._original[place] not in self._separators:
                if left == 0:
                    return place
                left -= 1
            place += 1


class Without:
    """A text with a space in place of each match of a pattern."""

    def __init__(self, pattern: re.Pattern[bytes], text: bytes) -> None:
        self._pattern = pattern
        self._original = text
        self.text, self.count = pattern.subn(b" ", text)

    @cached_property
    def _pieces(self) -> tuple[list[int], list[int]]:
        """Where each piece that is left begins, in this reading and in the original."""
        here, there, done = [0], [0], 0
        for match in self._pattern.finditer(self._original):
            here.append(here[-1] + match.start() - done + 1)
            there.append(match.end())
            done = match.end()
        return here, there

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that a span of this reading stands for."""
        return self._place(start), self._place(end - 1) + 1

    def _place(self, at: int) -> int:
        here, there = self._pieces
        piece = bisect_right(here, at) - 1
        return there[piece] + at - here[piece]


def without_tags(text: bytes) -> Without | None:
    """Return the text without HTML tags; None if it has few."""
    tagless = Without(_TAG, text) if b"<" in text else None
    return tagless if tagless and tagless.count >= MIN_TAGS else None


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


def codes(text: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield each run of codes in a text of lower case: its start, its end, and what it may stand for."""
    kinds = text.translate(_HEX_KINDS)
    for match in _RUN.finditer(kinds):
        yield from _hexadecimal(text, *match.span())
    for match in _PAIRS.finditer(kinds):
        yield from _hexadecimal(text, *match.span())
    for match in _NUMBERS.finditer(text.translate(_DECIMAL_KINDS)):
        start = match.start() - (text[match.start() - 1 : match.start()].isdigit())
        yield from _numbers(start, match.end(), re.findall(rb"[0-9]+", text[start : match.end()]))
    for match in _OCTAL.finditer(text) if b"\\" in text else ():
        yield from _numbers(match.start(), match.end(), re.findall(rb"[0-7]+", match[0]))


def _hexadecimal(text: bytes, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    digits = re.sub(rb"0x|\\x|[^0-9a-f]", b"", text[start:end]).decode()
    for offset in (0, 1):
        pairs = digits[offset : offset + (len(digits) - offset) // 2 * 2]
        yield start, end, bytes.fromhex(pairs).decode("latin-1").replace("\0", "")


def _numbers(start: int, end: int, numbers: Sequence[bytes]) -> Iterator[tuple[int, int, str]]:
    yield start, end, "".join(chr(int(number)) for number in numbers)
    if not any(digit in number for number in numbers for digit in b"89"):
        yield start, end, "".join(chr(int(number, 8)) for number in numbers)


class Selection(NamedTuple):
    """Some of the tokens, as one text, and which they are."""

    text: bytes
    numbers: Sequence[int]
    tokens: ShortTokens

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that a span of this reading stands for."""
        places = self.tokens.places
        return places[self.numbers[start]][0], places[self.numbers[end - 1]][1]


class ShortTokens:
    """The single letters and digits, and the numbers of at most three digits, of a text."""

    def __init__(self, text: bytes, alphabet: Alphabet) -> None:
        self._original = text
        self._alphabet = alphabet
        # One character for each token; a question mark for a number of several digits.
        self._tokens = self._read() if self._has_letters() else b""

    @property
    def _kinds(self) -> bytes:
        return b" %b " % self._original.translate(self._alphabet.kinds)

    def _has_letters(self) -> bool:
        """Whether five letters may stand alone. Of letters side by side, every second is counted, which is fast."""
        kinds = self._kinds
        return kinds.count(b" x ") + kinds.count(b" d ") >= (MIN_LETTERS + 1) // 2

    def _read(self) -> bytes:
        words = self._original.translate(self._alphabet.spaced).split()
        short = compress(words, map((MAX_DIGITS + 1).__gt__, map(len, words)))
        return b"".join([word if len(word) == 1 else b"?" for word in short if len(word) == 1 or word.isdigit()])

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Where each token begins and ends in the text."""
        return [(match.start() - 1, match.end() - 1) for match in _TOKEN.finditer(self._kinds)]

    def __len__(self) -> int:
        return len(self._tokens)

    def letters(self) -> Selection:
        """Return the single letters and digits."""
        return self._without(b"?")

    def letters_without_digits(self) -> Selection:
        """Return the single letters. Between them may be numbers of any kind, so digits are left out."""
        return self._without(b"?0123456789")

    def _without(self, signs: bytes) -> Selection:
        numbers = [number for number, token in enumerate(self._tokens) if token not in signs]
        return Selection(self._tokens.translate(None, signs), numbers, self)

    def every_few(self) -> Iterator[Selection]:
        """Yield every second, third and fourth token: between the letters of a list are the numbers that count them."""
        for stride in range(2, MAX_STRIDE + 1):
            for first in range(stride):
                yield Selection(self._tokens[first::stride], range(first, len(self._tokens), stride), self)
