"""Removes secrets and parts of them from text, however they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rove.guard.secrets.part_index import Form, PartIndex, base64_of, letters_of
from rove.guard.secrets.text_views import (
    Reading,
    Squeezed,
    codes,
    decoded,
    escaped_windows,
    single_letters,
    visible,
    without_tags,
)

# A shorter value would be found inside unrelated words.
MIN_LENGTH = 4
# The shortest part that is found across separators, of letters only and with digits.
MIN_WORDS = 8
MIN_MIXED = 6
# Words in lower case, which most are, are no base64.
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])(?=[a-z]*[A-Z0-9+/_-])[A-Za-z0-9+/_-]{6,}")
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
        # Longest first, because one value may contain another.
        wholes = {form: name for name, value in values.items() for form in _wholes(value)}
        self._wholes = [Form(text, wholes[text]) for text in sorted(wholes, key=len, reverse=True)]
        telling = [(name, value) for name, value in values.items() if len(value) > MIN_LENGTH] if with_parts else []
        encoded = [
            form
            for name, value in values.items()
            for text in _both_ways(value)
            for form in base64_of(_bytes(text), name)
        ]
        self._letters = PartIndex([form for name, value in telling for form in letters_of(_lower(value), name)])
        self._with_signs = PartIndex(
            [Form(text, name) for name, value in telling for text in _both_ways(_lower(value)) if not value.isalnum()]
        )
        self._encoded = PartIndex(encoded)
        self._reach = min(MAX_REACH, 2 * max(map(len, values.values()), default=0))

    def __call__(self, text: str) -> str:
        return replaced(text, self.find(text)) if len(text) >= MIN_LENGTH else text

    def find(self, text: str) -> list[Finding]:
        """Return the secrets and parts of secrets in a text, in their order, without overlaps."""
        found = [*self._find_in(text)]
        if shown := visible(text):
            found += _mapped(shown, self._find_in)
        for at, window in escaped_windows(text, self._reach):
            found += [_moved(each, at) for each in _mapped(decoded(window), self._find_in)]
        return _merged(found)

    def redact_all(self, texts: Sequence[str]) -> list[str]:
        """Redact texts that are shown together, so that a secret is also found where it is spread over several."""
        return split_replaced(texts, self.find("\n".join(texts)))

    def _find_in(self, text: str) -> Iterator[Finding]:
        lowered = _lower(text)
        yield from self._find_wholes(lowered)
        for match in _BASE64.finditer(text):
            yield from (_moved(each, match.start()) for each in _findings(self._encoded, match[0]))
        if self._letters:
            yield from _findings(self._with_signs, lowered)
            yield from self._find_separated(lowered)
            yield from self._find_codes(text)

    def _find_separated(self, lowered: str) -> Iterator[Finding]:
        """Yield parts with other characters between their letters."""
        yield from filter(_is_telling, _mapped(Squeezed(lowered), self._find_letters))
        yield from _mapped(single_letters(lowered), self._find_letters)
        if text := without_tags(lowered):
            yield from filter(_is_telling, _mapped(text, lambda inner: _mapped(Squeezed(inner), self._find_letters)))
        for first in (0, 1):
            yield from self._find_in_every_second(lowered, first)

    def _find_letters(self, text: str) -> Iterator[Finding]:
        return _findings(self._letters, text)

    def _find_codes(self, text: str) -> Iterator[Finding]:
        for start, end, meant in codes(text):
            for each in self._find_letters(_lower(meant)):
                yield each._replace(start=start, end=end)

    def _find_wholes(self, lowered: str) -> Iterator[Finding]:
        for form in self._wholes:
            at = lowered.find(form.text)
            while at >= 0:
                yield Finding(at, at + len(form.text), form.name, form.text, True)
                at = lowered.find(form.text, at + len(form.text))

    def _find_in_every_second(self, lowered: str, first: int) -> Iterator[Finding]:
        """Yield parts whose letters have one and the same character between them."""
        for each in _findings(self._letters, lowered[first::2]):
            start, end = first + 2 * each.start, first + 2 * each.end - 1
            if len(set(lowered[start + 1 : end : 2])) == 1:
                yield each._replace(start=start, end=end)


def replaced(text: str, findings: Sequence[Finding]) -> str:
    """Return a text in which each finding is replaced by the name of its secret."""
    if not findings:
        return text
    pieces: list[str] = []
    done = 0
    for found in findings:
        pieces += [text[done : found.start], f"[secret {found.name}]"]
        done = found.end
    return "".join([*pieces, text[done:]])


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


def _findings(index: PartIndex, text: str) -> Iterator[Finding]:
    for run in index.runs(text):
        yield Finding(run.start, run.end, run.form.name, text[run.start : run.end], run.is_whole)


def _mapped(view: Reading, find: Callable[[str], Iterator[Finding]]) -> Iterator[Finding]:
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
    """Yield a value in lower case as it is, as pages render its white space, and as forms encode it."""
    for text in (value, " ".join(value.split()), value.replace(" ", "+")):
        if len(text) >= MIN_LENGTH:
            yield _lower(text)


def _both_ways(text: str) -> tuple[str, str]:
    return text, text[::-1]


def _bytes(value: str) -> bytes:
    return value.encode("utf-8", "replace")


def _lower(text: str) -> str:
    """Return the text in lower case, character by character, so that positions stay the same."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
