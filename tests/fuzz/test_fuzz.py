"""Parsers that read what strangers wrote: files of the corpora, then new cases for a limited time.

The quick run repeats the same cases each time, as far as it gets, so a change that breaks one of them is at fault. The
slow run takes a new seed each time. See docs/decisions/0025-fuzzing.md.
"""

from __future__ import annotations

import os
import random

import pytest
from tests.fuzz.fuzzer import CORPORA, checked, fuzz
from tests.fuzz.targets import TARGETS, target_named

# Seconds that all targets have together.
QUICK_SECONDS = 15.0
SLOW_SECONDS = float(os.environ.get("ROVE_FUZZ_SECONDS", 3600))
QUICK_SEED = 1


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_of_the_corpus_show_no_defect(name: str) -> None:
    files = sorted((CORPORA / name).glob("*"))
    assert files, f"{name} has no corpus"
    for path in files:
        try:
            checked(target_named(name), path.read_bytes())
        except Exception as error:
            raise AssertionError(f"Repeat it: python -m tests.fuzz {name} --input {path}") from error


@pytest.mark.parametrize("name", TARGETS)
def test_new_inputs_show_no_defect(name: str) -> None:
    assert fuzz(target_named(name), QUICK_SEED, QUICK_SECONDS / len(TARGETS)).cases > 0


@pytest.mark.slow
@pytest.mark.timeout(2 * SLOW_SECONDS / len(TARGETS) + 300)
@pytest.mark.parametrize("name", TARGETS)
def test_new_inputs_show_no_defect_for_an_hour(name: str) -> None:
    seed = random.SystemRandom().randrange(2**32)
    assert fuzz(target_named(name), seed, SLOW_SECONDS / len(TARGETS)).cases > 0


def test_every_corpus_belongs_to_a_target() -> None:
    assert {path.name for path in CORPORA.iterdir()} == set(TARGETS)
    assert sum(path.stat().st_size for path in CORPORA.glob("*/*")) < 300_000
