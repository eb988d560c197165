"""Letters of a text that stand alone, such as one in each element, and the numbers that count them in lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import compress
from typing import NamedTuple

from rove.guard.secrets.search.alphabet import Alphabet

# Fewer letters are no part of a secret.
MIN_LETTERS = 5
# Longer numbers do not count the letters of a secret.
MAX_DIGITS = 3
# A letter of a table may have so many tokens beside it, less one: its number, and the numbers of columns.
MAX_STRIDE = 4
# Of texts in which letters are `x`, digits `d`, and separators spaces.
_TOKEN = re.compile(rb"(?<= )(?:[dx]|d{2,3})(?= )")


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
