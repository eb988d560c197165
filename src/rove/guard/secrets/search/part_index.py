"""An index of all parts of secrets, by which they are found in a text in time that grows with the text alone."""

from __future__ import annotations

import base64
import codecs
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation

from rove.guard.secrets.search.ordinary_words import is_ordinary

# The shortest part of a secret that is found.
MIN_PART = 5


class Form(NamedTuple):
    """A way to write a secret: the text, and the name of the secret."""

    text: bytes
    name: str


class Run(NamedTuple):
    """A part of a secret in a text: its span there, and the form that it belongs to."""

    start: int
    end: int
    form: Form

    @property
    def size(self) -> int:
        return self.end - self.start

    @property
    def is_whole(self) -> bool:
        return self.size == len(self.form.text)


class WholeIndex:
    """Finds several forms as a whole."""

    def __init__(self, forms: Iterable[Form]) -> None:
        self._forms = [*dict.fromkeys(forms)]
        self._search = BytesAhoCorasick([form.text for form in self._forms], implementation=Implementation.DFA)

    def runs(self, text: bytes) -> Iterator[Run]:
        """Yield each form in a text."""
        for number, start, end in self._search.find_matches_as_indexes(text, overlapping=True):
            yield Run(start, end, self._forms[number])


class PartIndex:
    """Finds parts of at least five characters of any of several forms."""

    def __init__(self, forms: Iterable[Form]) -> None:
        places: dict[bytes, list[tuple[Form, int]]] = defaultdict(list)
        for form in dict.fromkeys(forms):
            for offset in range(len(form.text) - MIN_PART + 1):
                places[form.text[offset : offset + MIN_PART]].append((form, offset))
        self._places = [*places.values()]
        self._search = BytesAhoCorasick([*places], implementation=Implementation.DFA)

    def __bool__(self) -> bool:
        return bool(self._places)

    def runs(self, text: bytes) -> Iterator[Run]:
        """Yield the parts in a text, each as long as it agrees with its form."""
        done = 0
        for number, at, _ in self._search.find_matches_as_indexes(text, overlapping=True):
            if at < done:
                continue
            run = max((_extended(text, at, *place) for place in self._places[number]), key=lambda run: run.size)
            if run.is_whole or not is_ordinary(text[run.start : run.end].decode("latin-1")):
                done = run.end
                yield run


def _extended(text: bytes, at: int, form: Form, offset: int) -> Run:
    """Return the longest part around a position of the text that agrees with the form."""
    start, end = at, at + MIN_PART
    while start > 0 and start - at + offset > 0 and text[start - 1] == form.text[start - 1 - at + offset]:
        start -= 1
    while end < len(text) and end - at + offset < len(form.text) and text[end] == form.text[end - at + offset]:
        end += 1
    return Run(start, end, form)


def turned(letters: bytes) -> Iterator[bytes]:
    """Yield letters forwards, backwards, and by ROT13."""
    yield letters
    yield letters[::-1]
    yield codecs.encode(letters.decode("latin-1"), "rot13").encode("latin-1")


def encodings_of(value: bytes, name: str) -> Iterator[Form]:
    """Yield the base64 and base32 characters that encode a value at each possible offset.

    Characters at the edges are left out, because they also depend on the neighbouring bytes.
    """
    for offset in range(3):
        inner = _inner(base64.b64encode(b"\0" * offset + value), offset, len(value), 6)
        yield Form(inner, name)
        yield Form(inner.replace(b"+", b"-").replace(b"/", b"_"), name)
    for offset in range(5):
        inner = _inner(base64.b32encode(b"\0" * offset + value), offset, len(value), 5)
        yield Form(inner, name)
        yield Form(inner.lower(), name)


def _inner(encoded: bytes, offset: int, length: int, bits: int) -> bytes:
    return encoded[-(-offset * 8 // bits) : (offset + length) * 8 // bits]
