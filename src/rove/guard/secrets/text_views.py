"""Other readings of a text: separators and tags left out, single letters joined, codes as characters.

Each reading keeps for every character the span of the original text that it stands for. Readings of bytes are made for
every text, so they compute positions only where something was found.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, Protocol, TypeVar

from rove.guard.secrets.alphabet import Alphabet, others_in
from rove.guard.wrapping.invisible import INVISIBLE

T_co = TypeVar("T_co", covariant=True)
_TAG = re.compile(rb"<[^<>]{1,300}>")
# Fewer tags, or fewer letters, do not make five letters of a secret.
MIN_TAGS = 4
MIN_LETTERS = 5
MAX_MISSING = 3
_CHUNK = 2000
# Of texts in which letters are `x`, digits `d`, and separators spaces. Each pattern begins with fixed characters, by
# which the regex engine skips most of a text.
_SINGLE = re.compile(rb" [dx](?= )")
_NUMBER_BEFORE = re.compile(rb" (?P<number>dd?d?)(?= {1,20}(?P<letter>[dx]) )")
_NUMBER_AFTER = tuple(re.compile(rb" %b(?= {1,20}(?P<number>d{1,3}) )" % letter) for letter in (b"x", b"d"))


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


class Selection(NamedTuple):
    """A reading of some bytes of a text, and their places."""

    text: bytes
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that a span of this reading stands for."""
        return self.places[start], self.places[end - 1] + 1


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
    """A text without what a pattern matches."""

    def __init__(self, pattern: re.Pattern[bytes], text: bytes) -> None:
        self._pattern = pattern
        self._original = text
        self.text, self.count = pattern.subn(b"", text)

    @cached_property
    def _pieces(self) -> tuple[list[int], list[int]]:
        """Where each piece that is left begins, in this reading and in the original."""
        here, there, done = [0], [0], 0
        for match in self._pattern.finditer(self._original):
            here.append(here[-1] + match.start() - done)
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


class LettersAlone:
    """The letters and digits that stand alone."""

    def __init__(self, text: bytes, alphabet: Alphabet) -> None:
        self._original = text
        self._alphabet = alphabet
        self.text = b"".join([word for word in text.translate(alphabet.spaced).split() if len(word) == 1])

    @cached_property
    def _places(self) -> list[int]:
        return [match.start() for match in _SINGLE.finditer(_kinds(self._original, self._alphabet))]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that a span of this reading stands for."""
        return self._places[start], self._places[end - 1] + 1


def _kinds(text: bytes, alphabet: Alphabet) -> bytes:
    """Return a text as kinds of characters. A match that begins at a separator has the place of what is behind it."""
    return b" %b " % text.translate(alphabet.kinds)


def numbered_letters(text: bytes, alphabet: Alphabet) -> Iterator[Selection]:
    """Yield letters that stand alone beside numbers that count them, as in a list or a table."""
    kinds = _kinds(text, alphabet)
    before = [(match.span("number"), match.start("letter")) for match in _NUMBER_BEFORE.finditer(kinds)]
    behind = [match for pattern in _NUMBER_AFTER for match in pattern.finditer(kinds)]
    after = sorted(((match.span("number"), match.start() + 1) for match in behind), key=lambda pair: pair[1])
    for pairs in (before, after):
        # The kinds have one more character at the start.
        numbered = [(int(text[start - 1 : end - 1]), place - 1) for (start, end), place in pairs]
        for missing in (0, MAX_MISSING):
            for places in _counted(numbered, text, missing) if len(numbered) >= MIN_LETTERS else ():
                yield Selection(bytes([text[at] for at in places]), places)


def _counted(numbered: Sequence[tuple[int, int]], text: bytes, missing: int) -> Iterator[list[int]]:
    """Yield the places whose numbers count up, as far as there are five of them.

    `missing`: how many numbers may have no letter but a sign. A digit may then be the number of the next letter.
    """
    runs: dict[int, list[int]] = {}
    for number, place in numbered:
        digit = text[place] - ord("0")
        if missing and (digit == number + 1 or (digit <= 9 and digit - 1 in runs)):
            continue
        before = next((each for each in range(number - 1, number - 2 - missing, -1) if each in runs), None)
        run = [] if before is None else runs.pop(before)
        run.append(place)
        if len(ended := runs.get(number, [])) >= MIN_LETTERS:
            yield ended
        runs[number] = run
    yield from (run for run in runs.values() if len(run) >= MIN_LETTERS)
