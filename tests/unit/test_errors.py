"""The error tree."""

from __future__ import annotations

import re

import pytest

from rove import errors
from rove.errors import RoveError

CLASSES = RoveError.__subclasses__()


def test_the_tree_drawn_at_the_top_is_the_tree_there_is() -> None:
    drawn = re.findall(r"[├└]── (\w+) +(\w+) ", errors.__doc__ or "")
    assert drawn == [(cls.__name__, cls.code) for cls in CLASSES]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_each_has_a_code_of_its_own_and_a_hint(cls: type[RoveError]) -> None:
    error = cls("What happened.")
    assert [other.code for other in CLASSES].count(cls.code) == 1
    assert error.hint
    assert error.as_dict() == {
        "code": cls.code, "message": "What happened.", "hint": error.hint, "retryable": cls.retryable
    }  # fmt: skip


def test_a_hint_can_be_given() -> None:
    assert errors.Denied("No.", hint="Ask Bea.").hint == "Ask Bea."
