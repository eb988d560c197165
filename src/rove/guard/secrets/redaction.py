"""Removes secrets and parts of them from text, however they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import AnyStr, NamedTuple, TypeVar

from rove.guard.secrets.part_index import Form, PartIndex, Run, WholeIndex, encodings_of, turned
from rove.guard.secrets.readings import (
    MIN_LETTERS,
    Alphabet,
    Reading,
    ShortTokens,
    Squeezed,
    codes,
    compatible,
    decoded,
    escaped_windows,
    telling_escapes,
    visible,
    without_separators,
    without_tags,
)

T = TypeVar("T")

# A shorter value would be found inside unrelated words.
MIN_LENGTH = 4
# The shortest part that is found across separators, of letters only and with digits.
MIN_WORDS = 8
MIN_MIXED = 6
# Words in lower case, which most are, are no base64.
_BASE64 = re.compile(rb"(?=[a-z]*[A-Z0-9+/_-])[A-Za-z0-9+/_-]{6,}")
_BASE64_EDGE = re.compile(rb"[^A-Za-z0-9+/_-]")
# A quote that a backslash escapes is no quote.
_STRUCTURE = re.compile(r'\\.|"|\n')
# How far around an escape a text is decoded, at most.
MAX_REACH = 400


class Finding(NamedTuple):
    """A secret, or a part of one, in a text: its span, the name of the secret, and which part of it."""

    start: int
    end: int
    name: str
    part: str
    is_whole: bool


class Redaction:
    """Replaces the values of secrets, and parts of at least five characters, with the names of the secrets."""

    def __init__(self, values: Mapping[str, str], with_parts: bool = True) -> None:
        """`with_parts`: whether parts of the values are replaced too, and not only values as a whole."""
        values = {name: compatible(value) for name, value in values.items()}
        self._alphabet = Alphabet(values.values())
        encode = self._alphabet.encode
        self._wholes = WholeIndex(Form(encode(text), name) for name, value in values.items() for text in _wholes(value))
        self._encoded = PartIndex(
            form for name, value in values.items() for data in _as_bytes(value) for form in encodings_of(data, name)
        )
        telling = [(name, value) for name, value in values.items() if len(value) > MIN_LENGTH] if with_parts else []
        self._letters = PartIndex(
            Form(text, name) for name, value in telling for text in turned(self._alphabet.letters(value))
        )
        self._without_digits = PartIndex(
            Form(text.translate(None, b"0123456789"), name)
            for name, value in telling
            for text in _both_ways(self._alphabet.letters(value))
        )
        self._with_signs = PartIndex(
            Form(encode(text), name) for name, value in telling for text in _both_ways(value) if not value.isalnum()
        )
        self._telling_escapes = telling_escapes("".join(values.values()))
        self._reach = min(MAX_REACH, 2 * max(map(len, values.values()), default=0))

    def __call__(self, text: str) -> str:
        return replaced(text, self.find(text)) if len(text) >= MIN_LENGTH else text

    def find(self, text: str) -> list[Finding]:
        """Return the secrets and parts of secrets in a text, in their order, without overlaps."""
        text = compatible(text)
        found = [*self._find_in(text)]
        if shown := visible(text):
            found += _mapped(shown, self._find_in)
        for at, window in escaped_windows(text, self._telling_escapes, self._reach):
            found += [_moved(each, at) for each in _mapped(decoded(window), self._find_in)]
        return _merged(found)

    def redact_all(self, texts: Sequence[str]) -> list[str]:
        """Redact texts that are shown together, so that a secret is also found where it is spread over several."""
        return split_replaced(texts, self.find("\n".join(texts)))

    def _find_in(self, text: str) -> Iterator[Finding]:
        data = self._alphabet.encode(text)
        yield from _findings(self._wholes.runs(data), data)
        yield from self._find_encoded(text)
        if self._letters or self._with_signs:
            yield from _findings(self._with_signs.runs(data), data)
            yield from self._find_separated(data)
            yield from self._find_codes(data)

    def _find_encoded(self, text: str) -> Iterator[Finding]:
        data = text.encode("ascii", "replace")
        for run in self._encoded.runs(data):
            # Up to the edges of what may be base64, which is never long for a word.
            edge = _BASE64_EDGE.search(data, run.end)
            start = max(
                (match.end() for match in _BASE64_EDGE.finditer(data, max(run.start - 80, 0), run.start)), default=0
            )
            if _BASE64.fullmatch(data, start, edge.start() if edge else len(data)):
                yield from _findings([run], data)

    def _find_separated(self, data: bytes) -> Iterator[Finding]:
        """Yield parts with other characters between their letters."""
        yield from filter(_is_telling, self._find_squeezed(data))
        if inner := without_separators(data):
            yield from filter(_is_telling, _mapped(inner, self._find_squeezed))
        if inner := without_tags(data):
            yield from filter(_is_telling, _mapped(inner, self._find_squeezed))
        yield from _mapped(inner, self._find_alone) if inner else self._find_alone(data)
        for first in (0, 1):
            yield from self._find_in_every_second(data, first)

    def _find_squeezed(self, data: bytes) -> Iterator[Finding]:
        return _mapped(Squeezed(data, self._alphabet.separators), self._find_letters)

    def _find_alone(self, data: bytes) -> Iterator[Finding]:
        """Yield parts whose letters stand alone, with words or numbers between them."""
        tokens = ShortTokens(data, self._alphabet)
        if len(tokens) < MIN_LETTERS:
            return
        yield from _mapped(tokens.letters(), self._find_letters)
        yield from _mapped(tokens.letters_without_digits(), self._find_without_digits)
        for letters in tokens.every_few():
            # Many tables are full of digits, so a few of them may be a chance.
            found = _mapped(letters, self._find_letters)
            yield from (each for each in found if not each.part.isdigit() or len(each.part) >= MIN_WORDS)

    def _find_without_digits(self, data: bytes) -> Iterator[Finding]:
        return _findings(self._without_digits.runs(data), data)

    def _find_letters(self, data: bytes) -> Iterator[Finding]:
        return _findings(self._letters.runs(data), data)

    def _find_codes(self, data: bytes) -> Iterator[Finding]:
        for start, end, meant in codes(data):
            for each in self._find_letters(self._alphabet.encode(meant)):
                yield each._replace(start=start, end=end)

    def _find_in_every_second(self, data: bytes, first: int) -> Iterator[Finding]:
        """Yield parts whose letters have one and the same character between them."""
        for each in self._find_letters(data[first::2]):
            start, end = first + 2 * each.start, first + 2 * each.end - 1
            if len(set(data[start + 1 : end : 2])) == 1:
                yield each._replace(start=start, end=end)


def replaced(text: str, findings: Sequence[Finding]) -> str:
    """Return a text in which each finding is replaced by the name of its secret."""
    if not findings:
        return text
    pieces: list[str] = []
    done = 0
    for found in findings:
        pieces += [text[done : found.start], f"[secret {found.name}]", _structure(text, found)]
        done = found.end
    return "".join([*pieces, text[done:]])


def _structure(text: str, found: Finding) -> str:
    """Return what stays of a text that is replaced: line breaks and quotes, as the lines of a snapshot need them."""
    signs = [sign for sign in _STRUCTURE.findall(text, found.start, found.end) if sign in ("\n", '"')]
    if "\n" in signs:
        return "".join(signs)
    return '"' if len(signs) % 2 and '"' not in found.part else ""


def split_replaced(texts: Sequence[str], findings: Sequence[Finding]) -> list[str]:
    """Return texts that were searched as lines of one, each with its findings replaced."""
    if not findings:
        return [*texts]
    clear: list[str] = []
    at, pending = 0, [*findings[::-1]]
    for text in texts:
        own: list[Finding] = []
        while pending and pending[-1].start < at + len(text):
            found = pending.pop()
            own.append(found._replace(start=max(found.start - at, 0), end=found.end - at))
            if found.end > at + len(text) + 1:
                # The rest is in the next texts, which are so much the shorter.
                pending.append(found._replace(start=at + len(text) + 1))
                break
        clear.append(replaced(text, own))
        at += len(text) + 1
    return clear


def _findings(runs: Iterable[Run], data: bytes) -> Iterator[Finding]:
    for run in runs:
        yield Finding(run.start, run.end, run.form.name, data[run.start : run.end].decode("latin-1"), run.is_whole)


def _mapped(view: Reading[T], find: Callable[[T], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield what is found in a reading of a text, as spans of the text."""
    for each in find(view.text):
        start, end = view.span(each.start, each.end)
        yield each._replace(start=start, end=end)


