"""Other readings of a text: without invisible characters, separators or tags.

Each reading keeps for every character the span of the original text that it stands for. Readings of bytes are made for
every text, so they compute positions only where something was found.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, Protocol, TypeVar

from rove.guard.secrets.search.alphabet import others_in
from rove.guard.wrapping.invisible import INVISIBLE

T_co = TypeVar("T_co", covariant=True)
_TAG = re.compile(rb"<[^<>]{1,300}>")
# Fewer tags do not set five letters apart.
MIN_TAGS = 4
_CHUNK = 2000


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
