"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import re

import pytest

from rove.pattern import pattern


def test_it_does_what_a_compiled_one_does() -> None:
    word = pattern(r"(?P<first>[a-z]+)-(\d+)", re.IGNORECASE)
    match = word.fullmatch("Abc-12")
    assert match is not None
    assert (match["first"], match[2]) == ("Abc", "12")
    assert word.sub("x", "abc-1 def-2") == "x x"
    assert [found[0] for found in word.finditer("a-1 b-2")] == ["a-1", "b-2"]


def test_what_is_wrong_with_one_is_said_when_it_is_used() -> None:
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.match("")
