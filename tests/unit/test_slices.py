"""The parts of the slow tests: together they are all of them, and what they need is installed."""

from __future__ import annotations

import re
from pathlib import Path

from tests.slices import NEEDS, PARTS, part_of, slice_of, targets_for

ROOT = Path(__file__).parents[2]


def test_each_slow_test_is_in_one_part() -> None:
    for count in (0, 7, PARTS, 1234):
        tests = [str(number) for number in range(count)]
        parts = [slice_of(tests, part) for part in range(PARTS)]
        assert [test for part in parts for test in part] == tests
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_the_part_follows_from_the_commit() -> None:
    assert part_of("f" * 40) == int("f" * 40, 16) % PARTS
    assert len({part_of(f"{number:040x}") for number in range(PARTS)}) == PARTS


def test_what_tests_need_are_targets_that_make_test_all_has() -> None:
    assert targets_for(["tests/widgets/test_widgets.py::x", "tests/unit/test_slices.py::y"]) == [
        ".venv/more_widgets/ready"
    ]
    needs = re.search(r"^SLOW_NEEDS = (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert needs is not None
    assert set(needs[1].split()) == set(targets_for([f"{start}test" for start in NEEDS]))
    assert all((ROOT / start).exists() for start in NEEDS)
