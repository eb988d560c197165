"""Counts guesses at short secrets in what an agent itself gives to actions.

A secret of four digits is one of ten thousand numbers: an agent that gives them all, in a text or in a row of digits,
would see in the answer which of them is redacted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import islice

# A longer secret has too many candidates to be listed.
MAX_LENGTH = 7
# So many of all candidates may be given before calls are refused: one in a hundred, and some in any case.
SHARE = 100
MIN_ALLOWED = 100
# In one call, so many times fewer.
CALLS = 5
# So many are looked at in one call.
MAX_CANDIDATES = 1_000_000
# How often the secret itself may be given.
MAX_HITS = 2


class Guesses:
    """What was given in one session that could be a short secret."""

    def __init__(self, values: Mapping[str, str]) -> None:
        short = {name: value.lower() for name, value in values.items() if len(value) <= MAX_LENGTH}
        self._counts = [_Count(name, value) for name, value in short.items()]

    def note(self, arguments: object) -> str | None:
        """Note the arguments of one call; return the name of a secret that is being guessed by now."""
        texts = [text.lower() for text in _texts_in(arguments)] if self._counts else []
        guessed = [count.name for count in self._counts if count.add(texts)]
        return guessed[0] if guessed else None


class _Count:
    def __init__(self, name: str, value: str) -> None:
        self.name = name
        self._value = value
        kind, size = (r"[0-9]", 10) if value.isdigit() else (r"[a-z]", 26) if value.isalpha() else (r"[^\s]", 36)
        # All that has the length of the secret and its kind of characters, also inside of longer texts.
        self._candidate = re.compile(rf"(?=({kind}{{{len(value)}}}))")
        self._allowed = max(size ** len(value) // SHARE, MIN_ALLOWED)
        self._given: set[str] = set()
        self._hits = 0

    def add(self, texts: list[str]) -> bool:
        """Add the candidates of one call; return whether they are too many, and begin again in that case."""
        self._hits += any(self._value in text for text in texts)
        candidates = (match[1] for text in texts for match in self._candidate.finditer(text))
        given = {each for each in islice(candidates, MAX_CANDIDATES) if each not in self._given}
        self._given |= given
        is_list = len(given) > self._allowed / CALLS or len(self._given) > self._allowed
        if not is_list and self._hits <= MAX_HITS:
            return False
        self._given, self._hits = set(), 0
        return True


def _texts_in(value: object) -> Iterator[str]:
    """Yield the texts and numbers in a value, at any depth."""
    if isinstance(value, str | int | float):
        yield str(value)
    elif isinstance(value, Mapping):
        yield from (text for pair in value.items() for item in pair for text in _texts_in(item))
    elif isinstance(value, list | tuple | set | frozenset):
        yield from (text for item in value for text in _texts_in(item))
    elif is_dataclass(value) and not isinstance(value, type):
        yield from (text for field in fields(value) for text in _texts_in(getattr(value, field.name)))
