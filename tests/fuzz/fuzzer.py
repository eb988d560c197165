"""Fuzzing: inputs are generated and mutated, each from a seed and a number, and a target checks them.

A case depends on nothing but its target, seed and number, so every failure can be repeated.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tests.fuzz.mutation import mutated

CORPORA = Path(__file__).parent / "corpus"
# Of ten cases, as many are made from nothing; the others are mutations of these or of files of the corpus.
_NEW_OF_TEN = 3


class Target(Protocol):
    """A parser that reads what strangers wrote."""

    @property
    def name(self) -> str: ...

    @property
    def tokens(self) -> Sequence[bytes]:
        """Pieces that mutations insert."""
        ...

    @property
    def accepted(self) -> Mapping[str, str]:
        """Differences from other parsers that are accepted, with the reason."""
        ...

    def generate(self, choose: random.Random) -> bytes:
        """Return an input that is valid, or nearly so."""
        ...

    def check(self, data: bytes) -> set[str]:
        """Parse an input, and return how it is parsed differently by others. Raises an exception on a defect."""
        ...


@dataclass
class Tally:
    """What a run has done."""

    cases: int = 0
    differences: Counter[str] = field(default_factory=Counter)


class Defect(AssertionError):
    """An input that a target fails on, and the command that repeats it."""


def corpus_of(target: Target) -> list[bytes]:
    """Return the files of a target's corpus, in the order of their names."""
    return [path.read_bytes() for path in sorted((CORPORA / target.name).glob("*"))]


def case(target: Target, corpus: Sequence[bytes], seed: int, number: int) -> bytes:
    """Return the input of one case."""
    choose = random.Random(f"{target.name} {seed} {number}")
    is_new = choose.randrange(10) < _NEW_OF_TEN
    data = target.generate(choose) if choose.random() < 0.5 or not corpus else choose.choice(corpus)
    return data if is_new else mutated(data, choose, target.tokens, corpus)


def checked(target: Target, data: bytes) -> set[str]:
    """Check one input, and return the differences that are accepted. Raises an exception on a defect."""
    differences = target.check(data)
    assert differences <= target.accepted.keys(), f"parsed differently: {differences - target.accepted.keys()}"
    return differences


def fuzz(target: Target, seed: int, seconds: float, first: int = 0) -> Tally:
    """Check cases until the time is up. Raises Defect at the first that fails."""
    corpus, tally = corpus_of(target), Tally()
    for number in _numbers_for(seconds, first):
        data = case(target, corpus, seed, number)
        try:
            tally.differences.update(checked(target, data))
        except Exception as error:
            raise Defect(report(target, seed, number, data, error)) from error
        tally.cases += 1
    return tally


def _numbers_for(seconds: float, first: int) -> Iterator[int]:
    """Yield the numbers of cases until the time is up, but at least one."""
    end, number = time.monotonic() + seconds, first
    while number == first or time.monotonic() < end:
        yield number
        number += 1


def report(target: Target, seed: int, number: int, data: bytes, error: Exception) -> str:
    """Describe a failure so that it can be repeated and kept."""
    return (
        f"{target.name}: {type(error).__name__}: {str(error)[:500]}\n"
        f"Input: {data[:2000]!r}\n"
        f"Repeat it:  python -m tests.fuzz {target.name} --seed {seed} --case {number}\n"
        f"Keep it:    python -m tests.fuzz {target.name} --seed {seed} --case {number} --keep NAME"
    )
