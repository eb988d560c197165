"""An index of all parts of secrets, by which they are found in a text in time that grows with the text alone."""

from __future__ import annotations

import base64
import codecs
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rove.guard.secrets.ordinary_words import is_ordinary

# The shortest part of a secret that is found.
MIN_PART = 5
# Every part of at least MIN_PART characters has one of these many at an even position of the text.
_GRAM = MIN_PART - 1
# The text is searched in pieces at this distance, so that each character is looked at twice, not four times.
_STEP = 2


class Form(NamedTuple):
    """A way to write a secret: the text, and the name of the secret."""

    text: str
    name: str


class Run(NamedTuple):
    """A part of a secret in a text: its span there, the form that it belongs to and where in that form it begins."""

    start: int
    end: int
    form: Form
    offset: int

    @property
    def is_whole(self) -> bool:
        return self.end - self.start == len(self.form.text)


class PartIndex:
    """Finds parts of at least five characters of any of several forms."""

    def __init__(self, forms: Sequence[Form]) -> None:
        self._places: dict[str, list[tuple[Form, int]]] = defaultdict(list)
        for form in dict.fromkeys(forms):
            for offset in range(len(form.text) - _GRAM + 1 if len(form.text) >= MIN_PART else 0):
                self._places[form.text[offset : offset + _GRAM]].append((form, offset))

    def __bool__(self) -> bool:
        return bool(self._places)

    def runs(self, text: str) -> Iterator[Run]:
        """Yield the parts in a text, each as long as it agrees with its form."""
        places, done = self._places, 0
        # As a list, since this is the one loop over every character.
        hits = [at for at in range(0, len(text) - _GRAM + 1, _STEP) if text[at : at + _GRAM] in places]
        for at in hits:
            if at < done:
                continue
            run = max((_extended(text, at, *place) for place in places[text[at : at + _GRAM]]), key=_size)
            if _size(run) >= MIN_PART and not (is_ordinary(text[run.start : run.end]) and not run.is_whole):
                done = run.end
                yield run


def _size(run: Run) -> int:
    return run.end - run.start


def _extended(text: str, at: int, form: Form, offset: int) -> Run:
    """Return the longest part around a position of the text that agrees with the form."""
    start, end = at, at + _GRAM
    while start > 0 and start - at + offset > 0 and text[start - 1] == form.text[start - 1 - at + offset]:
        start -= 1
    while end < len(text) and end - at + offset < len(form.text) and text[end] == form.text[end - at + offset]:
        end += 1
    return Run(start, end, form, start - at + offset)


def letters_of(value: str, name: str) -> Iterator[Form]:
    """Yield what remains of a value without separators: forwards, backwards, and by ROT13."""
    letters = "".join(character for character in value if character.isalnum())
    for text in (letters, letters[::-1], codecs.encode(letters, "rot13")):
        yield Form(text, name)


def base64_of(value: bytes, name: str) -> Iterator[Form]:
    """Yield the base64 characters that encode a value at each of the three possible offsets.

    Characters at the edges are left out, because they also depend on the neighbouring bytes.
    """
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + value).decode("ascii")
        inner = encoded[-(-offset * 8 // 6) : (offset + len(value)) * 8 // 6]
        yield Form(inner, name)
        yield Form(inner.replace("+", "-").replace("/", "_"), name)
