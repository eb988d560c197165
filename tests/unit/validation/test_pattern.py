"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import gc
import re

import pytest

import rove.surfaces.cli.serving  # all that a server imports
from rove.patterns import Pattern, pattern


def test_a_pattern_matches_as_a_compiled_one_does() -> None:
    word = pattern(r"(?P<first>[a-z]+)-(\d+)", re.IGNORECASE)
    match = word.fullmatch("Abc-12")
    assert match is not None
    assert (match["first"], match[2]) == ("Abc", "12")
    assert word.sub("x", "abc-1 def-2") == "x x"
    assert [found[0] for found in word.finditer("a-1 b-2")] == ["a-1", "b-2"]


def test_a_pattern_is_compiled_once_at_its_first_use() -> None:
    word = pattern(r"[a-z]+")
    assert "compiled" not in vars(word)
    word.match("abc")
    assert word.compiled is word.compiled


@pytest.mark.slow  # imports every module
def test_every_pattern_of_rove_compiles() -> None:
    assert rove.surfaces.cli.serving
    gc.unfreeze()  # what was imported while tests were collected: conftest.py leaves it out of `get_objects`
    declared = [found for found in gc.get_objects() if isinstance(found, Pattern) and found.text != "("]
    gc.freeze()
    assert len(declared) > 20
    for found in declared:
        re.compile(found.text, found.flags)


def test_an_invalid_pattern_raises_at_its_first_use() -> None:
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.match("")