def _moved(found: Finding, by: int) -> Finding:
    return found._replace(start=found.start + by, end=found.end + by)


def _is_telling(found: Finding) -> bool:
    """Whether a part is no chance: one that goes across separators may be the end of a word and the next one."""
    is_separated = found.end - found.start > len(found.part)
    return found.is_whole or not is_separated or len(found.part) >= (MIN_WORDS if found.part.isalpha() else MIN_MIXED)


def _merged(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings without overlaps. Of several that overlap, the name of the whole or longest one counts."""
    merged: list[Finding] = []
    for each in sorted(findings, key=lambda found: (found.start, -found.end)):
        if not merged or each.start >= merged[-1].end:
            merged.append(each)
            continue
        last = merged[-1]
        main = max(last, each, key=lambda found: (found.is_whole, found.end - found.start))
        merged[-1] = main._replace(start=last.start, end=max(last.end, each.end))
    return merged


def _wholes(value: str) -> Iterator[str]:
    """Yield a value as it is, as pages render its white space, and as forms encode it."""
    for text in (value, " ".join(value.split()), value.replace(" ", "+")):
        if len(text) >= MIN_LENGTH:
            yield text


def _both_ways(text: AnyStr) -> tuple[AnyStr, AnyStr]:
    return text, text[::-1]


def _as_bytes(value: str) -> Iterator[bytes]:
    """Yield a value as the bytes that a page may encode, in any case and backwards."""
    for text in dict.fromkeys((value, value.lower(), value.upper(), value[::-1])):
        yield text.encode("utf-8", "replace")
        yield text.encode("utf-16-le", "replace")
