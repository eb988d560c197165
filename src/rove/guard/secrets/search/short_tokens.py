"""Letters of a text that stand alone, such as one in each element, and the numbers that count them in lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from rove.guard.secrets.search.alphabet import Alphabet
from rove.guard.secrets.search.text_views import Reading

# Fewer letters are no part of a secret.
MIN_LETTERS = 5
# Longer numbers do not count the letters of a secret.
MAX_DIGITS = 3
# How many numbers may have a sign and no letter.
MAX_MISSING = 3
# Of texts in which letters are `x`, digits `d`, and separators spaces.
_TOKEN = re.compile(rb"(?<= )(?:[dx]|d{2,3})(?= )")


class Selection(NamedTuple):
    """Some of the tokens, as one text, and which they are."""

    text: bytes
    numbers: Sequence[int]
    places: Callable[[], Sequence[tuple[int, int]]]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that a span of this reading stands for."""
        places = self.places()
        return places[self.numbers[start]][0], places[self.numbers[end - 1]][1]


class ShortTokens:
    """The single letters and digits, and the numbers of at most three digits, of a text."""

    def __init__(self, text: bytes, alphabet: Alphabet) -> None:
        self._original = text
        self._alphabet = alphabet
        words = text.translate(alphabet.spaced).split()
        self._tokens = [word for word in words if len(word) <= MAX_DIGITS and (len(word) == 1 or (word.isdigit()))]

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        kinds = b" %b " % self._original.translate(self._alphabet.kinds)
        return [(match.start() - 1, match.end() - 1) for match in _TOKEN.finditer(kinds)]

    def letters(self) -> Iterator[Reading[bytes]]:
        """Yield the single letters and digits: all of them, and those beside numbers that count up."""
        if len(self._tokens) < MIN_LETTERS:
            return
        yield self._selected([number for number, token in enumerate(self._tokens) if len(token) == 1])
        for numbered in self._numbered():
            for missing in (0, MAX_MISSING):
                yield from map(self._selected, self._counted(numbered, missing))

    def letters_without_digits(self) -> Reading[bytes]:
        """Return the single letters. Between them may be numbers of any kind, so digits are left out."""
        return self._selected([number for number, token in enumerate(self._tokens) if not token.isdigit()])

    def _selected(self, numbers: Sequence[int]) -> Selection:
        return Selection(b"".join([self._tokens[number] for number in numbers]), numbers, lambda: self._places)

    def _numbered(self) -> Iterator[list[tuple[int, int]]]:
        """Yield pairs of a number and which letter it counts: where it is before the letter, and where it is after."""
        tokens = self._tokens
        digits = [at for at, token in enumerate(tokens) if token.isdigit()]
        for step in (1, -1):
            pairs = [
                (int(tokens[at]), at + step)
                for at in digits
                if 0 <= at + step < len(tokens) and len(tokens[at + step]) == 1
            ]
            if len(pairs) >= MIN_LETTERS:
                yield pairs

    def _counted(self, numbered: Sequence[tuple[int, int]], missing: int) -> Iterator[list[int]]:
        """Yield the letters whose numbers count up, as far as there are five of them.

        `missing`: how many numbers may have no letter but a sign. A digit may then be the number of the next letter.
        """
        runs: dict[int, list[int]] = {}
        for number, at in numbered:
            digit = int(self._tokens[at]) if self._tokens[at].isdigit() else -1
            if missing and digit >= 0 and (digit == number + 1 or digit - 1 in runs):
                continue
            before = next((each for each in range(number - 1, number - 2 - missing, -1) if each in runs), None)
            run = [] if before is None else runs.pop(before)
            run.append(at)
            if len(ended := runs.get(number, [])) >= MIN_LETTERS:
                yield ended
            runs[number] = run
        yield from (run for run in runs.values() if len(run) >= MIN_LETTERS)
