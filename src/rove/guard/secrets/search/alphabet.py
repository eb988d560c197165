"""Texts as bytes, one for each character, as they are searched for secrets: in lower case, without compatible forms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

_ASCII_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789")
# Characters of a secret that are not ASCII stand for these.
_FIRST_OTHER = 0x80
_KINDS = bytes(0x20 if code == 0x20 else ord("d") if code in b"0123456789" else ord("x") for code in range(256))
_OTHERS = re.compile("[^\0-\x7f]+")


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
